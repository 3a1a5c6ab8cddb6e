#pragma once

#include <tenfold/backend/cpu/sandwich.hpp>

/// Products with a matrix that is symmetric (s = 1) or antisymmetric (s = -1) under reflection,
/// A[M-1-m][K-1-k] = s A[m][k], in half the multiplications. With its halves E and O (program_step)
///   e_k = b_k + b_(K-1-k),  o_k = b_k - b_(K-1-k),  in the middle of an odd K: e_k = b_k
///   even_m = sum_k E[m][k] e_k,  odd_m = sum_k O[m][k] o_k
///   c_m = even_m + odd_m,  c_(M-1-m) = s (even_m - odd_m)
/// and the middle row of an odd M is even_m where s = 1, odd_m where s = -1. The decomposition is
/// that of A. Solomonoff, A fast algorithm for spectral differentiation, J. Comput. Phys. 98, 1992.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

// C := the halves of A, both rows x columns, where program_step says; strides a_m, a_k and c_m,
// c_k. The other entries of C are left as they are.
template <class T>
[[gnu::always_inline]] inline void halve(const T* a, index a_m, index a_k, T* c, index c_m,
                                         index c_k, index rows, index columns, reflection kind) {
  const index last = rows - 1, pairs = columns / 2;
  a += last / 2 * a_m;
  for (index m = last / 2; m >= 0; --m, a -= a_m) {
    T* even = c + (kind == reflection::odd ? last - m : m) * c_m;
    T* odd = c + (kind == reflection::odd ? m : last - m) * c_m + (columns - 1) * c_k;
    // The middle row is a half by itself.
    const bool is_middle = 2 * m == last;
    const bool has_even = !is_middle || kind != reflection::odd;
    const bool has_odd = !is_middle || kind == reflection::odd;
    for (index k = 0; k < pairs; ++k) {
      const T here = a[k * a_k], there = a[(columns - 1 - k) * a_k];
      if (has_even) even[k * c_k] = (here + there) * T(0.5);
      if (has_odd) odd[-k * c_k] = (here - there) * T(0.5);
    }
    if (has_even && columns % 2 != 0) even[pairs * c_k] = a[pairs * a_k];
  }
}

/// Where halve left the halves of a matrix: strides, and how many rows and columns there are.
struct half_strides {
  index a_m, a_k, rows, columns;
};

/// Some rows of the halves, and how many columns the matrix has: E[m][k] at even + m even_m + k
/// even_k, O at odd.
template <class T>
struct half_rows {
  const T *even, *odd;
  index even_m, even_k, odd_m, odd_k, columns;
};

/// Rows `first`, first + 1, ... where halve left them.
template <reflection Kind, class T>
[[gnu::always_inline]] inline half_rows<T> half_rows_from(const T* a, index first,
                                                          const half_strides h) {
  constexpr bool is_odd = Kind == reflection::odd;
  const index left = is_odd ? h.rows - 1 - first : first;
  const index right = is_odd ? first : h.rows - 1 - first, m = is_odd ? -h.a_m : h.a_m;
  return {a + left * h.a_m, a + right * h.a_m + (h.columns - 1) * h.a_k, m, h.a_k, -m, -h.a_k,
          h.columns};
}

/// The sums of `Pairs` pairs of rows (m, M-1-m), from pair `first` on, and behind them, if
/// `Middle`, of the middle row.
template <class T, int W, int Pairs, bool Middle, int N, reflection Kind>
struct half_sums {
  static constexpr bool is_odd = Kind == reflection::odd;
  static constexpr int even_rows = Pairs + (Middle && !is_odd);
  static constexpr int odd_rows = Pairs + (Middle && is_odd);
  vec<T, W> even[even_rows][N], odd[odd_rows][N];

  /// Sums over K (dynamic_k: a.columns) entries of columns n, of which source(k, n) is one; calls
  /// between() before each pair of them but the first, where K is static.
  template <int K, class Source, class Between>
  [[gnu::always_inline]] void accumulate(const half_rows<T> a, Source source, Between between) {
    const index columns = K == dynamic_k ? a.columns : K;
    pair<true>(a, columns, 0, source);
    if constexpr (K == dynamic_k) {
#pragma GCC unroll 1
      for (index k = 1; k < columns / 2; ++k) pair<false>(a, columns, k, source);
    } else {
#pragma GCC unroll 16
      for (int k = 1; k < K / 2; ++k) {
        between();
        pair<false>(a, K, k, source);
      }
    }
    if (columns % 2 == 0) return;
    const T* const middle = a.even + columns / 2 * a.even_k;
#pragma GCC unroll 16
    for (int n = 0; n < N; ++n) {
      const vec<T, W> b = source(columns / 2, n);
#pragma GCC unroll 16
      for (int m = 0; m < even_rows; ++m)
        even[m][n] = fma(broadcast<T, W>(middle[m * a.even_m]), b, even[m][n]);
    }
  }

