#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <tenfold/backend/interface/gemm.hpp>
#include <unordered_map>
#include <vector>

/// The reference of the batched matrix product: entry by entry, whatever the layout.
namespace tenfold::reference {

/// The real and the imaginary part of one entry in memory; `re` is nullptr where a map has -1, `im`
/// where the entry is real.
template <class R>
struct entry_place {
  R* re = nullptr;
  R* im = nullptr;
};

/// Where entry (i, j) of problem b lies, as matrix_batch says.
template <class T>
entry_place<real_type<T>> place_of(const matrix_batch& x, const batch_place& p, index b, index i,
                                   index j) {
  using R = real_type<T>;
  constexpr index reals = is_complex(scalar_of<T>) ? 2 : 1;
  const index at = i * x.row + j * x.column;
  auto* const data = static_cast<R*>(const_cast<void*>(p.data));
  R* re = nullptr;
  switch (x.layout) {
    case batch_layout::strided:
      re = data + reals * (b * p.problem + at);
      break;
    case batch_layout::pointers:
      re = static_cast<R*>(static_cast<void* const*>(p.data)[b]) + reals * at;
      break;
    case batch_layout::interleaved:
      re = data + reals * (b / x.block * p.problem + at * x.block) + b % x.block;
      return {re, reals == 2 ? re + x.block : nullptr};
    case batch_layout::gathered: {
      const index k = b * p.problem + at;
      const index to = p.wide_map ? static_cast<index>(static_cast<const std::int64_t*>(p.map)[k])
                                  : index{static_cast<const std::int32_t*>(p.map)[k]};
      if (to < 0) return {};
      re = data + reals * to;
    }
  }
  return {re, reals == 2 ? re + 1 : nullptr};
}

/// What all is computed in: complex only where T is.
template <class T>
using wide_type =
    std::conditional_t<is_complex(scalar_of<T>), std::complex<long double>, long double>;

/// An entry by its place; 0 where there is none.
template <class T>
wide_type<T> value_at(entry_place<real_type<T>> at, bool conjugated = false) {
  if (at.re == nullptr) return 0;
  if constexpr (is_complex(scalar_of<T>))
    return {static_cast<long double>(*at.re),
            conjugated ? -static_cast<long double>(*at.im) : static_cast<long double>(*at.im)};
  else
    return *at.re;
}

/// An entry of the result as it shall be.
template <class T>
struct result_entry {
  wide_type<T> value = 0;
  long double magnitude = 0;  ///< |alpha| |A| |B| + |beta| |C|, of which rounding errors are parts
  index terms = 0;            ///< the products and old values that are added
};

// C(b) := alpha A(b) B(b) + beta C(b)          b < count
//   A (m, k), B (k, n), C (m, n) of any layout, strides and conjugation
//   gathered: -1 reads as 0 and is not written; an entry of C that the map names more than once is
//   scaled by beta once and receives the sum of all products that come to it
//   beta == 0: C is not read.   alpha == 0 or k == 0: A and B are not read
// Nothing is written: the results are those of C(b, i, j), row-major, b slowest.
template <class T>
std::vector<result_entry<T>> gemm(const gemm_shape& s, const gemm_arguments<T>& g) {
  const auto wide_alpha = static_cast<wide_type<T>>(g.alpha);
  const auto wide_beta = static_cast<wide_type<T>>(g.beta);
  const index k = g.alpha == T(0) ? 0 : s.k;
  std::vector<result_entry<T>> all(static_cast<std::size_t>(g.count * s.m * s.n));
  std::unordered_map<const void*, result_entry<T>> gathered;
  std::size_t e = 0;
  for (index b = 0; b < g.count; ++b) {
    for (index i = 0; i < s.m; ++i) {
      for (index j = 0; j < s.n; ++j, ++e) {
        const auto c = place_of<T>(s.c, g.c, b, i, j);
        if (c.re == nullptr) continue;
        wide_type<T> sum = 0;
        long double magnitude = 0;
        for (index l = 0; l < k; ++l) {
          const auto x = value_at<T>(place_of<T>(s.a, g.a, b, i, l), s.a.conjugated);
          const auto y = value_at<T>(place_of<T>(s.b, g.b, b, l, j), s.b.conjugated);
          sum += x * y;
          magnitude += std::abs(x) * std::abs(y);
        }
        result_entry<T>& to = s.c.layout == batch_layout::gathered ? gathered[c.re] : all[e];
        if (to.terms == 0 && g.beta != T(0)) {
          to.value = wide_beta * value_at<T>(c);
          to.magnitude = std::abs(to.value);
        }
        to.value += wide_alpha * sum;
        to.magnitude += std::abs(wide_alpha) * magnitude;
        to.terms += k + 1;
      }
    }
  }
  if (s.c.layout != batch_layout::gathered) return all;
  e = 0;
  for (index b = 0; b < g.count; ++b)
    for (index i = 0; i < s.m; ++i)
      for (index j = 0; j < s.n; ++j, ++e)
        if (const auto c = place_of<T>(s.c, g.c, b, i, j); c.re != nullptr) all[e] = gathered[c.re];
  return all;
}

}  // namespace tenfold::reference
