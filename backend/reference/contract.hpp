#pragma once

#include <array>
#include <complex>
#include <tenfold/tensor/operand_traits.hpp>

/// The reference backend: short loops, obviously right. Every other backend is compared with it.
namespace tenfold::reference {

/// A contraction as one loop nest: loop l runs over extent[l]; operand o moves by stride[o][l].
///   y := alpha sum_(summed loops) prod_o conj?(x_o) + beta y
/// for every value of the first `kept` loops.
template <int MaxLoops, int MaxOperands>
struct loop_nest {
  int loops = 0;
  int kept = 0;  ///< loops of the output; the others are summed
  int operands = 0;
  std::array<index, MaxLoops> extent{};
  std::array<std::array<index, MaxLoops>, MaxOperands> stride{};
  std::array<index, MaxLoops> output_stride{};
  std::array<scalar, MaxOperands> type{};  ///< read where operands come as void
  std::array<bool, MaxOperands> conjugated{};
};

/// Calls f with the values of `count` nested loops, the last running fastest.
template <class F>
void for_each_point(const index* extent, int count, F f) {
  for (int l = 0; l < count; ++l) {
    if (extent[l] <= 0) return;
  }
  std::array<index, 64> at{};
  while (true) {
    f(at.data());
    int l = count - 1;
    for (; l >= 0 && ++at[static_cast<std::size_t>(l)] == extent[l]; --l) {
      at[static_cast<std::size_t>(l)] = 0;
    }
    if (l < 0) return;
  }
}

/// x as a Wide, which is complex if X is.
template <class Wide, class X>
Wide as_wide(const X& x, bool conjugated) {
  if constexpr (requires { x.imag(); }) {
    return Wide(static_cast<typename Wide::value_type>(x.real()),
                static_cast<typename Wide::value_type>(conjugated ? -x.imag() : x.imag()));
  } else {
    return static_cast<Wide>(x);
  }
}

/// Entry number `at` of an operand of any scalar. A Wide that is real has no complex operands.
template <class Wide>
Wide entry_at(const void* x, index at, scalar type, bool conjugated) {
  if constexpr (requires(Wide w) { w.imag(); }) {
    if (type == scalar::c32)
      return as_wide<Wide>(static_cast<const std::complex<float>*>(x)[at], conjugated);
    if (type == scalar::c64)
      return as_wide<Wide>(static_cast<const std::complex<double>*>(x)[at], conjugated);
  }
  if (type == scalar::f32) return as_wide<Wide>(static_cast<const float*>(x)[at], false);
  return as_wide<Wide>(static_cast<const double*>(x)[at], false);
}

/// Runs a loop nest, accumulating in `Wide`; `entry(o, at)` is entry number `at` of operand o as a
/// Wide. beta == 0 does not read y.
template <class Wide, class Entry, class T, int L, int O>
void contract_entries(const loop_nest<L, O>& nest, Entry entry, T* y, Wide alpha, Wide beta) {
  for_each_point(nest.extent.data(), nest.kept, [&](const index* outer) {
    Wide sum = 0;
    const index* inner_extent = nest.extent.data() + nest.kept;
    for_each_point(inner_extent, nest.loops - nest.kept, [&](const index* inner) {
      Wide product = 1;
      for (int o = 0; o < nest.operands; ++o) {
        const auto& stride = nest.stride[static_cast<std::size_t>(o)];
        index at = 0;
        for (int l = 0; l < nest.loops; ++l) {
          at += stride[static_cast<std::size_t>(l)] *
                (l < nest.kept ? outer[l] : inner[l - nest.kept]);
        }
        product *= entry(o, at);
      }
      sum += product;
    });
    index at = 0;
    for (int l = 0; l < nest.kept; ++l) {
      at += nest.output_stride[static_cast<std::size_t>(l)] * outer[l];
    }
    y[at] = static_cast<T>(beta == Wide(0) ? alpha * sum
                                           : alpha * sum + beta * static_cast<Wide>(y[at]));
  });
}

/// Runs a loop nest over operands of any scalars, as nest.type says.
template <class Wide, class T, int L, int O>
void contract(const loop_nest<L, O>& nest, const void* const* x, T* y, Wide alpha, Wide beta) {
  contract_entries(
      nest,
      [&](int o, index at) {
        const auto i = static_cast<std::size_t>(o);
        return entry_at<Wide>(x[o], at, nest.type[i], nest.conjugated[i]);
      },
      y, alpha, beta);
}

/// Runs a loop nest over operands of one type.
template <class Wide, class X, class T, int L, int O>
void contract(const loop_nest<L, O>& nest, const X* const* x, T* y, Wide alpha, Wide beta) {
  contract_entries(
      nest,
      [&](int o, index at) {
        return as_wide<Wide>(x[o][at], nest.conjugated[static_cast<std::size_t>(o)]);
      },
      y, alpha, beta);
}

/// y := beta y for a tensor of any strides; beta == 0 does not read y.
template <class T, int R>
void scale(const operand_shape<R>& shape, T* y, T beta) {
  for_each_point(shape.extents.data(), shape.rank, [&](const index* i) {
    index at = 0;
    for (int d = 0; d < shape.rank; ++d) at += shape.strides[static_cast<std::size_t>(d)] * i[d];
    y[at] = beta == T(0) ? T(0) : beta * y[at];
  });
}

}  // namespace tenfold::reference
