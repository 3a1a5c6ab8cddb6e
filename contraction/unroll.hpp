#pragma once

#include <tenfold/contraction/unrolled_kernel.hpp>

/// kernel + extents -> statements. Labels of stacks and of compact symmetric matrices go: a value
/// that has such a label becomes one value for each slice, a sum over it a sum of terms, and an
/// operand is read one slice at a time. What the slices have in common the planner finds. The two
/// labels of a unit or diagonal matrix become one, or, where they go, terms off the diagonal
/// vanish.
namespace tenfold {

/// Walks a kernel, statement by statement and slice by slice. Without a place for what it makes it
/// counts.
template <limits L>
class unrolling {
 public:
  constexpr unrolling(const kernel& k, const index* extents, unrolled_kernel<L>* out,
                      int input_count = 0)
      : kernel_(k), extents_(extents), out_(out), input_count_(input_count) {
    for (int f = 0; f < k.factor_count; ++f) {
      const kernel_access& x = k.factors[f];
      if (x.is_stack()) gone_ |= bit(x.labels[0]);
      if (x.is_triangle()) gone_ |= bit(x.labels[x.pair]) | bit(x.labels[x.pair + 1]);
    }
    for (label_set before = 0; before != gone_;) {
      before = gone_;
      follow_locals();
      follow_diagonals();
    }
    for (int l = 0; l < k.label_count; ++l) {
      called_[l] = l;
      number_[l] = contains(gone_, l) ? -1 : size_.labels++;
      if (contains(gone_, l) && extents[l] == dyn && !size_.open) size_.open = open_at(l);
    }
  }

  constexpr unrolled_size run() {
    check_stacks();
    for (int s = 0; s < kernel_.statement_count && goes_on(); ++s) {
      const kernel_access& target = kernel_.statements[s].target;
      if (target.operand == kernel_.output()) {
        if ((target.labels.set() & gone_) != 0) {
          const int place = first_gone(target);
          size_.error = kernel_checks::at_label(kernel_, diagnosis::unrolled_output, target, place);
          break;
        }
        add_terms(s, target, output_);
      } else {
        for_each_value(target.labels.set() & gone_, [&] { define(s, target); });
      }
    }
    if (goes_on()) finish();
    return size_;
  }

 private:
  static constexpr int most = unrolled_size::most;
  static constexpr int max_slices = 36;  ///< of a local
  static constexpr int zero = -1;        ///< the value of a slice to which nothing was added

  /// Values to be added up.
  struct signed_values {
    int count = 0;
    int source[most] = {};
    int sign[most] = {};
  };

  constexpr bool goes_on() const { return !size_.error && !size_.open; }
  constexpr void too_long() {
    if (!size_.error) size_.error = {diagnosis::too_long_program};
  }

  /// What goes of a local goes wherever it is read or written.
  constexpr void follow_locals() {
    for (int s = 0; s < kernel_.statement_count; ++s) {
      const kernel_access& written = kernel_.statements[s].target;
      for (int f = 0; f < kernel_.factor_count; ++f) {
        const kernel_access& read = kernel_.factors[f];
        if (read.operand != written.operand) continue;
        for (int i = 0; i < read.labels.count; ++i) {
          const label_set both = bit(read.labels[i]) | bit(written.labels[i]);
          if ((gone_ & both) != 0) gone_ |= both;
        }
      }
    }
  }

  /// Of two labels that must be equal both go or none.
  constexpr void follow_diagonals() {
    for (int f = 0; f < kernel_.factor_count; ++f) {
      const kernel_access& x = kernel_.factors[f];
      const int place = kernel_.equal_labels(x);
      if (place < 0) continue;
      const label_set both = bit(x.labels[place]) | bit(x.labels[place + 1]);
      if ((gone_ & both) != 0) gone_ |= both;
    }
  }

  /// Where label l, which a factor or the left side of a statement has, stands first.
  constexpr diagnostic open_at(int l) const {
    for (int f = 0; f < kernel_.factor_count; ++f) {
      const kernel_access& x = kernel_.factors[f];
      const int place = x.labels.find(l);
      if (place >= 0) return kernel_checks::at_label(kernel_, diagnosis::unknown_extent, x, place);
    }
    int s = 0;
    while (kernel_.statements[s].target.labels.find(l) < 0) ++s;
    const kernel_access& target = kernel_.statements[s].target;
    return kernel_checks::at_label(kernel_, diagnosis::unknown_extent, target,
                                   target.labels.find(l));
  }

  constexpr int first_gone(const kernel_access& x) const {
    int place = 0;
    while (!contains(gone_, x.labels[place])) ++place;
    return place;
  }

