#pragma once

#include <tenfold/contraction/find_path.hpp>
#include <tenfold/contraction/plan.hpp>

/// problem -> plan.
namespace tenfold {

/// Plans statement after statement; see make_plan.
template <limits L>
class planning {
 public:
  constexpr planning(const problem<L>& p, const path_options& options, path_ties ties)
      : problem_(p),
        options_(options),
        ties_(ties),
        each_(p, 1),
        points_(p, nominal_extent),
        n_(p.input_count) {}

  constexpr contraction_plan<L> run() {
    plan_.input_count = n_;
    const bool computes = !is_empty(problem_);
    for (int s = 0; s < L.statements && s < problem_.statement_count && plan_.found; ++s) {
      const bound_statement<L>& said = problem_.list[s];
      const bool last = s + 1 == problem_.statement_count;
      // Nothing that is computed reads it.
      if (computes && is_empty(problem_, n_ + s)) continue;
      switch (said.kind) {
        case statement_kind::sum:
          sum(s);
          break;
        // Labels are names: an intermediate has no order until one is chosen for it.
        case statement_kind::permute:
          result_[s] = value_of(said.factors[0].source);
          break;
        case statement_kind::rename:
          rename(s);
          break;
        case statement_kind::contract:
        case statement_kind::pointwise:
          if (last || !feeds_sum(s)) result_[s] = product(s);
      }
    }
    // The last step is the one that leaves the result.
    const int value = result_[problem_.statement_count - 1];
    const bool leaves = value >= n_ && value == n_ + plan_.step_count - 1 && !shared_[value - n_];
    if (plan_.found && !leaves) {
      copy(value, problem_.output.order);
    }
    return plan_;
  }

 private:
  /// Whether statement s is a product and a term of a sum alone: then it is computed in the place
  /// of the sum.
  constexpr bool feeds_sum(int s) const {
    const statement_kind kind = problem_.list[s].kind;
    if (kind != statement_kind::contract && kind != statement_kind::pointwise) return false;
    int uses = 0;
    bool sums = false;
    for (int t = s + 1; t < L.statements && t < problem_.statement_count; ++t) {
      for (int f = 0; f < problem_.list[t].factor_count; ++f) {
        if (problem_.list[t].factors[f].source != n_ + s) continue;
        ++uses;
        sums = sums || problem_.list[t].kind == statement_kind::sum;
      }
    }
    return sums && uses == 1;
  }

  constexpr const label_list<L.labels>& order_of_result(int s) const {
    return s + 1 == problem_.statement_count ? problem_.output.order : problem_.list[s].order;
  }

  /// The value that an earlier statement or an input is; twins are read as the first of them.
  constexpr int value_of(int source) const {
    return source < n_ ? problem_.twin[source] : result_[source - n_];
  }
  constexpr label_set labels_of(int value) const {
    return value < n_ ? problem_.inputs[value].labels : plan_.steps[value - n_].order.set();
  }
  constexpr const label_list<L.labels>& order_of(int value) const {
    return value < n_ ? problem_.inputs[value].order : plan_.steps[value - n_].order;
  }

  /// The next step. Where there is no room for one, the last again, and no plan is found.
  constexpr plan_step<L>& next_step() {
    if (plan_.step_count == L.most_steps()) {
      plan_.found = false;
      plan_.steps[--plan_.step_count] = {};
    }
    return plan_.steps[plan_.step_count++];
  }

  constexpr int copy(int value, const label_list<L.labels>& order) {
    plan_step<L>& step = next_step();
    step.a = value;
    step.labels = order.set();
    step.order = order;
    return n_ + plan_.step_count - 1;
  }

  /// The step that has left sign * sum of a * b with these labels, or -1. From now on it is shared.
  constexpr int find(int a, int b, int sign, label_set contracted, label_set kept) {
    for (int s = 0; s < plan_.step_count; ++s) {
      const plan_step<L>& known = plan_.steps[s];
      const bool same = (known.a == a && known.b == b) || (known.a == b && known.b == a);
      if (same && known.c < 0 && !known.renames && known.sign == sign &&
          known.contracted == contracted && known.order.set() == kept && !continued_[s]) {
        shared_[s] = true;
        return s;
      }
    }
    return -1;
  }

