#pragma once

#include <bit>
#include <tenfold/backend/cpu/simd.hpp>
#include <utility>

/// The sums of the lanes of several vectors, together: a transposition whose halves are added on
/// the way, about two shuffles for each vector where alone each takes log2 W.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Of segments of `Segment` lanes each the sums of their halves: those of x in the first half of
/// each segment, of y in the second.
template <int Segment, class V, int... I>
[[gnu::always_inline]] inline V halves_added(V x, V y, std::integer_sequence<int, I...>) {
  constexpr int w = sizeof...(I), half = Segment / 2;
  const V low = __builtin_shufflevector(x, y, (I % Segment < half ? I : w + I - half)...);
  const V high = __builtin_shufflevector(x, y, (I % Segment < half ? I + half : w + I)...);
  return low + high;
}
/// Of segments of `Segment` lanes each the sums of their halves, in both halves.
template <int Segment, class V, int... I>
[[gnu::always_inline]] inline V halves_added(V x, std::integer_sequence<int, I...>) {
  return x + __builtin_shufflevector(x, x, (I ^ (Segment / 2))...);
}

/// For Count <= Segment vectors v[r] of W lanes, in segments of `Segment` lanes: the sum of each
/// segment of v[r] in its lane r, each in the order of sum_of_lanes; anything in lanes behind.
template <int W, int Segment, int Count = Segment, class V>
[[gnu::always_inline]] inline V sums_across(V* v) {
  if constexpr (Segment == 1) {
    return v[0];
  } else {
    constexpr int half = Segment / 2, left = Count < half ? Count : half;
    constexpr auto lanes = std::make_integer_sequence<int, W>{};
#pragma GCC unroll 16
    for (int i = 0; i < left; ++i)
      v[i] = i + half < Count ? halves_added<Segment>(v[i], v[i + half], lanes)
                              : halves_added<Segment>(v[i], lanes);
    return sums_across<W, half, left>(v);
  }
}
template <class T, int W>
[[gnu::always_inline]] inline vec<T, W> sums_across(vec<T, W>* v) {
  using R = real<T>;
  using V = typename short_vec<R, W>::type;
  const auto of = [&](auto part) __attribute__((always_inline)) {
    V parts[W];
#pragma GCC unroll 16
    for (int i = 0; i < W; ++i) parts[i] = (V)part(v[i]).data;
    vec<R, W> sums;
    sums.data = (decltype(sums.data))sums_across<W, W>(parts);
    return sums;
  };
  if constexpr (is_complex_type<T>) {
    const auto re = [](const vec<T, W>& x) __attribute__((always_inline)) { return x.re; };
    const auto im = [](const vec<T, W>& x) __attribute__((always_inline)) { return x.im; };
    return {of(re), of(im)};
  } else {
    return of([](const vec<T, W>& x) __attribute__((always_inline)) { return x; });
  }
}

/// The sum of all lanes of v[r] in lane r, for Count <= W vectors of W lanes; anything in lanes
/// behind.
template <int W, int Count, int Segment = static_cast<int>(std::bit_ceil(unsigned{Count})), class V>
[[gnu::always_inline]] inline V sums_of_all_lanes(V* v) {
  V sums = sums_across<W, Segment, Count>(v);
  return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (void(sums = halves_added<(2 * Segment) << I>(sums, std::make_integer_sequence<int, W>{})),
     ...);
    return sums;
  }
  (std::make_integer_sequence<int, std::countr_zero(unsigned{W / Segment})>{});
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
