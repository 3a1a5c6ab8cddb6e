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

/// Binds the operands one after another, then the output; see bind.
template <limits L, int R>
class binding_of {
 public:
  constexpr binding_of(bind_result<L>& result, const statements<L>& all,
                       const label_names<L>& names, const operand_shape<R>* shapes,
                       const operand_shape<R>* output, const bind_options& options)
      : problem_(result.value),
        error_(result.error),
        all_(all),
        names_(names),
        shapes_(shapes),
        output_(output),
        options_(options),
        precision_(real_of(options.accumulates ? options.accumulate : shapes[0].type)),
        stretchable_(options.numpy_semantics ? ~label_set{0} : all.stretchable) {
    problem_.input_count = all.input_count;
    problem_.label_count = all.label_count;
    problem_.statement_count = all.count;
    for (int o = 0; o < all.input_count; ++o) problem_.same[o] = static_cast<std::uint8_t>(o);
    for (int id = 0; id < all.label_count; ++id) {
      problem_.extent[id] = dyn;
      first_operand_[id] = -1;
    }
  }

  constexpr void run() {
    if (!read_operands()) return;
    problem_.type = binding::with_precision(
        precision_, complex_operand_ >= 0 || (output_ != nullptr && is_complex(output_->type)));
    for (int k = 0; k < all_.count; ++k) see_factors(all_.list[k], problem_.list[k]);
    if (output_ == nullptr) {
      make_output();
    } else if (check_output()) {
      binding::see<L>(problem_.output, result_labels(), *output_);
    }
  }

 private:
  /// Says what is wrong, at a label's place in a slot, or of the whole (label -1).
  constexpr bool fail(diagnosis code, int label, int slot, int place,
                      std::array<index, 4> numbers) {
    error_.code = code;
    if (label >= 0) {
      error_.position = names_.position[slot][place];
      error_.length = names_.name[label].length;
    }
    error_.numbers = numbers;
    return false;
  }
  constexpr bool fail(diagnosis code, std::array<index, 4> numbers) {
    return fail(code, -1, 0, 0, numbers);
  }

  constexpr const label_list<L.rank>& result_labels() const {
    return all_.list[all_.count - 1].result;
  }

  constexpr bool read_operands() {
    for (int k = 0; k < all_.count; ++k) {
      const statement<L>& s = all_.list[k];
      for (int f = 0; f < s.factor_count; ++f) {
        const int o = s.factors[f].source;
        if (o >= problem_.input_count) continue;
        if (!check_operand(o, s.factors[f].labels) || !read_extents(o, s.factors[f].labels))
          return false;
      }
    }
    problem_.may_stretch = open_ & shared_;
    for (int id = 0; id < problem_.label_count && ones_ != 0; ++id) {
      if (contains(ones_ & ~open_, id) && problem_.extent[id] == dyn) problem_.extent[id] = 1;
    }
    return true;
  }

  constexpr bool check_operand(int o, const label_list<L.rank>& labels) {
    const operand_shape<R>& shape = shapes_[o];
    if (shape.rank != labels.count) {
      return fail(diagnosis::operand_rank, {o, shape.rank, labels.count});
    }
    if (is_complex(shape.type) && complex_operand_ < 0) complex_operand_ = o;
    if (real_of(shape.type) != precision_) {
      if (!options_.accumulates) return fail(diagnosis::mixed_scalars, {o});
      if (precision_ == scalar::f32) return fail(diagnosis::accumulate_narrower, {o});
    }
    if (shape.layout != batch_layout::strided || shape.space != device::cpu) {
      return fail(diagnosis::unsupported_layout, {o});
    }
    return true;
  }

  constexpr bool read_extents(int o, const label_list<L.rank>& labels) {
    const auto& extents = shapes_[o].extents;
    for (int i = 0; i < labels.count; ++i) {
      const int id = labels[i];
      const index given = extents[static_cast<std::size_t>(i)];
      if (contains(stretchable_, id)) {
        // Within one operand nothing is stretched: the axes of a diagonal have one extent.
        index own = given;
        for (int j = 0; j < labels.count; ++j) {
          const index other = extents[static_cast<std::size_t>(j)];
          if (labels[j] == id && !binding::merge(own, other)) {
            return fail(diagnosis::extent_mismatch, id, o, j, {other, o, own, o});
          }
        }
        if (labels.find(id) == i) {
          if (own == 1) single_[o] |= bit(id);
          if (own == dyn) open_ |= bit(id);
          shared_ |= met_ & bit(id);
          met_ |= bit(id);
        }
        if (own == 1) continue;
      }
      const index before = problem_.extent[id];
      if (!binding::merge(problem_.extent[id], given)) {
        return fail(diagnosis::extent_mismatch, id, o, i, {given, o, before, first_operand_[id]});
      }
      if (before == dyn && given != dyn) first_operand_[id] = o;
    }
    ones_ |= single_[o];
    return true;
  }