  /// A stack has its slice.
  constexpr void check_stacks() {
    for (int f = 0; f < kernel_.factor_count && goes_on(); ++f) {
      const kernel_access& x = kernel_.factors[f];
      const index extent = x.is_stack() ? extents_[x.labels[0]] : dyn;
      if (extent != dyn && x.at >= extent) {
        size_.error =
            kernel_checks::at_label(kernel_, diagnosis::stack_range, x, 0, {x.at, extent});
      }
    }
  }

  /// Calls f for each choice of one value for every label of the set, the last running fastest.
  template <class F>
  constexpr void for_each_value(label_set set, F f) {
    int list[kernel::max_labels] = {}, count = 0;
    index total = 1;
    for (int l = 0; l < kernel_.label_count; ++l) {
      if (!contains(set, l)) continue;
      list[count++] = l;
      total *= extents_[l];
      at_[l] = 0;
    }
    for (index n = 0; n < total && goes_on(); ++n) {
      f();
      for (int i = count - 1; i >= 0; --i) {
        if (++at_[list[i]] < extents_[list[i]]) break;
        at_[list[i]] = 0;
      }
    }
  }

  /// Which slice of a local is meant.
  constexpr int slice_number(const kernel_access& x) {
    index n = 0;
    for (int i = 0; i < x.labels.count; ++i) {
      const int l = x.labels[i];
      if (contains(gone_, l)) n = n * extents_[l] + at_[l];
    }
    if (n >= max_slices) too_long();
    return n < max_slices ? static_cast<int>(n) : 0;
  }

  /// Whether the label at a place stands for an axis of the slice that is read.
  constexpr bool is_kept(const kernel_access& x, int place) const {
    const bool again = x.is_diagonal && place == x.pair + 1;
    return x.axis(place) >= 0 && !again && !contains(gone_, x.labels[place]);
  }

  constexpr label_list<kernel_access::max_rank> kept(const kernel_access& x) {
    label_list<kernel_access::max_rank> list;
    for (int i = 0; i < x.labels.count; ++i) {
      if (is_kept(x, i)) list.push(number_[called_[x.labels[i]]]);
    }
    if (list.count > size_.rank) size_.rank = list.count;
    return list;
  }

  /// The operand that an access reads, of a stack the one that is the slice at hand.
  constexpr int slice_operand(const kernel_access& x) const {
    return x.is_stack() && at_[x.labels[0]] != x.at ? x.otherwise : x.operand;
  }
  constexpr bool is_identity(const kernel_access& x) const {
    return kernel_.operands[slice_operand(x)].is_identity;
  }
  /// As kernel::equal_labels, of the slice at hand.
  constexpr int equal_labels(const kernel_access& x) const {
    return x.is_diagonal || is_identity(x) ? kernel_.equal_labels(x) : -1;
  }

  /// Whether a product is zero in the slices at hand: off a diagonal, or of a local that is zero.
  constexpr bool is_zero(const kernel_term& term) {
    for (int f = term.first; f < term.first + term.count; ++f) {
      const kernel_access& x = kernel_.factors[f];
      const int place = equal_labels(x);
      if (place >= 0 && contains(gone_, x.labels[place]) &&
          at_[x.labels[place]] != at_[x.labels[place + 1]]) {
        return true;
      }
      const bool is_local = kernel_.operands[x.operand].role == operand_role::local;
      if (is_local && local_[x.operand][slice_number(x)] == zero) return true;
    }
    return false;
  }

  /// The number of an input.
  constexpr int input(const kernel_access& x) {
    unrolled_input in;
    in.labels = kept(x);
    in.operand = slice_operand(x);
    for (int axis = 0; axis < kernel_access::max_rank; ++axis) in.fixed[axis] = -1;
    for (int i = 0; i < x.labels.count; ++i) {
      const int l = x.labels[i], axis = x.axis(i);
      if (axis < 0 || !contains(gone_, l) || (x.pair >= 0 && i == x.pair + 1)) continue;
      in.fixed[axis] = static_cast<int>(at_[l]);
      if (i != x.pair || x.is_diagonal) continue;
      // Row c of the upper triangle starts behind n + (n - 1) + ... + (n - c + 1) entries.
      const index n = extents_[l], other = at_[x.labels[i + 1]];
      const index c = at_[l] < other ? at_[l] : other, d = at_[l] < other ? other : at_[l];
      in.fixed[axis] = static_cast<int>(c * n - c * (c - 1) / 2 + d - c);
    }
    for (int o = 0; o < size_.inputs; ++o) {
      if (inputs_[o] == in) return o;
    }
    if (size_.inputs == most) {
      too_long();
      return 0;
    }
    inputs_[size_.inputs] = in;
    if (out_ != nullptr) {
      out_->inputs[size_.inputs] = in;
      int place = 0;
      for (int i = 0; i < x.labels.count; ++i) {
        if (is_kept(x, i)) out_->names.position[size_.inputs][place++] = x.position[i];
      }
    }
    return size_.inputs++;
  }