  /// Row m of the first rows and its mirror image.
  [[gnu::always_inline]] vec<T, W> upper(int m, int n) const { return even[m][n] + odd[m][n]; }
  [[gnu::always_inline]] vec<T, W> lower(int m, int n) const {
    return is_odd ? odd[m][n] - even[m][n] : even[m][n] - odd[m][n];
  }
  [[gnu::always_inline]] vec<T, W> middle(int n) const {
    if constexpr (is_odd)
      return odd[odd_rows - 1][n];
    else
      return even[even_rows - 1][n];
  }

  /// C := sums, C := C + sums, or C := alpha sums + beta C.
  template <epilogue Finish>
  [[gnu::always_inline]] void finish(T* c, index first, index rows, index c_m, index c_n, T alpha,
                                     T beta) const {
#pragma GCC unroll 16
    for (int n = 0; n < N; ++n) {
#pragma GCC unroll 16
      for (int m = 0; m < Pairs; ++m) {
        store_sum<Finish>(c + (first + m) * c_m + n * c_n, upper(m, n), alpha, beta);
        store_sum<Finish>(c + (rows - 1 - first - m) * c_m + n * c_n, lower(m, n), alpha, beta);
      }
      if constexpr (Middle)
        store_sum<Finish>(c + (first + Pairs) * c_m + n * c_n, middle(n), alpha, beta);
    }
  }

 private:
  template <bool First, class Source>
  [[gnu::always_inline]] void pair(const half_rows<T>& a, index columns, index k, Source source) {
    vec<T, W> sum[N], difference[N];
#pragma GCC unroll 16
    for (int n = 0; n < N; ++n) {
      vec<T, W> left = source(k, n), right = source(columns - 1 - k, n);
      if constexpr (W > 1) {  // or g++ loads each twice, for the sum and for the difference
        pin(left);
        pin(right);
      }
      sum[n] = left + right;
      difference[n] = left - right;
    }
    add<First>(even, a.even + k * a.even_k, a.even_m, sum);
    add<First>(odd, a.odd + k * a.odd_k, a.odd_m, difference);
  }
  template <bool First, int Rows>
  [[gnu::always_inline]] static void add(vec<T, W> (&to)[Rows][N], const T* a, index a_m,
                                         const vec<T, W> (&b)[N]) {
#pragma GCC unroll 16
    for (int m = 0; m < Rows; ++m) {
      const vec<T, W> row = broadcast<T, W>(a[m * a_m]);
#pragma GCC unroll 16
      for (int n = 0; n < N; ++n) to[m][n] = First ? row * b[n] : fma(row, b[n], to[m][n]);
    }
  }
  template <epilogue Finish>
  [[gnu::always_inline]] static void store_sum(T* c, vec<T, W> sum, T alpha, T beta) {
    if constexpr (Finish == epilogue::add) sum = sum + load<T, W>(c);
    if constexpr (Finish == epilogue::update) {
      sum = broadcast<T, W>(alpha) * sum;
      if (beta != T(0)) sum = fma(broadcast<T, W>(beta), load<T, W>(c), sum);
    }
    store<T, W>(c, sum);
  }
};

// C[m][n] := sum_k A[m][k] B[k][n]  for the pairs of rows (m, M-1-m), first <= m < first + Pairs,
// and for the middle row if `Middle`;  n < N, k < K; every entry of B and C is W lanes
//   A  uniform, in halves where halve left them, M x K of them as h says
//   B  lanes; strides b_k, b_n;  C  lanes; strides c_m, c_n; it may not overlap A or B
//   finish: overwrite | update | add, as for register_tile
template <class T, int W, int Pairs, bool Middle, int N, int K, reflection Kind, epilogue Finish,
          class Between>
[[gnu::always_inline]] inline void even_odd_tile(const tile_operands<T>& t, index first,
                                                 const half_strides h, Between between) {
  half_sums<T, W, Pairs, Middle, N, Kind> sums;
  sums.template accumulate<K>(
      half_rows_from<Kind>(rows<W, Pairs, 2 * N, K, lane_access::uniform>(t.a), first, h),
      [&](index k, int n)
          __attribute__((always_inline)) { return load<T, W>(t.b + k * t.b_k + n * t.b_n); },
      between);
  sums.template finish<Finish>(t.c, first, h.rows, t.c_m, t.c_n, t.alpha, t.beta);
}