  /// Adds result := c + sign * sum of a * b; what an earlier step has left is not computed again.
  constexpr int append(int a, int b, int c, int sign, label_set labels,
                       const label_list<L.labels>& order) {
    const label_set contracted = labels & ~order.set();
    if (c < 0 || b >= 0) {
      const int known = find(a, b, c < 0 ? sign : 1, contracted, order.set());
      if (known >= 0 && c < 0) return n_ + known;
      if (known >= 0) return append(n_ + known, -1, c, sign, order.set(), order);
    }
    if (c >= 0 && shared_[c - n_]) c = copy(c, order);
    plan_step<L>& step = next_step();
    step.a = a;
    step.b = b;
    step.c = c;
    step.sign = sign;
    step.labels = labels;
    step.contracted = contracted;
    step.order = order;
    // A sum alone adds; a product multiplies, and adds when it sums.
    step.flops = b >= 0            ? pair_flops(each_(labels), contracted != 0)
                 : contracted != 0 ? each_(labels)
                                   : 0;
    if (c >= 0) {
      continued_[c - n_] = true;
      if (contracted == 0) step.flops += each_(labels);
    }
    plan_.flops += step.flops;
    return n_ + plan_.step_count - 1;
  }

  /// result := the factor under other labels.
  constexpr void rename(int s) {
    const bound_statement<L>& said = problem_.list[s];
    const int source = said.factors[0].source;
    int value = value_of(source);
    // What has two names is what is computed with, not what is yet to be converted.
    if (value < n_ && is_foreign(problem_, problem_.inputs[value]))
      value = append(value, -1, -1, 1, labels_of(value), order_of(value));
    const auto& from = problem_.list[source - n_].order;
    const auto& now = order_of(value);
    label_list<L.labels> order;
    for (int i = 0; i < now.count; ++i) order.push(said.order[from.find(now[i])]);
    for (int known = 0; known < plan_.step_count; ++known) {
      const plan_step<L>& step = plan_.steps[known];
      if (step.renames && step.a == value && step.order == order) {
        result_[s] = n_ + known;
        return;
      }
    }
    result_[s] = copy(value, order);
    plan_.steps[result_[s] - n_].renames = true;
    // What is read under other labels is not added to.
    if (value >= n_) shared_[value - n_] = true;
    shared_[result_[s] - n_] = true;
  }

  /// The values that a product multiplies.
  struct factor_list {
    int count = 0;
    int value[L.operands] = {};
  };
  struct signed_product {
    factor_list factors{};
    int sign = 1;
  };

  constexpr factor_list factors_of(const bound_statement<L>& said) const {
    factor_list list;
    for (int f = 0; f < said.factor_count; ++f) {
      list.value[list.count++] = value_of(said.factors[f].source);
    }
    return list;
  }

  /// result := sum of sign * term, term by term in one place.
  constexpr void sum(int s) {
    const bound_statement<L>& said = problem_.list[s];
    const auto order = order_of_result(s);
    signed_product terms[L.operands] = {};
    int count = 0;
    for (int t = 0; t < said.factor_count; ++t) {
      const auto [source, sign] = said.factors[t];
      if (is_empty(problem_, source) && !is_empty(problem_)) continue;
      signed_product& term = terms[count++];
      term.sign = sign;
      if (source >= n_ && feeds_sum(source - n_)) {
        const bound_statement<L>& product = problem_.list[source - n_];
        term.factors = factors_of(product);
        label_set all = 0;
        for (int f = 0; f < term.factors.count; ++f) all |= labels_of(term.factors.value[f]);
        count_naive(all, order.set(), term.factors.count, count > 1);
      } else {
        term.factors.value[term.factors.count++] = value_of(source);
      }
    }
    result_[s] = sum_of(terms, count, order, -1);
  }

  /// result := product.
  constexpr int product(int s) {
    const factor_list list = factors_of(problem_.list[s]);
    const auto order = order_of_result(s);
    label_set all = 0;
    for (int f = 0; f < list.count; ++f) all |= labels_of(list.value[f]);
    count_naive(all, order.set(), list.count, false);
    return product(list, order, -1, 1);
  }