  static constexpr label_list<L.rank> within(const label_list<kernel_access::max_rank>& from) {
    label_list<L.rank> to;
    for (int i = 0; i < from.count; ++i) to.push(from[i]);
    return to;
  }

  constexpr int new_statement() {
    if (size_.statements == most) {
      too_long();
      return 0;
    }
    return size_.statements++;
  }

  /// The value of a local, under the labels that it is read with.
  constexpr int local(const kernel_access& x) {
    const int value = local_[x.operand][slice_number(x)];
    int writes = 0;
    while (kernel_.statements[writes].target.operand != x.operand) ++writes;
    const kernel_access& written = kernel_.statements[writes].target;
    const auto to = kept(x);
    label_list<kernel_access::max_rank> from;
    for (int i = 0; i < written.labels.count; ++i) {
      const int l = written.labels[i];
      if (!contains(gone_, l)) from.push(number_[l]);
    }
    if (from == to) return value;
    size_.steps += 2;  // it may have to be converted
    const int s = new_statement();
    if (out_ != nullptr) {
      statement<L>& made = out_->said.list[s];
      made.kind = statement_kind::rename;
      made.factor_count = 1;
      made.result = within(to);
      made.factors[0].source = value;
      made.factors[0].labels = within(from);
    }
    return input_count_ + s;
  }

  /// The unit and diagonal matrices of a product make two labels one: that of the left side, if one
  /// is there.
  constexpr void join_labels(const kernel_term& term, const kernel_access& target) {
    for (int l = 0; l < kernel_.label_count; ++l) called_[l] = l;
    label_set others = 0;
    bool has_entries = false;
    for (int f = 0; f < term.count; ++f) {
      const kernel_access& x = kernel_.factors[term.first + f];
      if (!is_identity(x)) {
        others |= x.labels.set();
        has_entries = true;
      }
      const int row = equal_labels(x);
      if (row < 0 || contains(gone_, x.labels[row])) continue;
      const int a = called_[x.labels[row]], b = called_[x.labels[row + 1]];
      const bool b_stays = target.labels.find(b) >= 0;
      if (a == b && x.is_diagonal) continue;
      if (a == b || (b_stays && target.labels.find(a) >= 0)) return no_identity(x);
      for (int l = 0; l < kernel_.label_count; ++l) {
        if (called_[l] == (b_stays ? a : b)) called_[l] = b_stays ? b : a;
      }
    }
    // What is left of a unit matrix must be a label of something else, and no local has one twice.
    label_set brought = 0;
    for (int l = 0; l < kernel_.label_count; ++l) {
      if (contains(others, l)) brought |= bit(called_[l]);
    }
    for (int f = 0; f < term.count; ++f) {
      const kernel_access& x = kernel_.factors[term.first + f];
      if (is_identity(x)) {
        const int a = x.labels[equal_labels(x)];
        if (contains(gone_, a) ? !has_entries : !contains(brought, called_[a]))
          return no_identity(x);
      }
      label_set met = 0;
      for (int i = 0; i < x.labels.count; ++i) {
        if (kernel_.operands[x.operand].role != operand_role::local) continue;
        if (contains(met, called_[x.labels[i]])) return no_identity(x);
        met |= bit(called_[x.labels[i]]);
      }
    }
  }
  constexpr void no_identity(const kernel_access& x) {
    if (!size_.error) {
      const int place = equal_labels(x);
      size_.error =
          kernel_checks::at_label(kernel_, diagnosis::identity_labels, x, place < 0 ? 0 : place);
    }
  }

  /// The value of one product.
  constexpr int product(const kernel_term& term, const kernel_access& target) {
    join_labels(term, target);
    const auto result = kept(target);
    label_set brought = 0;
    statement<L> made;
    int count = 0;
    for (int f = 0; f < term.count && goes_on(); ++f) {
      const kernel_access& x = kernel_.factors[term.first + f];
      if (is_identity(x)) continue;
      const bool is_local = kernel_.operands[x.operand].role == operand_role::local;
      const int source = is_local ? local(x) : input(x);
      const auto labels = kept(x);
      brought |= labels.set();
      if (out_ != nullptr) {
        made.factors[count].source = source;
        made.factors[count].labels = within(labels);
      }
      ++count;
    }
    size_.steps += count > 1 ? 2 * count - 1 : 1;
    if (count > size_.factors) size_.factors = count;
    const int s = new_statement();
    if (out_ != nullptr) {
      made.factor_count = count;
      made.result = within(result);
      const bool sums = brought != result.set();
      // A factor alone in another order is the value itself.
      made.kind = sums ? statement_kind::contract
                  : count == 1 && made.factors[0].labels.count == result.count
                      ? statement_kind::permute
                      : statement_kind::pointwise;
      out_->said.list[s] = made;
    }
    for (int l = 0; l < kernel_.label_count; ++l) called_[l] = l;
    return input_count_ + s;
  }

