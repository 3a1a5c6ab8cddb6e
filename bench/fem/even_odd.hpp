#pragma once

#include <type_traits>

#include "common/hand_vector.hpp"

/// Contractions along an axis of a hexahedron with matrices that know the reflection of the axis,
/// in halves (Solomonoff, A fast algorithm for spectral differentiation, J. Comput. Phys. 98, 1992;
/// Kopriva, Implementing Spectral Methods, 3.5.3):
///
///   y(m) = sum_k a(m, k) x(k),   a(M-1-m, K-1-k) = a(m, k)  or  -a(m, k)
///
/// The even part of x, x(k) + x(K-1-k), and its odd part, x(k) - x(K-1-k), have sums of their own
/// of half the length: about half the multiplications. All entries are vectors of W elements.
namespace tenfold::bench {

/// Matrices of interpolation are symmetric under reflection, those of differentiation
/// antisymmetric.
enum class parity { symmetric, antisymmetric };

/// What the halves of a line are: sums x(k) + x(K-1-k) and differences, or half of each. The middle
/// of an odd number is a half of the even part by itself, as it is.
enum class halved { sums, means };

/// The halves of a line of N entries, R lines side by side.
template <class T, int N, int R>
struct halves {
  vec<T> even[(N + 1) / 2][R];
  vec<T> odd[N / 2][R];
};

/// The matrix a (M x K) in halves that takes those of x to those of y.
template <class T, parity S, int M, int K>
struct half_table {
  /// How many halves of x the even and the odd part of y are sums of.
  static constexpr int even_k = S == parity::symmetric ? (K + 1) / 2 : K / 2;
  static constexpr int odd_k = S == parity::symmetric ? K / 2 : (K + 1) / 2;
  static constexpr int even_m = (M + 1) / 2, odd_m = M / 2;

  T even[even_k][even_m], odd[odd_k][odd_m];

