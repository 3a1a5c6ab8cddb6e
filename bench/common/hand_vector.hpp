#pragma once

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include <cstddef>
#include <type_traits>
#include <utility>
#include <xsimd/xsimd.hpp>

/// The vector vocabulary of the hand-written peers: xsimd's vectors plus the few things it lacks (a
/// fused multiply-add on AVX-512, a transposition of a square of vectors, streaming stores), and
/// the empty assembly statements that keep compilers from undoing a register tile.
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

/// Calls f(integral_constant 0), ..., f(integral_constant N-1): a loop that is unrolled on every
/// compiler and at every level of optimisation.
template <int N, class F>
[[gnu::always_inline]] inline void unroll(F&& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, I>{}), ...);
  }
  (std::make_integer_sequence<int, N>{});
}

/// a b + c in one rounding. xsimd 8.1 has none for AVX-512: its fma is x * y + z there, which only
/// g++ contracts.
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

/// Keeps a loaded vector in its register: g++ otherwise folds one load into each of its uses, and
/// the tile becomes bound by loads.
template <class T>
[[gnu::always_inline]] inline void pin([[maybe_unused]] vec<T>& x) {
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#if defined(__AVX512F__)
  asm("" : "+v"(x.data));
#else
  asm("" : "+x"(x.data));
#endif
#endif
}

/// Makes the compiler believe that `x` is read and changed here, so that a measured loop is neither
/// shortened nor vectorized anew.
template <class T>
[[gnu::always_inline]] inline void keep(vec<T>& x) {
#if defined(__AVX512F__)
  asm volatile("" : "+v"(x.data));
#elif defined(__x86_64__)
  asm volatile("" : "+x"(x.data));
#else
  asm volatile("" : : "r"(&x) : "memory");
#endif
}

/// Makes the compiler forget what lies behind `p`. Once per tile on the pointer of the table:
/// otherwise the broadcasts of a whole table are hoisted out of the loop over tiles and spilt.
/// `volatile`, or clang hoists the statement itself.
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
/// Lanes of the pair (x, y) that become x and y when their off-diagonal halves of width `Half`
/// change places.
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

/// to(j, i) := from(i, j) for a square of W x W entries; rows from_step and to_step entries apart.
/// With AVX-512 in registers; double by halves of vectors, so that the loads do the first of the
/// three rounds (16 shuffles instead of 24).
template <class T>
[[gnu::always_inline]] inline void transpose(const T* from, std::ptrdiff_t from_step, T* to,
                                             std::ptrdiff_t to_step) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, double>) {
    const auto halves = [&](int row, int column) __attribute__((always_inline)) {
      const double* p = from + row * from_step + column;
      // The masked form: g++ 12 warns of an uninitialised value inside its own header for the plain
      // one.
      return _mm512_maskz_insertf64x4(0xff, _mm512_castpd256_pd512(_mm256_loadu_pd(p)),
                                      _mm256_loadu_pd(p + 2 * from_step), 1);
    };
    unroll<2>([&](auto half) __attribute__((always_inline)) {
      const auto rows02 = halves(0, 4 * half);
      const auto rows13 = halves(1, 4 * half);
      const auto rows46 = halves(4, 4 * half);
      const auto rows57 = halves(5, 4 * half);
      const auto even_low = __builtin_shufflevector(rows02, rows13, 0, 8, 2, 10, 4, 12, 6, 14);
      const auto odd_low = __builtin_shufflevector(rows02, rows13, 1, 9, 3, 11, 5, 13, 7, 15);
      const auto even_high = __builtin_shufflevector(rows46, rows57, 0, 8, 2, 10, 4, 12, 6, 14);
      const auto odd_high = __builtin_shufflevector(rows46, rows57, 1, 9, 3, 11, 5, 13, 7, 15);
      double* p = to + 4 * half * to_step;
      _mm512_storeu_pd(p, __builtin_shufflevector(even_low, even_high, 0, 1, 4, 5, 8, 9, 12, 13));
      _mm512_storeu_pd(p + to_step,
                       __builtin_shufflevector(odd_low, odd_high, 0, 1, 4, 5, 8, 9, 12, 13));
      _mm512_storeu_pd(p + 2 * to_step,
                       __builtin_shufflevector(even_low, even_high, 2, 3, 6, 7, 10, 11, 14, 15));
      _mm512_storeu_pd(p + 3 * to_step,
                       __builtin_shufflevector(odd_low, odd_high, 2, 3, 6, 7, 10, 11, 14, 15));
    });
  } else {
    vec<T> rows[lanes<T>];
    unroll<lanes<T>>([&](auto i) __attribute__((always_inline)) {
      rows[i] = vec<T>::load_unaligned(from + i * from_step);
    });
    exchange_rows<8, T>(rows);
    exchange_rows<4, T>(rows);
    exchange_rows<2, T>(rows);
    exchange_rows<1, T>(rows);
    unroll<lanes<T>>([&](auto j) __attribute__((always_inline)) {
      rows[j].store_unaligned(to + j * to_step);
    });
  }
#else
  for (int i = 0; i < lanes<T>; ++i) {
    for (int j = 0; j < lanes<T>; ++j) to[j * to_step + i] = from[i * from_step + j];
  }
#endif
}

}  // namespace tenfold::bench