  /// The terms of statement s at the slice of its target that is at hand.
  constexpr void add_terms(int s, const kernel_access& target, signed_values& sum) {
    const kernel_statement& said = kernel_.statements[s];
    for (int t = said.first; t < said.first + said.count; ++t) {
      const kernel_term& term = kernel_.terms[t];
      label_set labels = 0;
      for (int f = term.first; f < term.first + term.count; ++f) {
        labels |= kernel_.factors[f].labels.set();
      }
      for_each_value(labels & gone_ & ~target.labels.set(), [&] {
        if (is_zero(term)) return;
        if (sum.count == most) return too_long();
        sum.source[sum.count] = product(term, target);
        sum.sign[sum.count++] = term.sign;
      });
    }
  }

  /// The value of a sum.
  constexpr int total(const signed_values& sum, const kernel_access& target) {
    if (sum.count == 1 && sum.sign[0] > 0) return sum.source[0];
    const int s = new_statement();
    size_.steps += sum.count + 1;
    if (out_ != nullptr) {
      statement<L>& made = out_->said.list[s];
      made.kind = statement_kind::sum;
      made.factor_count = sum.count;
      made.result = within(kept(target));
      for (int f = 0; f < sum.count; ++f) {
        made.factors[f].source = sum.source[f];
        made.factors[f].sign = sum.sign[f];
        made.factors[f].labels = made.result;
      }
    }
    return input_count_ + s;
  }

  constexpr void define(int s, const kernel_access& target) {
    const int slice = slice_number(target);
    int& value = local_[target.operand][slice];
    signed_values sum;
    if (kernel_.statements[s].adds && value != zero) {
      sum.count = 1;
      sum.source[0] = value;
      sum.sign[0] = 1;
    }
    add_terms(s, target, sum);
    if (goes_on()) value = sum.count == 0 ? zero : total(sum, target);
  }

  /// The last statement is the one that leaves the result.
  constexpr void finish() {
    const kernel_access* target = nullptr;
    for (int s = 0; s < kernel_.statement_count; ++s) {
      if (kernel_.statements[s].target.operand == kernel_.output()) {
        target = &kernel_.statements[s].target;
      }
    }
    if (output_.count == 0) {
      size_.error = kernel_checks::at_access(kernel_, diagnosis::zero_output, *target);
      return;
    }
    const int value = total(output_, *target);
    const auto result = kept(*target);
    if (value != input_count_ + size_.statements - 1) {
      const int s = new_statement();
      ++size_.steps;
      if (out_ != nullptr) {
        statement<L>& made = out_->said.list[s];
        made.kind = statement_kind::permute;
        made.factor_count = 1;
        made.result = within(result);
        made.factors[0].source = value;
        made.factors[0].labels = made.result;
      }
    }
    ++size_.steps;
    if (out_ == nullptr) return;
    out_->batch = number_[kernel_.batch];
    out_->said.input_count = size_.inputs;
    out_->said.label_count = size_.labels;
    out_->said.count = size_.statements;
    for (int l = 0; l < kernel_.label_count; ++l) {
      if (number_[l] < 0) continue;
      out_->names.name[number_[l]] = kernel_.labels[l];
      out_->label[number_[l]] = l;
    }
    for (int i = 0; i < result.count; ++i) {
      out_->names.position[L.operands][i] = target->position[i];
    }
  }

  const kernel& kernel_;
  const index* extents_;
  unrolled_kernel<L>* out_;
  int input_count_;
  unrolled_size size_{};
  label_set gone_ = 0;
  int number_[kernel::max_labels] = {};  ///< of each label that stays
  index at_[kernel::max_labels] = {};    ///< of each label that goes, in the slice at hand
  int called_[kernel::max_labels] = {};  ///< in the product at hand
  unrolled_input inputs_[most] = {};
  int local_[kernel::max_operands][max_slices] = {};  ///< the value of each slice
  signed_values output_{};
};

/// How much `unroll` will make of a kernel with labels of these extents. An error: a stack lacks
/// its slice, the output has a label that goes, or there is too much of it.
constexpr unrolled_size size_of_unrolled(const kernel& k, const index* extents) {
  return unrolling<limits{1, 1, 1}>(k, extents, nullptr).run();
}

/// The statements of a kernel that check() and extents_of() found right, in the room of
/// size_of_unrolled(...).bounds() or more.
template <limits L>
constexpr void unroll(const kernel& k, const index* extents, int input_count,
                      unrolled_kernel<L>& out) {
  unrolling<L>(k, extents, &out, input_count).run();
}

}  // namespace tenfold
