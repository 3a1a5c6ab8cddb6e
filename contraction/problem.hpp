#pragma once

#include <tenfold/contraction/statements.hpp>
#include <tenfold/tensor/device.hpp>
#include <tenfold/tensor/layout.hpp>
#include <tenfold/tensor/scalar.hpp>

/// Statements together with what is known of their operands; no pointers.
namespace tenfold {

/// One operand seen through its labels: a diagonal has become one label with the summed stride. A
/// label along which the operand's one entry is repeated is not among them.
template <limits L>
struct bound_operand {
  label_list<L.labels> order{};  ///< distinct labels, by first occurrence
  label_set labels = 0;          ///< the same as a set
  index stride[L.labels] = {};   ///< by label, in scalars; `dyn` where only the call will tell
  batch_layout layout = batch_layout::strided;
  index offset = 0;           ///< of entry (0, 0, ...), in scalars; `dyn` where the call will tell
  scalar type = scalar::f64;  ///< what lies in memory
  bool conjugated = false;    ///< of a complex operand: read as its conjugate
  reflection symmetry = reflection::none;  ///< of a matrix with two labels

  friend constexpr bool operator==(const bound_operand&, const bound_operand&) = default;
};

/// What a statement reads: an input, or the result of an earlier statement (from input_count on).
struct bound_factor {
  int source = 0;
  int sign = 1;  ///< 1 or -1; -1 only in a sum

  friend constexpr bool operator==(const bound_factor&, const bound_factor&) = default;
};

/// One step of single assignment. In a sum, a factor that lacks a label of `order` is repeated
/// along it.
template <limits L>
struct bound_statement {
  statement_kind kind = statement_kind::contract;
  int factor_count = 0;
  bound_factor factors[L.operands] = {};
  label_list<L.labels> order{};  ///< distinct labels of the result

  friend constexpr bool operator==(const bound_statement&, const bound_statement&) = default;
};

template <limits L>
struct problem {
  scalar type = scalar::f64;  ///< in which everything is computed
  int input_count = 0;
  int label_count = 0;
  index extent[L.labels] = {};  ///< by label; `dyn` where only the call will tell
  bound_operand<L> inputs[L.operands] = {};
  bound_operand<L> output{};  ///< the result of the last statement
  /// By input: the first one that is the same operand under the same labels, as a rule itself.
  std::uint8_t twin[L.operands] = {};
  /// By input: the first one with the same entries, axis by axis, under whatever labels.
  std::uint8_t same[L.operands] = {};
  /// By label: 1 + the label that it has taken in (merge_labels.hpp), whose values lie one extent
  /// of its own apart; 0: none.
  std::uint8_t outside[L.labels] = {};
  int statement_count = 1;
  bound_statement<L> list[L.statements] = {};
  /// Labels along which the call may yet find an input that is to be repeated, its extent, unknown
  /// here, being 1: what is planned from this problem takes it for as long as the others.
  label_set may_stretch = 0;
  /// Of a fused kernel: nothing is computed for more of this label's values at a time than fit in
  /// one tile. -1: none.
  int batch = -1;

  friend constexpr bool operator==(const problem&, const problem&) = default;
};

/// Whether an operand must be converted before anything is computed with it.
template <limits L>
constexpr bool is_foreign(const problem<L>& p, const bound_operand<L>& x) {
  return x.type != p.type || x.conjugated;
}

/// Notes which inputs are an earlier one under the same labels: those that are bound alike and of
/// whose entries same(later, earlier) says so.
template <limits L, class Same>
constexpr void mark_twins(problem<L>& p, Same same) {
  for (int o = 1; o < p.input_count; ++o) {
    for (int before = 0; before < o && p.twin[o] == o; ++before) {
      if (p.inputs[o] == p.inputs[before] && same(o, before)) {
        p.twin[o] = static_cast<std::uint8_t>(before);
      }
    }
  }
}

/// Whether any label has this extent.
template <limits L>
constexpr bool some_extent_is(const problem<L>& p, index extent) {
  for (int l = 0; l < p.label_count; ++l) {
    if (p.extent[l] == extent) return true;
  }
  return false;
}

/// Whether a value (an input, or behind them the result of a statement) is known to have no entries
/// or to be a sum of nothing. A sum of terms is where all its terms are.
template <limits L>
constexpr bool is_empty(const problem<L>& p, int value) {
  bool empty[L.operands + L.statements] = {};
  for (int v = 0; v < p.input_count; ++v) {
    for (int l = 0; l < p.label_count; ++l)
      empty[v] = empty[v] || (contains(p.inputs[v].labels, l) && p.extent[l] == 0);
  }
  for (int v = p.input_count; v <= value; ++v) {
    const bound_statement<L>& s = p.list[v - p.input_count];
    const bool sum = s.kind == statement_kind::sum;
    empty[v] = sum;
    for (int f = 0; f < s.factor_count && empty[v] == sum; ++f)
      empty[v] = empty[s.factors[f].source];
    for (int i = 0; i < s.order.count; ++i) empty[v] = empty[v] || p.extent[s.order[i]] == 0;
  }
  return empty[value];
}

/// The same of the result.
template <limits L>
constexpr bool is_empty(const problem<L>& p) {
  return is_empty(p, p.input_count + p.statement_count - 1);
}

/// Extent standing in for one that is not known while planning: a batch, hence large.
inline constexpr index nominal_extent = 1024;

constexpr index nominal(index extent) { return extent == dyn ? nominal_extent : extent; }

}  // namespace tenfold
