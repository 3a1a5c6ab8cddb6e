#pragma once

#include <tenfold/contraction/diagnostic.hpp>
#include <tenfold/contraction/problem.hpp>
#include <tenfold/tensor/operand_traits.hpp>

/// Statements + operands -> problem: extents and strides by label, everything checked.
namespace tenfold {

template <limits L>
struct bind_result {
  problem<L> value{};
  diagnostic error{};
};

namespace binding {

/// Merges two extents of one label: equal, or one of them not known yet.
constexpr bool merge(index& known, index given) {
  if (known == dyn) known = given;
  return given == dyn || known == given;
}

/// Sees `shape` through `labels`: sums the strides of a repeated label.
template <limits L, int R>
constexpr void see(bound_operand<L>& out, const label_list<L.rank>& labels,
                   const operand_shape<R>& shape) {
  out.layout = shape.layout;
  out.type = shape.type;
  for (int i = 0; i < labels.count; ++i) {
    const int id = labels[i];
    const index stride = shape.strides[static_cast<std::size_t>(i)];
    if (contains(out.labels, id)) {
      index& sum = out.stride[id];
      sum = sum == dyn || stride == dyn ? dyn : sum + stride;
    } else {
      out.labels |= bit(id);
      out.order.push(id);
      out.stride[id] = stride;
    }
  }
}

}  // namespace binding

/// Binds statements to the shapes of `count` operands and, if `output` is not null, to a given
/// output; else the output is a new row-major tensor. Extents and strides may be `dyn`: what can be
/// checked is checked, the rest when they are known.
/// Positions in diagnostics are those of `names`.
template <limits L, int R>
constexpr bind_result<L> bind(const statements<L>& all, const label_names<L>& names,
                              const operand_shape<R>* shapes, int count,
                              const operand_shape<R>* output = nullptr) {
  bind_result<L> result;
  problem<L>& p = result.value;
  const statement<L>& s = all.list[0];
  const auto fail = [&](diagnosis code, int label, int factor, int place,
                        std::array<index, 4> numbers) {
    result.error.code = code;
    if (label >= 0) {
      result.error.position = names.position[factor][place];
      result.error.length = names.name[label].length;
    }
    result.error.numbers = numbers;
    return result;
  };

  if (all.input_count != count) {
    return fail(diagnosis::operand_count, -1, 0, 0, {all.input_count, count});
  }
  p.statement_count = 1;
  p.list[0].kind = s.kind;
  p.list[0].count = s.factor_count;
  p.list[0].result = s.result;
  for (int o = 0; o < count; ++o) {
    p.list[0].source[o] = static_cast<std::uint8_t>(s.factors[o].source);
    p.twin[o] = static_cast<std::uint8_t>(o);
  }
  p.type = shapes[0].type;
  p.space = shapes[0].space;
  p.input_count = count;
  p.label_count = all.label_count;
  int first_operand[L.labels] = {};
  for (int id = 0; id < p.label_count; ++id) {
    p.extent[id] = dyn;
    first_operand[id] = -1;
  }

  for (int o = 0; o < count; ++o) {
    const label_list<L.rank>& labels = s.factors[o].labels;
    const operand_shape<R>& shape = shapes[o];
    if (shape.rank != labels.count) {
      return fail(diagnosis::operand_rank, -1, 0, 0, {o, shape.rank, labels.count});
    }
    if (shape.type != p.type) return fail(diagnosis::mixed_scalars, -1, 0, 0, {o});
    if (shape.type != scalar::f32 && shape.type != scalar::f64) {
      return fail(diagnosis::unsupported_scalar, -1, 0, 0, {o});
    }
    if (shape.layout != batch_layout::strided || shape.space != device::cpu) {
      return fail(diagnosis::unsupported_layout, -1, 0, 0, {o});
    }
    for (int i = 0; i < labels.count; ++i) {
      const int id = labels[i];
      const index given = shape.extents[static_cast<std::size_t>(i)];
      const index before = p.extent[id];
      if (!binding::merge(p.extent[id], given)) {
        return fail(diagnosis::extent_mismatch, id, o, i, {given, o, before, first_operand[id]});
      }
      if (before == dyn && given != dyn) first_operand[id] = o;
    }
    binding::see<L>(p.inputs[o], labels, shape);
    p.inputs[o].conjugated = s.factors[o].conjugated;
  }

  const label_list<L.rank>& labels = s.result;
  if (output == nullptr) {
    operand_shape<R> dense{};
    dense.type = p.type;
    dense.rank = labels.count;
    index stride = 1;
    for (int i = labels.count - 1; i >= 0; --i) {
      const auto at = static_cast<std::size_t>(i);
      dense.extents[at] = p.extent[labels[i]];
      dense.strides[at] = stride;
      // As in the layouts: an extent of 0 counts as 1. What overflows is for the tensor to refuse.
      const index step = dense.extents[at] == 0 ? 1 : dense.extents[at];
      if (stride == dyn || step == dyn || __builtin_mul_overflow(stride, step, &stride)) {
        stride = dyn;
      }
    }
    binding::see<L>(p.output, labels, dense);
    return result;
  }
  if (output->rank != labels.count) {
    return fail(diagnosis::output_rank, -1, 0, 0, {output->rank, labels.count});
  }
  if (output->type != p.type) return fail(diagnosis::mixed_scalars, -1, 0, 0, {0});
  for (int i = 0; i < labels.count; ++i) {
    const int id = labels[i];
    const auto at = static_cast<std::size_t>(i);
    const index before = p.extent[id];
    if (!binding::merge(p.extent[id], output->extents[at])) {
      return fail(diagnosis::output_extent, id, L.operands, i, {output->extents[at], before});
    }
    if (output->strides[at] == 0 && output->extents[at] != dyn && output->extents[at] > 1) {
      return fail(diagnosis::zero_stride_output, id, L.operands, i, {});
    }
  }
  binding::see<L>(p.output, labels, *output);
  return result;
}

}  // namespace tenfold