  /// Adds up products onto `c`. Those whose last step multiplies by the same factor are added up
  /// before it: B (A x) + B (C y) = B (A x + C y), and so on inside, so that a sum on the way back
  /// costs what its mirror image, one value on many ways, costs on the way there.
  constexpr int sum_of(const signed_product* terms, int count, const label_list<L.labels>& order,
                       int c) {
    struct last_step {
      int factor = -1;  ///< place among the factors; -1: alone
      label_set rest = 0;
      label_list<L.labels> order{};
    };
    last_step lasts[L.operands] = {};
    // Pairs that are given are those of whole terms.
    const bool regroups = count > 1 && options_.method != path_method::given;
    for (int t = 0; t < count && regroups; ++t) {
      const factor_list& list = terms[t].factors;
      if (list.count < 3) continue;
      path_value<L> values[2 * L.operands] = {};
      leaves(list, order.set(), values);
      const contraction_path<L> path =
          find_path<L>(values, list.count, order.set(), points_, options_, ties_);
      if (!path.found) continue;
      const int a = path.a[path.count - 1], b = path.b[path.count - 1];
      if ((a < list.count) == (b < list.count)) continue;
      last_step& last = lasts[t];
      last.factor = a < b ? a : b;
      for (int f = 0; f < list.count; ++f) {
        if (f != last.factor) last.rest |= values[f].labels;
      }
      last.rest &= order.set() | values[last.factor].labels;
      for (int step = 0; step + 1 < path.count; ++step) {
        const path_value<L>&x = values[path.a[step]], &y = values[path.b[step]];
        path_value<L>& made = values[list.count + step];
        made.labels =
            (x.labels | y.labels) & needed_after(path, step, list.count, order.set(), values);
        made.order = product_order<L>(x.order, y.order, made.labels);
      }
      last.order = values[list.count + path.count - 2].order;
    }
    bool done[L.operands] = {};
    int turn[L.operands] = {};
    innermost_first(terms, count, order.set(), turn);
    for (int i = 0; i < count && plan_.found; ++i) {
      const int t = turn[i];
      if (done[t]) continue;
      const int factor = lasts[t].factor;
      signed_product rests[L.operands] = {};
      int alike = 0;
      for (int u = 0; u < count && factor >= 0; ++u) {
        if (done[u] || lasts[u].factor < 0 || lasts[u].rest != lasts[t].rest) continue;
        const factor_list& list = terms[u].factors;
        if (list.value[lasts[u].factor] != terms[t].factors.value[factor]) continue;
        signed_product& rest = rests[alike++];
        rest.sign = terms[u].sign;
        for (int f = 0; f < list.count; ++f) {
          if (f != lasts[u].factor) rest.factors.value[rest.factors.count++] = list.value[f];
        }
        done[u] = true;
      }
      if (alike > 1) {
        factor_list last;
        last.count = 2;
        last.value[0] = terms[t].factors.value[factor];
        last.value[1] = sum_of(rests, alike, lasts[t].order, -1);
        c = product(last, order, c, 1);
      } else {
        c = product(terms[t].factors, order, c, terms[t].sign);
      }
    }
    return c;
  }

  /// The terms of a sum in the order in which they are added up: sums along inner axes come first,
  /// so that the way back of three directions mirrors the way there, on which the outermost comes
  /// first; terms of more than two factors in the order in which they were said.
  constexpr void innermost_first(const signed_product* terms, int count, label_set kept,
                                 int* turn) const {
    int place[L.operands] = {};
    bool pairs = true;
    for (int t = 0; t < count; ++t) {
      const factor_list& list = terms[t].factors;
      pairs = pairs && list.count == 2;
      for (int f = 0; f < list.count; ++f) {
        const auto& axes = order_of(list.value[f]);
        if (axes.count < order_of(list.value[0]).count) continue;
        for (int i = 0; i < axes.count; ++i) {
          if (!contains(kept, axes[i])) place[t] = i;
        }
      }
    }
    for (int t = 0; t < count; ++t) {
      int at = t;
      for (; pairs && at > 0 && place[turn[at - 1]] < place[t]; --at) turn[at] = turn[at - 1];
      turn[at] = t;
    }
  }