  /// The labels along which an input is repeated.
  constexpr label_set stretched(int input) const {
    label_set labels = single_[input];
    for (int id = 0; id < problem_.label_count && labels != 0; ++id) {
      if (problem_.extent[id] == 1) labels &= ~bit(id);
    }
    return labels;
  }

  constexpr void see_factors(const statement<L>& s, bound_statement<L>& bound) {
    const int count = problem_.input_count;
    bound.kind = s.kind;
    bound.factor_count = s.factor_count;
    for (int i = 0; i < s.result.count; ++i) bound.order.push(s.result[i]);
    label_set alone = ones_ == 0 ? 0 : s.result.set();  // labels that no factor brings
    for (int f = 0; f < s.factor_count && alone != 0; ++f) {
      const int o = s.factors[f].source;
      alone &= ~(s.factors[f].labels.set() & ~(o < count ? stretched(o) : 0));
    }
    for (int f = 0; f < s.factor_count; ++f) {
      const term<L>& factor = s.factors[f];
      const int o = factor.source;
      bound.factors[f] = {o, factor.sign};
      if (o >= count) continue;
      bound_operand<L>& input = problem_.inputs[o];
      if (input.labels != 0) continue;  // read before, under the same labels
      problem_.twin[o] = static_cast<std::uint8_t>(o);
      const label_set absent = stretched(o), kept = absent & alone;
      alone &= ~kept;
      binding::see<L>(input, factor.labels, shapes_[o], absent & ~kept, kept);
      input.conjugated = is_complex(shapes_[o].type) && shapes_[o].conjugated != factor.conjugated;
    }
  }

  constexpr void make_output() {
    const label_list<L.rank>& labels = result_labels();
    operand_shape<R> dense{};
    dense.type = problem_.type;
    dense.rank = labels.count;
    index stride = 1;
    for (int i = labels.count - 1; i >= 0; --i) {
      const auto at = static_cast<std::size_t>(i);
      dense.extents[at] = problem_.extent[labels[i]];
      dense.strides[at] = stride;
      // As in the layouts: an extent of 0 counts as 1. What overflows is for the tensor to refuse.
      const index step = dense.extents[at] == 0 ? 1 : dense.extents[at];
      if (stride == dyn || step == dyn || __builtin_mul_overflow(stride, step, &stride)) {
        stride = dyn;
      }
    }
    binding::see<L>(problem_.output, labels, dense);
  }

  constexpr bool check_output() {
    const operand_shape<R>& y = *output_;
    const label_list<L.rank>& labels = result_labels();
    if (y.rank != labels.count) return fail(diagnosis::output_rank, {y.rank, labels.count});
    if (y.layout != batch_layout::strided || y.space != device::cpu) {
      return fail(diagnosis::unsupported_output, {});
    }
    if (complex_operand_ >= 0 && !is_complex(y.type)) {
      return fail(diagnosis::complex_into_real, {complex_operand_});
    }
    // A narrower output than what is computed in is what accumulate is for; a wider one never is.
    if (real_of(y.type) != precision_ && (!options_.accumulates || precision_ == scalar::f32)) {
      return fail(diagnosis::output_scalar, {});
    }
    for (int i = 0; i < labels.count; ++i) {
      const int id = labels[i];
      const auto at = static_cast<std::size_t>(i);
      const index before = problem_.extent[id];
      if (!binding::merge(problem_.extent[id], y.extents[at])) {
        return fail(diagnosis::output_extent, id, L.operands, i, {y.extents[at], before});
      }
      if (y.strides[at] == 0 && y.extents[at] != dyn && y.extents[at] > 1) {
        return fail(diagnosis::zero_stride_output, id, L.operands, i, {});
      }
    }
    return binding::keeps_apart(y) || fail(diagnosis::output_coincides, {});
  }

  problem<L>& problem_;
  diagnostic& error_;
  const statements<L>& all_;
  const label_names<L>& names_;
  const operand_shape<R>* shapes_;
  const operand_shape<R>* output_;  ///< may be null
  const bind_options& options_;
  scalar precision_;
  label_set stretchable_;
  int complex_operand_ = -1;           ///< the first; -1: none
  int first_operand_[L.labels] = {};   ///< by label: the first to tell its extent; -1: none
  label_set single_[L.operands] = {};  ///< by input: stretchable labels along which it is 1
  /// Stretchable labels: along which some input is 1, or may be; of several inputs, and of any.
  label_set ones_ = 0, open_ = 0, shared_ = 0, met_ = 0;
};

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
  if (all.input_count == count) {
    binding_of<L, R>(result, all, names, shapes, output, options).run();
  } else {
    result.error.code = diagnosis::operand_count;
    result.error.numbers = {all.input_count, count};
  }
  return result;
}

}  // namespace tenfold
