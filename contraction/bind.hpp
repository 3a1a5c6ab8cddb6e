#pragma once

#include <tenfold/contraction/diagnostic.hpp>
#include <tenfold/contraction/problem.hpp>
#include <tenfold/tensor/entries_apart.hpp>
#include <tenfold/tensor/operand_traits.hpp>

/// Statements + operands -> problem: extents and strides by label, the scalar to compute in,
/// everything checked.
namespace tenfold {

template <limits L>
struct bind_result {
  problem<L> value{};
  diagnostic error{};
};

/// What the options of a call ask of binding.
struct bind_options {
  /// numpy_semantics: an operand of one entry along any label is repeated as often as others ask.
  bool numpy_semantics = false;
  /// accumulate<T>: operands of both precisions may meet, and all is computed in that of T.
  bool accumulates = false;
  scalar accumulate = scalar::f64;  ///< T: f32 or f64

  friend constexpr bool operator==(const bind_options&, const bind_options&) = default;
};

namespace binding {

/// Merges two extents of one label: equal, or one of them not known yet.
constexpr bool merge(index& known, index given) {
  if (known == dyn) known = given;
  return given == dyn || known == given;
}

/// Sees `shape` through those of `labels` that are not in `absent`: sums the strides of a label
/// that stands twice; along `repeated` labels the stride is 0.
template <limits L, int R>
constexpr void see(bound_operand<L>& out, const label_list<L.rank>& labels,
                   const operand_shape<R>& shape, label_set absent = 0, label_set repeated = 0) {
  out.layout = shape.layout;
  out.type = shape.type;
  // Along both axes, each with a label of its own.
  if (labels.count == 2 && labels[0] != labels[1] && absent == 0) out.symmetry = shape.symmetry;
  for (int i = 0; i < labels.count; ++i) {
    const int id = labels[i];
    if (contains(absent, id)) continue;
    const index stride = contains(repeated, id) ? 0 : shape.strides[static_cast<std::size_t>(i)];
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

/// The scalar of the precision of `real` that is complex if asked for.
constexpr scalar with_precision(scalar real, bool complex) {
  if (real == scalar::f32) return complex ? scalar::c32 : scalar::f32;
  return complex ? scalar::c64 : scalar::f64;
}

/// Whether the entries of an output are apart, as far as its extents and strides are known.
template <int R>
constexpr bool keeps_apart(const operand_shape<R>& y) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(y.rank); ++i) {
    if (y.extents[i] == dyn || y.strides[i] == dyn) return true;
  }
  return entries_apart(y.extents.data(), y.strides.data(), y.rank);
}

}  // namespace binding

/// Binds statements without an ellipsis to the shapes of `count` operands and, if `output` is not
/// null, to a given output; else the output is a new row-major tensor of the type computed in.
/// Extents and strides may be `dyn`: what can be checked is checked, the rest when they are known.
///
/// Type: complex if any operand or the output is; the precision of the operands, which must be one,
/// or that of `accumulate`, which must not be narrower. The output has this type, or with
/// `accumulate` a narrower one.
///
/// Stretching: along a stretchable label an operand of extent 1 meets any extent, and is bound as
/// if it had no such label. (Thus a sum over the label is taken of the others alone, which costs
/// less than a stride of 0.) Only where no factor of a statement is left to bring a label of its
/// result does one keep it, with stride 0. Every term of a sum is stretched by itself: a label that
/// it sums has the extent 1 in it if it has so in all its factors.
///
/// Positions in diagnostics are those of `names`.
template <limits L, int R>
constexpr bind_result<L> bind(const statements<L>& all, const label_names<L>& names,
                              const operand_shape<R>* shapes, int count,
                              const operand_shape<R>* output = nullptr,
                              const bind_options& options = {}) {
  bind_result<L> result;
  problem<L>& p = result.value;
  const auto fail = [&](diagnosis code, int label, int slot, int place,
                        std::array<index, 4> numbers) {
    result.error.code = code;
    if (label >= 0) {
      result.error.position = names.position[slot][place];
      result.error.length = names.name[label].length;
    }
    result.error.numbers = numbers;
    return result;
  };

  if (all.input_count != count) {
    return fail(diagnosis::operand_count, -1, 0, 0, {all.input_count, count});
  }
  for (int o = 0; o < count; ++o) p.same[o] = static_cast<std::uint8_t>(o);
  p.input_count = count;
  p.label_count = all.label_count;
  p.statement_count = all.count;
  int first_operand[L.labels] = {};
  for (int id = 0; id < p.label_count; ++id) {
    p.extent[id] = dyn;
    first_operand[id] = -1;
  }

  const scalar precision = real_of(options.accumulates ? options.accumulate : shapes[0].type);
  const label_set stretchable = options.numpy_semantics ? ~label_set{0} : all.stretchable;
  int complex_operand = -1;
  label_set single[L.operands] = {};  // of each input, the stretchable labels along which it is 1
  label_set ones = 0, open = 0, shared = 0, met = 0;

  for (int k = 0; k < all.count; ++k) {
    const statement<L>& s = all.list[k];
    for (int f = 0; f < s.factor_count; ++f) {
      const int o = s.factors[f].source;
      if (o >= count) continue;
      const label_list<L.rank>& labels = s.factors[f].labels;
      const operand_shape<R>& shape = shapes[o];
      if (shape.rank != labels.count) {
        return fail(diagnosis::operand_rank, -1, 0, 0, {o, shape.rank, labels.count});
      }
      if (is_complex(shape.type) && complex_operand < 0) complex_operand = o;
      if (real_of(shape.type) != precision) {
        if (!options.accumulates) return fail(diagnosis::mixed_scalars, -1, 0, 0, {o});
        if (precision == scalar::f32) return fail(diagnosis::accumulate_narrower, -1, 0, 0, {o});
      }
      if (shape.layout != batch_layout::strided || shape.space != device::cpu) {
        return fail(diagnosis::unsupported_layout, -1, 0, 0, {o});
      }
      for (int i = 0; i < labels.count; ++i) {
        const int id = labels[i];
        const index given = shape.extents[static_cast<std::size_t>(i)];
        if (contains(stretchable, id)) {
          // Within one operand nothing is stretched: the axes of a diagonal have one extent.
          index own = given;
          for (int j = 0; j < labels.count; ++j) {
            const index other = shape.extents[static_cast<std::size_t>(j)];
            if (labels[j] == id && !binding::merge(own, other)) {
              return fail(diagnosis::extent_mismatch, id, o, j, {other, o, own, o});
            }
          }
          if (labels.find(id) == i) {
            if (own == 1) single[o] |= bit(id);
            if (own == dyn) open |= bit(id);
            shared |= met & bit(id);
            met |= bit(id);
          }
          if (own == 1) continue;
        }
        const index before = p.extent[id];
        if (!binding::merge(p.extent[id], given)) {
          return fail(diagnosis::extent_mismatch, id, o, i, {given, o, before, first_operand[id]});
        }
        if (before == dyn && given != dyn) first_operand[id] = o;
      }
      ones |= single[o];
    }
  }
  p.may_stretch = open & shared;
  for (int id = 0; id < p.label_count && ones != 0; ++id) {
    if (contains(ones & ~open, id) && p.extent[id] == dyn) p.extent[id] = 1;
  }
  p.type = binding::with_precision(
      precision, complex_operand >= 0 || (output != nullptr && is_complex(output->type)));

  // The labels along which an input is repeated.
  const auto stretched = [&](int input) {
    label_set labels = single[input];
    for (int id = 0; id < p.label_count && labels != 0; ++id) {
      if (p.extent[id] == 1) labels &= ~bit(id);
    }
    return labels;
  };
  for (int k = 0; k < all.count; ++k) {
    const statement<L>& s = all.list[k];
    bound_statement<L>& bound = p.list[k];
    bound.kind = s.kind;
    bound.factor_count = s.factor_count;
    for (int i = 0; i < s.result.count; ++i) bound.order.push(s.result[i]);
    label_set alone = ones == 0 ? 0 : s.result.set();  // labels that no factor brings
    for (int f = 0; f < s.factor_count && alone != 0; ++f) {
      const int o = s.factors[f].source;
      alone &= ~(s.factors[f].labels.set() & ~(o < count ? stretched(o) : 0));
    }
    for (int f = 0; f < s.factor_count; ++f) {
      const term<L>& factor = s.factors[f];
      const int o = factor.source;
      bound.factors[f] = {o, factor.sign};
      if (o >= count) continue;
      if (p.inputs[o].labels != 0) continue;  // read before, under the same labels
      p.twin[o] = static_cast<std::uint8_t>(o);
      const label_set absent = stretched(o), kept = absent & alone;
      alone &= ~kept;
      binding::see<L>(p.inputs[o], factor.labels, shapes[o], absent & ~kept, kept);
      p.inputs[o].conjugated =
          is_complex(shapes[o].type) && shapes[o].conjugated != factor.conjugated;
    }
  }

  const label_list<L.rank>& labels = all.list[all.count - 1].result;
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
  if (output->layout != batch_layout::strided || output->space != device::cpu) {
    return fail(diagnosis::unsupported_output, -1, 0, 0, {});
  }
  if (complex_operand >= 0 && !is_complex(output->type)) {
    return fail(diagnosis::complex_into_real, -1, 0, 0, {complex_operand});
  }
  // A narrower output than what is computed in is what accumulate is for; a wider one never is.
  if (real_of(output->type) != precision && (!options.accumulates || precision == scalar::f32)) {
    return fail(diagnosis::output_scalar, -1, 0, 0, {});
  }
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
  if (!binding::keeps_apart(*output)) return fail(diagnosis::output_coincides, -1, 0, 0, {});
  binding::see<L>(p.output, labels, *output);
  return result;
}

}  // namespace tenfold
