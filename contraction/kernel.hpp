#pragma once

#include <tenfold/contraction/diagnostic.hpp>
#include <tenfold/contraction/statements.hpp>
#include <tenfold/tensor/entries_apart.hpp>
#include <tenfold/tensor/operand_traits.hpp>

/// A fused kernel as it was written: several statements over one batch label, with local
/// temporaries and operands that have names. Plain data of one size for both times; `unroll` makes
/// statements of it once the shapes of the operands are known.
///
///   g(e,q) = B(q,i) * u(e,i);   v(e,l) = B(q,l) * D(e,q) * g(e,q)
namespace tenfold {

enum class operand_role : unsigned char { input, output, local };

struct kernel_operand {
  operand_role role = operand_role::input;
  label_name name{};         ///< in the text
  bool is_identity = false;  ///< the unit matrix stands for it: no tensor
};

/// An operand with its labels.
struct kernel_access {
  static constexpr int max_rank = 12;

  int operand = -1;
  /// Of a stack, the operand that is slice `at` along the first label; all other slices are
  /// `otherwise`.
  int otherwise = -1, at = 0;
  /// The labels at `pair` and pair + 1 share one axis, which holds a diagonal, or the upper
  /// triangle of a symmetric matrix row by row. -1: none do.
  int pair = -1;
  bool is_diagonal = false;
  label_list<max_rank> labels{};
  int position[max_rank] = {};  ///< of each label in the text

  constexpr bool is_stack() const { return otherwise >= 0; }
  constexpr bool is_triangle() const { return pair >= 0 && !is_diagonal; }
  /// The axes of the operand.
  constexpr int rank() const { return labels.count - is_stack() - (pair >= 0); }
  /// The axis of the label at `place`; -1: that of the stack.
  constexpr int axis(int place) const { return place - is_stack() - (pair >= 0 && place > pair); }
};

/// sign * product of factors [first, first + count).
struct kernel_term {
  int sign = 1, first = 0, count = 0;
};

/// target = or += the sum of terms [first, first + count).
struct kernel_statement {
  kernel_access target{};
  bool adds = false;
  int first = 0, count = 0;
};

struct kernel {
  static constexpr int max_operands = 24, max_factors = 48, max_terms = 32, max_statements = 16,
                       max_labels = 32;

  int operand_count = 0, label_count = 0, factor_count = 0, term_count = 0, statement_count = 0;
  int batch = -1;  ///< label
  kernel_operand operands[max_operands] = {};
  label_name labels[max_labels] = {};
  kernel_access factors[max_factors] = {};
  kernel_term terms[max_terms] = {};
  kernel_statement statements[max_statements] = {};