/// A matrix in halves as tiles of run-time size read it: in panels of at most most_pairs pairs of
/// rows, the last one with the middle row behind them. A panel is, column by column, the rows of E
/// and then those of O, so that one address and constants say where a tile finds its entries; of
/// the middle column of an odd K, which O lacks, those of O are 0.
/// f(first pair, pairs, whether the middle row is there) for each panel.
template <class F>
void for_each_half_panel(index rows, F f) {
  const select::chunks panels(rows / 2, select::most_pairs);
  index first = 0;
  for (index i = 0; i < panels.long_count + panels.short_count; ++i) {
    const index pairs = i < panels.long_count ? panels.longer : panels.longer - 1;
    f(first, pairs, rows % 2 != 0 && 2 * (first + pairs) + 1 == rows);
    first += pairs;
  }
}

/// Scalars that they take.
constexpr index size_of_half_panels(const half_strides& h) {
  return h.rows * ((h.columns + 1) / 2);
}

/// Copies a matrix from where halve left it into panels; returns where they end.
template <reflection Kind, class T>
T* pack_half_panels(const T* a, half_strides h, T* to) {
  for_each_half_panel(h.rows, [&](index first, index pairs, bool middle) {
    const half_rows<T> from = half_rows_from<Kind>(a, first, h);
    const index even = pairs + (middle && Kind != reflection::odd), all = 2 * pairs + middle;
    for (index k = 0; k < (h.columns + 1) / 2; ++k) {
      const bool is_middle = 2 * k + 1 == h.columns;
      for (index m = 0; m < even; ++m) *to++ = from.even[m * from.even_m + k * from.even_k];
      for (index m = 0; m < all - even; ++m)
        *to++ = is_middle ? T(0) : from.odd[m * from.odd_m + k * from.odd_k];
    }
  });
  return to;
}

// The product as even_odd_tile computes it, of halves in a panel and of run-time size; `rows` is M.
template <class T, int W, int Pairs, bool Middle, int N, reflection Kind, epilogue Finish>
[[gnu::always_inline]] inline void even_odd_panel_tile(const tile_operands<T>& t, const T* panel,
                                                       index first, index rows, index columns) {
  using sums_of_tile = half_sums<T, W, Pairs, Middle, N, Kind>;
  constexpr index height = 2 * Pairs + Middle;
  sums_of_tile sums;
  sums.template accumulate<dynamic_k>(
      half_rows<T>{panel, panel + sums_of_tile::even_rows, 1, height, 1, height, columns},
      [&](index k, int n)
          __attribute__((always_inline)) { return load<T, W>(t.b + k * t.b_k + n * t.b_n); },
      [] {});
  sums.template finish<Finish>(t.c, first, rows, t.c_m, t.c_n, t.alpha, t.beta);
}

// The sandwich with A1 and A2 in halves; between() as for half_sums.
template <class T, int W, int Q, int K, int M, int N, reflection Kind, epilogue Finish, class At,
          class Between>
[[gnu::always_inline]] inline void even_odd_sandwich(const sandwich_operands<T> s, At at,
                                                     Between between) {
  half_sums<T, W, Q / 2, Q % 2 != 0, N, Kind> points;
  points.template accumulate<K>(
      half_rows_from<Kind>(rows<W, Q, N, K, lane_access::uniform>(s.a1), 0, {s.a1_q, s.a1_k, Q, K}),
      [&](index k, int n)
          __attribute__((always_inline)) { return load<T, W>(s.b + k * s.b_k + n * s.b_n); },
      between);
  half_sums<T, W, M / 2, M % 2 != 0, N, Kind> sums;
  sums.template accumulate<Q>(
      half_rows_from<Kind>(rows<W, M, N, Q, lane_access::uniform>(s.a2), 0, {s.a2_m, s.a2_q, M, Q}),
      [&](index point, int n) __attribute__((always_inline)) {
        const int q = static_cast<int>(point);
        return at(q, n,
                  2 * q + 1 < Q   ? points.upper(q, n)
                  : 2 * q + 1 > Q ? points.lower(Q - 1 - q, n)
                                  : points.middle(n));
      },
      between);
  sums.template finish<Finish>(s.c, 0, M, s.c_m, s.c_n, s.alpha, s.beta);
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