  constexpr void count_naive(label_set all, label_set kept, int factors, bool adds) {
    plan_.naive_flops +=
        each_(all) * ((factors > 1 ? factors - 1 : 0) + ((all & ~kept) != 0 ? 1 : 0));
    if (adds) plan_.naive_flops += each_(kept);
  }

  /// The factors as values of a path: without the labels that one of them alone carries.
  constexpr void leaves(const factor_list& list, label_set kept, path_value<L>* values) const {
    for (int f = 0; f < list.count; ++f) {
      const int v = list.value[f];
      label_set needed = kept;
      for (int other = 0; other < list.count; ++other) {
        if (other != f) needed |= labels_of(list.value[other]);
      }
      values[f] = {labels_of(v) & needed, {}};
      for (int i = 0; i < order_of(v).count; ++i) {
        if (contains(needed, order_of(v)[i])) values[f].order.push(order_of(v)[i]);
      }
    }
  }

  /// The labels that the result, or a value that is left behind step s of a path, has.
  static constexpr label_set needed_after(const contraction_path<L>& path, int s, int n,
                                          label_set kept, const path_value<L>* values) {
    label_set needed = kept;
    for (int rest = s; rest < path.count; ++rest) {
      for (const int v : {path.a[rest], path.b[rest]}) {
        if (v < n + s && v != path.a[s] && v != path.b[s]) needed |= values[v].labels;
      }
    }
    return needed;
  }

  /// Plans one product: sums the labels that one factor alone carries (each such sum shrinks the
  /// factor before it multiplies anything), then multiplies in the order of find_path. The last
  /// step adds to `c`.
  constexpr int product(const factor_list& list, const label_list<L.labels>& order, int c,
                        int sign) {
    const int n = list.count;
    const label_set kept = order.set();
    if (n == 1) return append(list.value[0], -1, c, sign, labels_of(list.value[0]), order);

    path_value<L> values[2 * L.operands] = {};
    leaves(list, kept, values);
    int number[2 * L.operands] = {};  // path value -> plan value
    for (int f = 0; f < n; ++f) {
      const int v = list.value[f];
      number[f] = v;
      const bool converts = v < n_ && is_foreign(problem_, problem_.inputs[v]);
      if (converts || values[f].labels != labels_of(v)) {
        number[f] = append(v, -1, -1, 1, labels_of(v), values[f].order);
      }
    }

    const contraction_path<L> path = find_path<L>(values, n, kept, points_, options_, ties_);
    plan_.found = plan_.found && path.found;
    for (int s = 0; s < path.count; ++s) {
      const path_value<L>& x = values[path.a[s]];
      const path_value<L>& y = values[path.b[s]];
      const label_set labels = x.labels | y.labels;
      const label_set needed = needed_after(path, s, n, kept, values);
      const bool last = s + 1 == path.count;
      const auto result = last ? order : product_order<L>(x.order, y.order, labels & needed);
      number[n + s] = append(number[path.a[s]], number[path.b[s]], last ? c : -1, last ? sign : 1,
                             labels, result);
      values[n + s] = {labels & needed, result};
    }
    return number[n + path.count - 1];
  }

  const problem<L>& problem_;
  const path_options& options_;
  path_ties ties_;
  index_space<L> each_, points_;
  int n_;
  contraction_plan<L> plan_{};
  int result_[L.statements] = {};        ///< the value of each statement
  bool continued_[L.most_steps()] = {};  ///< a later step adds to this one's result
  bool shared_[L.most_steps()] = {};     ///< more than one step reads it
};

/// Plans a problem: every statement in turn. Equal sub-contractions (the same operands and labels)
/// are computed once. Throws nothing; complexity by default 3^n for a product of n factors, n <= 9
/// or 10 that are sparsely connected, and n^3 beyond.
/// Without a path (see path_options) the plan is not `found`.
template <limits L>
constexpr contraction_plan<L> make_plan(const problem<L>& p, const path_options& options = {},
                                        path_ties ties = path_ties::outermost) {
  return planning<L>(p, options, ties).run();
}

}  // namespace tenfold