  /// The operand that is written for the caller; -1: none.
  constexpr int output() const {
    for (int o = 0; o < operand_count; ++o) {
      if (operands[o].role == operand_role::output) return o;
    }
    return -1;
  }
  /// The first of two neighbouring labels that must have one value: elsewhere a unit matrix, or a
  /// slice of a stack that is one, and a diagonal are zero. -1: there are none.
  constexpr int equal_labels(const kernel_access& x) const {
    if (x.is_diagonal) return x.pair;
    const bool is_unit =
        operands[x.operand].is_identity || (x.is_stack() && operands[x.otherwise].is_identity);
    return is_unit ? x.is_stack() : -1;
  }
  /// Whether the output keeps what it held: it is only added to.
  constexpr bool adds_to_output() const {
    for (int s = 0; s < statement_count; ++s) {
      if (operands[statements[s].target.operand].role == operand_role::output) {
        return statements[s].adds;
      }
    }
    return false;
  }
};

namespace kernel_checks {

constexpr diagnostic at_label(const kernel& k, diagnosis code, const kernel_access& x, int place,
                              std::array<index, 4> numbers = {}) {
  return {code, x.position[place], k.labels[x.labels[place]].length, numbers};
}
constexpr diagnostic at_operand(const kernel& k, diagnosis code, int operand) {
  return {code, k.operands[operand].name.begin, k.operands[operand].name.length, {}};
}

/// The name that stands before the labels of an access; one without labels is found by its first
/// place in the text.
constexpr diagnostic at_access(const kernel& k, diagnosis code, const kernel_access& x) {
  diagnostic error = at_operand(k, code, x.operand);
  if (x.labels.count > 0) error.position = x.position[0] - 1 - error.length;
  return error;
}

/// What is wrong with a factor of the statement.
constexpr diagnostic check_factor(const kernel& k, int statement, const kernel_access& x) {
  const kernel_access& target = k.statements[statement].target;
  if (k.operands[x.operand].role == operand_role::output) {
    return at_access(k, diagnosis::output_read, x);
  }
  if (x.labels.find(k.batch) >= 0 && target.labels.find(k.batch) < 0) {
    return at_label(k, diagnosis::batch_summed, x, x.labels.find(k.batch), {statement});
  }
  if (k.operands[x.operand].role != operand_role::local) return {};
  for (int s = 0; s < statement; ++s) {
    const kernel_access& written = k.statements[s].target;
    if (written.operand != x.operand) continue;
    bool fits = written.labels.count == x.labels.count;
    for (int i = 0; fits && i < x.labels.count; ++i) {
      fits = x.labels.find(x.labels[i]) == i &&
             (x.labels[i] == k.batch) == (written.labels[i] == k.batch);
    }
    return fits ? diagnostic{} : at_access(k, diagnosis::local_labels, x);
  }
  return at_access(k, diagnosis::local_unwritten, x);
}

constexpr diagnostic check_statement(const kernel& k, int statement) {
  const kernel_statement& s = k.statements[statement];
  const kernel_access& target = s.target;
  const operand_role role = k.operands[target.operand].role;
  if (role == operand_role::input) return at_access(k, diagnosis::input_assigned, target);
  for (int i = 0; i < target.labels.count; ++i) {
    if (target.labels.find(target.labels[i]) != i) {
      return at_label(k, diagnosis::output_label_repeated, target, i);
    }
  }
  if (role == operand_role::output && target.labels.find(k.batch) < 0) {
    return at_access(k, diagnosis::batch_absent, target);
  }
  bool before = false;
  for (int other = 0; other < statement; ++other) {
    const kernel_access& written = k.statements[other].target;
    if (written.operand != target.operand) continue;
    if (!s.adds) return at_access(k, diagnosis::assigned_twice, target);
    if (!(written.labels == target.labels)) {
      return at_access(k, diagnosis::target_relabelled, target);
    }
    before = true;
  }
  if (s.adds && role == operand_role::local && !before) {
    return at_access(k, diagnosis::local_unwritten, target);
  }
  for (int t = 0; t < s.count; ++t) {
    const kernel_term& term = k.terms[s.first + t];
    label_set brought = 0;
    for (int f = term.first; f < term.first + term.count; ++f) {
      if (const diagnostic wrong = check_factor(k, statement, k.factors[f])) return wrong;
      brought |= k.factors[f].labels.set();
    }
    for (int i = 0; i < target.labels.count; ++i) {
      if (!contains(brought, target.labels[i])) {
        return at_label(k, diagnosis::term_lacks_label, target, i, {t});
      }
    }
  }
  return {};
}

}  // namespace kernel_checks

/// What is wrong with a kernel whatever its operands are.
constexpr diagnostic check(const kernel& k) {
  int outputs = 0;
  for (int o = 0; o < k.operand_count; ++o) {
    if (k.operands[o].role != operand_role::output) continue;
    if (++outputs > 1) return kernel_checks::at_operand(k, diagnosis::second_output, o);
  }
  if (outputs == 0) return {diagnosis::no_output};
  for (int s = 0; s < k.statement_count; ++s) {
    if (const diagnostic wrong = kernel_checks::check_statement(k, s)) return wrong;
  }
  return {};
}

/// The extents of a kernel's labels, as its operands tell them.
struct kernel_extents {
  index of[kernel::max_labels] = {};
  diagnostic error{};
};

namespace kernel_checks {

/// The n >= 1 of n (n + 1) / 2 = entries; -1: there is none.
constexpr index triangle_side(index entries) {
  index n = 1;
  while (n * (n + 1) / 2 < entries) ++n;
  return n * (n + 1) / 2 == entries ? n : -1;
}

}  // namespace kernel_checks

/// f(access, operand) for all that the statements read and write, in the order of the text.
template <class F>
constexpr void for_each_access(const kernel& k, const F& f) {
  for (int s = 0; s < k.statement_count; ++s) {
    const kernel_statement& said = k.statements[s];
    for (int t = said.first; t < said.first + said.count; ++t) {
      for (int i = k.terms[t].first; i < k.terms[t].first + k.terms[t].count; ++i) {
        const kernel_access& x = k.factors[i];
        f(x, x.operand);
        if (x.is_stack()) f(x, x.otherwise);
      }
    }
    f(said.target, said.target.operand);
  }
}

/// Learns the extents of the labels from the shapes of the operands; shape_of(o) is that of operand
/// o, `dyn` where not known; of locals none is asked for. The error is one of rank, extent, scalar
/// or layout.
template <class ShapeOf>
constexpr kernel_extents extents_of(const kernel& k, const ShapeOf& shape_of) {
  kernel_extents out;
  int seen_at[kernel::max_labels] = {};  // position in the text
  for (int l = 0; l < k.label_count; ++l) out.of[l] = dyn;
  const auto merge = [&](const kernel_access& x, int place, index given) {
    const int l = x.labels[place];
    if (given == dyn || out.error) return;
    if (out.of[l] == dyn) {
      out.of[l] = given;
      seen_at[l] = x.position[place];
    } else if (out.of[l] != given) {
      out.error = kernel_checks::at_label(k, diagnosis::kernel_extent, x, place,
                                          {given, out.of[l], seen_at[l]});
    }
  };
  const auto see = [&](const kernel_access& x, int operand) {
    if (k.operands[operand].role == operand_role::local || out.error) return;
    if (k.operands[operand].is_identity) {
      if (x.rank() == 2 && x.pair < 0) return;
      // Where one axis stands for two labels, entries must be there.
      const diagnosis wrong = x.pair < 0 ? diagnosis::kernel_rank : diagnosis::kernel_layout;
      out.error = kernel_checks::at_operand(k, wrong, operand);
      out.error.numbers = {2, x.rank()};
      return;
    }
    const auto& shape = shape_of(operand);
    const scalar result = shape_of(k.output()).type;
    diagnosis wrong = diagnosis::none;
    if (real_of(shape.type) != real_of(result)) wrong = diagnosis::kernel_precision;
    if (is_complex(shape.type) && !is_complex(result)) wrong = diagnosis::kernel_complex;
    const bool gathered = shape.layout == batch_layout::gathered;
    if ((shape.layout != batch_layout::strided && !gathered) || shape.space != device::cpu) {
      wrong = diagnosis::kernel_layout;
    }
    if (wrong != diagnosis::none) {
      out.error = kernel_checks::at_operand(k, wrong, operand);
      return;
    }
    if (shape.rank != x.rank()) {
      out.error = kernel_checks::at_operand(k, diagnosis::kernel_rank, operand);
      out.error.numbers = {shape.rank, x.rank()};
      return;
    }
    // A map is one of the batch.
    if (gathered && (x.labels.count == 0 || x.labels[0] != k.batch)) {
      out.error = kernel_checks::at_operand(k, diagnosis::map_without_batch, operand);
      return;
    }
    for (int i = 0; i < x.labels.count; ++i) {
      const int axis = x.axis(i);
      if (axis < 0) continue;
      index given = shape.extents[static_cast<std::size_t>(axis)];
      if (x.is_triangle() && (i == x.pair || i == x.pair + 1) && given != dyn) {
        const index side = kernel_checks::triangle_side(given);
        if (side < 0) {
          out.error = kernel_checks::at_operand(k, diagnosis::no_triangle, operand);
          out.error.numbers = {given};
          return;
        }
        given = side;
      }
      merge(x, i, given);
    }
  };
  for_each_access(k, see);
  const auto see_equal_labels = [&] {
    for (int f = 0; f < k.factor_count; ++f) {
      const kernel_access& x = k.factors[f];
      const int row = k.equal_labels(x);
      if (row < 0 || out.error) continue;
      merge(x, row + 1, out.of[x.labels[row]]);
      merge(x, row, out.of[x.labels[row + 1]]);
    }
  };
  // A local has one extent along an axis, whatever its label is called.
  const auto see_locals = [&] {
    for (int s = 0; s < k.statement_count; ++s) {
      const kernel_access& written = k.statements[s].target;
      if (k.operands[written.operand].role != operand_role::local) continue;
      for (int f = 0; f < k.factor_count; ++f) {
        const kernel_access& read = k.factors[f];
        if (read.operand != written.operand) continue;
        for (int i = 0; i < read.labels.count; ++i) {
          merge(read, i, out.of[written.labels[i]]);
          merge(written, i, out.of[read.labels[i]]);
        }
      }
    }
  };
  const auto known = [&] {
    int count = 0;
    for (int l = 0; l < k.label_count; ++l) count += out.of[l] != dyn;
    return count;
  };
  // What one says may be news for the other.
  for (int before = -1; before != known() && !out.error;) {
    before = known();
    see_equal_labels();
    see_locals();
  }
  return out;
}

/// What is still to be asked of a call whose operands have types that extents_of() found right:
/// the axes of which only the call tells the extent.
struct open_kernel_axes {
  static constexpr int most = 48;
  struct {
    std::int8_t operand, axis, label;
  } of[most] = {};
  int count = 0;
  /// Whether nothing else is open: the types tell the extents of all labels but the batch, and that
  /// the strides of the output keep its entries apart.
  bool are_all = true;
};

/// `known` is what extents_of() found for the same shapes.
template <class ShapeOf>
constexpr open_kernel_axes open_axes_of(const kernel& k, const ShapeOf& shape_of,
                                        const kernel_extents& known) {
  open_kernel_axes open;
  for (int l = 0; l < k.label_count; ++l)
    open.are_all = open.are_all && (l == k.batch || known.of[l] != dyn);
  if (const int y = k.output(); y >= 0) {
    const auto& shape = shape_of(y);
    open.are_all =
        open.are_all && (shape.layout == batch_layout::gathered ||
                         entries_apart(shape.extents.data(), shape.strides.data(), shape.rank));
  }
  for_each_access(k, [&](const kernel_access& x, int operand) {
    const kernel_operand& o = k.operands[operand];
    if (o.role == operand_role::local || o.is_identity) return;
    for (int i = 0; i < x.labels.count; ++i) {
      const int axis = x.axis(i);
      if (axis < 0 || shape_of(operand).extents[static_cast<std::size_t>(axis)] != dyn) continue;
      const bool in_triangle = x.is_triangle() && (i == x.pair || i == x.pair + 1);
      if (open.count == open_kernel_axes::most || in_triangle) {
        open.are_all = false;
        return;
      }
      open.of[open.count++] = {static_cast<std::int8_t>(operand), static_cast<std::int8_t>(axis),
                               static_cast<std::int8_t>(x.labels[i])};
    }
  });
  return open;
}

}  // namespace tenfold