  /// at(m, k): entries of the matrix, of which only those of the upper half are asked for.
  template <class At>
  half_table(At at, halved in, halved out) {
    for (int m = 0; m < even_m; ++m) {
      const bool middle = 2 * m == M - 1;
      const long double to = out == halved::sums && !middle ? 2 : 1;
      for (int k = 0; k < (K + 1) / 2; ++k) {
        const long double here = at(m, k), there = at(m, K - 1 - k);
        const bool centre = 2 * k == K - 1;
        const long double from = (in == halved::sums || centre ? 0.5L : 1.0L) * to;
        const long double with_even = from * (here + there), with_odd = from * (here - there);
        const auto is_symmetric = S == parity::symmetric;
        if (k < even_k) even[k][m] = static_cast<T>(is_symmetric ? with_even : with_odd);
        if (k < odd_k && m < odd_m) odd[k][m] = static_cast<T>(is_symmetric ? with_odd : with_even);
      }
    }
  }
};

/// sum(m, n) := or += a(m) x(n)
template <bool First, int M, int R, class T>
[[gnu::always_inline]] inline void add_multiples(const T* a, const vec<T>* x, vec<T> (*sum)[R]) {
#pragma GCC unroll 16
  for (int m = 0; m < M; ++m) {
    const vec<T> row(a[m]);
#pragma GCC unroll 16
    for (int n = 0; n < R; ++n) {
      sum[m][n] = First ? row * x[n] : multiply_add(row, x[n], sum[m][n]);
    }
  }
}

/// What a sweep does beside its sums: nothing. Others fetch what is needed later: step<R>() is
/// called for each pair of contracted entries of R columns, which is as evenly as can be.
struct nothing_else {
  template <int R>
  [[gnu::always_inline]] void step() {}
};

/// The halves of y, from half(k, even, odd), which gives the halves k of x. Adds: they are added to
/// what is in y.
template <bool Adds, int R, class Beside, class T, parity S, int M, int K, class Half>
[[gnu::always_inline]] inline void contract_halves(const half_table<T, S, M, K>& table,
                                                   halves<T, M, R>& y, Beside& beside, Half half) {
  const half_table<T, S, M, K>* const a = launder(&table);
#pragma GCC unroll 16
  for (int k = 0; k < (K + 1) / 2; ++k) {
    vec<T> even[R], odd[R];
    half(k, even, odd);
    beside.template step<R>();
    const vec<T>* const to_even = S == parity::symmetric ? even : odd;
    const vec<T>* const to_odd = S == parity::symmetric ? odd : even;
    if (k < a->even_k) {
      if (k == 0 && !Adds) {
        add_multiples<true, (M + 1) / 2, R>(a->even[k], to_even, y.even);
      } else {
        add_multiples<false, (M + 1) / 2, R>(a->even[k], to_even, y.even);
      }
    }
    if (k < a->odd_k) {
      if (k == 0 && !Adds) {
        add_multiples<true, M / 2, R>(a->odd[k], to_odd, y.odd);
      } else {
        add_multiples<false, M / 2, R>(a->odd[k], to_odd, y.odd);
      }
    }
  }
}

/// The halves k, sums, of a line whose entry k of column n is load(k, n).
template <int N, int R, class T, class Load>
[[gnu::always_inline]] inline void split(int k, vec<T>* even, vec<T>* odd, Load load) {
#pragma GCC unroll 16
  for (int n = 0; n < R; ++n) {
    even[n] = load(k, n);
    if (2 * k == N - 1) continue;
    const vec<T> there = load(N - 1 - k, n);
    odd[n] = even[n] - there;
    even[n] = even[n] + there;
  }
}

/// store(k, n, entry k of column n) of a line given by its means.
template <class T, int N, int R, class Store>
[[gnu::always_inline]] inline void join(const halves<T, N, R>& x, Store store) {
#pragma GCC unroll 16
  for (int k = 0; k < N / 2; ++k) {
#pragma GCC unroll 16
    for (int n = 0; n < R; ++n) {
      store(k, n, x.even[k][n] + x.odd[k][n]);
      store(N - 1 - k, n, x.even[k][n] - x.odd[k][n]);
    }
  }
  if constexpr (N % 2 == 1) {
#pragma GCC unroll 16
    for (int n = 0; n < R; ++n) store(N / 2, n, x.even[N / 2][n]);
  }
}

/// Calls tile(count, first) so that N columns are done at most R at a time, in parts as equal as
/// can be: the first of them, and how many, as a constant.
template <int N, int R, class Tile>
[[gnu::always_inline]] inline void in_parts(Tile tile) {
  constexpr int parts = (N + R - 1) / R, fewer = N / parts, longer = N % parts;
  if constexpr (longer > 0) {
#pragma GCC unroll 1
    for (int part = 0; part < longer; ++part) {
      tile(std::integral_constant<int, fewer + 1>{}, part * (fewer + 1));
    }
  }
#pragma GCC unroll 1
  for (int part = 0; part < parts - longer; ++part) {
    tile(std::integral_constant<int, fewer>{}, longer * (fewer + 1) + part * fewer);
  }
}

/// y(m, n) := sum_k a(m, k) x(k, n), or += it, for N columns n. The table takes sums to means.
/// Steps in vectors: XK and XN of x, YM and YN of y, which may be the same place.
template <int N, int R, int XK, int XN, int YM, int YN, bool Adds = false, class Beside, class T,
          parity S, int M, int K>
[[gnu::always_inline]] inline void sweep(const half_table<T, S, M, K>& a, const T* x, T* y,
                                         Beside& beside) {
  constexpr int W = lanes<T>;
  in_parts<N, R>([&](auto columns, int first) __attribute__((always_inline)) {
    constexpr int C = columns;
    const T* const from = x + first * XN * W;
    T* const to = y + first * YN * W;
    halves<T, M, C> line;
    contract_halves<false, C>(
        a, line, beside, [&](int k, vec<T>* even, vec<T>* odd) __attribute__((always_inline)) {
          split<K, C>(
              k, even, odd, [&](int i, int n) __attribute__((always_inline)) {
                return vec<T>::load_aligned(from + (i * XK + n * XN) * W);
              });
        });
    join(
        line, [&](int m, int n, vec<T> entry) __attribute__((always_inline)) {
          T* const at = to + (m * YM + n * YN) * W;
          if constexpr (Adds) entry = entry + vec<T>::load_aligned(at);
          entry.store_aligned(at);
        });
  });
}

}  // namespace tenfold::bench
