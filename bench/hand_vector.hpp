// Copyright The Tenfold authors. Boost Software License 1.0 (see LICENSE).
/// The vector vocabulary of the hand-written peers: xsimd's vectors plus the few things it lacks (a fused multiply-add on AVX-512, a transposition of a square of
/// vectors, streaming stores), and the empty assembly statements that keep compilers from undoing a register tile.
#pragma once

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include <cstddef>
#include <type_traits>
#include <utility>
#include <xsimd/xsimd.hpp>

namespace tenfold::bench {

template <class T>
using vec = xsimd::batch<T>;

template <class T>
inline constexpr int lanes = static_cast<int>(vec<T>::size);

#if defined(__AVX512F__)
inline constexpr int vector_registers = 32;
#else
inline constexpr int vector_registers = 16;
#endif

/// Calls f(integral_constant 0), ..., f(integral_constant N-1): a loop that is unrolled on every compiler and at every level of optimisation.
template <int N, class F>
[[gnu::always_inline]] inline void unroll(F&& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, I>{}), ...);
  }
  (std::make_integer_sequence<int, N>{});
}

/// a b + c in one rounding. xsimd 8.1 has none for AVX-512: its fma is x * y + z there, which only g++ contracts.
template <class T>
[[gnu::always_inline]] inline vec<T> multiply_add(vec<T> a, vec<T> b, vec<T> c) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, double>) {
    return _mm512_fmadd_pd(a.data, b.data, c.data);
  } else {
    return _mm512_fmadd_ps(a.data, b.data, c.data);
  }
#else
  return xsimd::fma(a, b, c);
#endif
}

/// Keeps a loaded vector in its register: g++ otherwise folds one load into each of its uses, and the tile becomes bound by loads.
template <class T>
[[gnu::always_inline]] inline void pin([[maybe_unused]] vec<T>& x) {
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
  asm("" : "+v"(x.data));
#endif
}

/// Makes the compiler forget what lies behind `p`. Once per tile on the pointer of the table: otherwise the broadcasts of a whole table are hoisted out of the loop
/// over tiles and spilt. `volatile`, or clang hoists the statement itself.
template <class T>
[[gnu::always_inline]] inline const T* launder(const T* p) {
  asm volatile("" : "+r"(p));
  return p;
}

/// An ordinary store, or one that bypasses the caches.
template <bool Streaming, class T>
[[gnu::always_inline]] inline void store(const vec<T>& x, T* p) {
#if defined(__AVX512F__)
  if constexpr (Streaming && std::is_same_v<T, double>) {
    _mm512_stream_pd(p, x.data);
    return;
  } else if constexpr (Streaming) {
    _mm512_stream_ps(p, x.data);
    return;
  }
#endif
  x.store_aligned(p);
}

template <class T>
[[gnu::always_inline]] inline void prefetch(const T* p) {
  __builtin_prefetch(p, 0, 3);
}

#if defined(__AVX512F__)
/// Lanes of the pair (x, y) that become x and y when their off-diagonal halves of width `Half` change places.
template <class T, int Half>
struct half_exchange {
  using lane_index = std::conditional_t<std::is_same_v<T, double>, long long, int>;
  alignas(64) lane_index first[lanes<T>]{};
  alignas(64) lane_index second[lanes<T>]{};

  constexpr half_exchange() {
    for (int lane = 0; lane < lanes<T>; ++lane) {
      const bool upper = (lane & Half) != 0;
      first[lane] = upper ? lanes<T> + lane - Half : lane;
      second[lane] = upper ? lanes<T> + lane : lane + Half;
    }
  }
};

template <class T, int Half>
inline constexpr half_exchange<T, Half> exchange_halves{};

/// One round of the transposition: all pairs of rows whose numbers differ in the bit `Half`.
template <int Half, class T>
[[gnu::always_inline]] inline void exchange_rows(vec<T> (&rows)[lanes<T>]) {
  const __m512i first = _mm512_load_si512(exchange_halves<T, Half>.first);
  const __m512i second = _mm512_load_si512(exchange_halves<T, Half>.second);
  unroll<lanes<T>>([&](auto row) __attribute__((always_inline)) {
    constexpr int a = row;
    if constexpr ((a & Half) == 0) {
      const auto x = rows[a].data;
      const auto y = rows[a + Half].data;
      if constexpr (std::is_same_v<T, double>) {
        rows[a] = _mm512_permutex2var_pd(x, first, y);
        rows[a + Half] = _mm512_permutex2var_pd(x, second, y);
      } else {
        rows[a] = _mm512_permutex2var_ps(x, first, y);
        rows[a + Half] = _mm512_permutex2var_ps(x, second, y);
      }
    }
  });
}
#endif

/// Transposes the square of W vectors: rows[i][j] <-> rows[j][i]; in registers with AVX-512, log2(W) rounds.
template <class T>
[[gnu::always_inline]] inline void transpose(vec<T> (&rows)[lanes<T>]) {
#if defined(__AVX512F__)
  if constexpr (lanes<T> == 16) exchange_rows<8, T>(rows);
  exchange_rows<4, T>(rows);
  exchange_rows<2, T>(rows);
  exchange_rows<1, T>(rows);
#else
  constexpr int W = lanes<T>;
  alignas(64) T square[W][W];
  alignas(64) T turned[W][W];
  for (int i = 0; i < W; ++i) rows[i].store_aligned(square[i]);
  for (int i = 0; i < W; ++i) {
    for (int j = 0; j < W; ++j) turned[i][j] = square[j][i];
  }
  for (int i = 0; i < W; ++i) rows[i] = vec<T>::load_aligned(turned[i]);
#endif
}

}  // namespace tenfold::bench
