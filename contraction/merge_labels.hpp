#pragma once

#include <tenfold/contraction/problem.hpp>

/// problem -> the same problem with fewer, longer labels.
namespace tenfold {

namespace merging {

/// Whether `outer` continues `inner` in an operand, or neither is in it.
template <limits L>
constexpr bool continues(const bound_operand<L>& x, int outer, int inner, index extent) {
  if (contains(x.labels, outer) != contains(x.labels, inner)) return false;
  if (!contains(x.labels, outer)) return true;
  index next = 0;
  return x.stride[outer] != dyn && x.stride[inner] != dyn &&
         !__builtin_mul_overflow(x.stride[inner], extent, &next) && x.stride[outer] == next;
}

/// Whether two labels are one to every operand and in every statement.
template <limits L>
constexpr bool are_one(const problem<L>& p, int outer, int inner) {
  index all = 0;
  if (p.extent[outer] == dyn || p.extent[inner] == dyn ||
      __builtin_mul_overflow(p.extent[outer], p.extent[inner], &all))
    return false;
  for (int o = 0; o < p.input_count; ++o) {
    if (!continues(p.inputs[o], outer, inner, p.extent[inner])) return false;
  }
  if (!continues(p.output, outer, inner, p.extent[inner])) return false;
  for (int s = 0; s < p.statement_count; ++s) {
    const label_set kept = p.list[s].order.set();
    if (contains(kept, outer) != contains(kept, inner)) return false;
  }
  return true;
}

/// By label: the operands that have it, one bit each, of inputs and output.
template <limits L>
struct label_holders {
  std::uint64_t of[L.labels] = {};

  constexpr explicit label_holders(const problem<L>& p) {
    for (int o = 0; o <= p.input_count; ++o) {
      label_set labels = o < p.input_count ? p.inputs[o].labels : p.output.labels;
      for (int l = 0; labels != 0; ++l, labels >>= 1) of[l] |= (labels & 1) << o;
    }
  }
};

}  // namespace merging

/// Whether some operands hold two labels, and no other operand holds one of them: as a rule this is
/// not so, and nothing is left to do.
template <limits L>
constexpr bool may_merge_labels(const problem<L>& p) {
  const merging::label_holders<L> holders(p);
  for (int l = 0; l < p.label_count; ++l) {
    for (int k = 0; k < l; ++k) {
      if (holders.of[l] == holders.of[k]) return true;
    }
  }
  return false;
}

/// Merges labels that lie one inside the other, stride(outer) = extent(inner) * stride(inner), in
/// every operand that has either: (outer, inner) becomes `inner` with the product of the extents,
/// and `outside` tells of which labels it consists. Every later choice (lanes, tiles, runs of
/// neighbours) then sees the true lengths: fifteen labels of extent 2 are, for a matrix on two of
/// them, three labels or four.
///
/// For problems without a batch and without renamed labels, whose extents would have to agree with
/// those of other labels.
template <limits L>
constexpr void merge_labels(problem<L>& p) {
  merging::label_holders<L> holders(p);
  for (int outer = 0; outer < p.label_count; ++outer) {
    for (int inner = 0; inner < p.label_count && holders.of[outer] != 0; ++inner) {
      if (inner == outer || holders.of[inner] != holders.of[outer] ||
          !merging::are_one(p, outer, inner))
        continue;
      holders.of[outer] = 0;
      p.extent[inner] *= p.extent[outer];
      p.extent[outer] = 1;
      int end = inner;
      while (p.outside[end] != 0) end = p.outside[end] - 1;
      p.outside[end] = static_cast<std::uint8_t>(outer + 1);
      for (int o = 0; o < p.input_count; ++o) {
        p.inputs[o].order.remove(outer);
        p.inputs[o].labels &= ~bit(outer);
      }
      p.output.order.remove(outer);
      p.output.labels &= ~bit(outer);
      for (int s = 0; s < p.statement_count; ++s) p.list[s].order.remove(outer);
    }
  }
}

/// The labels that `label` stands for, in order, the outermost first: f(each).
template <limits L, class F>
constexpr void for_each_merged(const problem<L>& p, int label, F f) {
  if (p.outside[label] != 0) for_each_merged(p, p.outside[label] - 1, f);
  f(label);
}

/// The labels that those of a set stand for.
template <limits L>
constexpr label_set before_merging(const problem<L>& p, label_set labels) {
  label_set all = 0;
  for (int l = 0; l < p.label_count; ++l) {
    if (contains(labels, l)) for_each_merged(p, l, [&](int each) { all |= bit(each); });
  }
  return all;
}

}  // namespace tenfold
