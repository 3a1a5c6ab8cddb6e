#pragma once

#include <tenfold/backend/cpu/register_tile.hpp>
#include <tenfold/backend/cpu/transpose.hpp>

/// Steps of programs that are unrolled whole: a few vectors whose lanes are neighbouring entries of
/// the result or neighbouring terms of a sum. The compilers alone find them in half of such loops
/// (Granite Rapids, g++ 12: 16 x 4 times 4 and 36 terms at a quarter and half of Eigen's rate).
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// What the lanes of such a step are.
enum class unrolled_lanes {
  none,        ///< plain scalars
  entries,     ///< entries of C that are neighbours in A and B, too
  columns,     ///< entries of a row of C that are neighbours in B, too
  transposed,  ///< such entries, of a B whose neighbours are terms: transposed in registers
  terms        ///< terms of one sum
};

/// The lanes that a step, of which all is known, can take.
template <class T>
constexpr unrolled_lanes lanes_of_unrolled(const program_step& s) {
  if (is_complex_type<T> || s.k_outer_count > 0 || s.b.where == buffer::none)
    return unrolled_lanes::none;
  const bool along = s.n.extent > 1 && s.n.c == 1;
  if (s.a_varies)
    return along && s.n.a == 1 && s.n.b == 1 && s.m.extent == 1 && s.k.extent == 1
               ? unrolled_lanes::entries
               : unrolled_lanes::none;
  if (along && s.n.b == 1) return unrolled_lanes::columns;
  if (along && s.k.b == 1 && s.k.extent > 1 && s.k.extent <= 2 * lanes<T> &&
      select::transposes_unrolled(s.m.extent, s.n.extent, s.k.extent,
                                  neighbours_for<T>(s.k.extent)))
    return unrolled_lanes::transposed;
  if (s.m.extent == 1 && s.n.extent == 1 && s.k.a == 1 && s.k.b == 1 && s.k.extent > 1)
    return unrolled_lanes::terms;
  return unrolled_lanes::none;
}

/// The first Count entries at p, anything behind.
template <class T, int W, int Count>
[[gnu::always_inline]] inline vec<T, W> load_some(const T* p) {
  if constexpr (Count >= W)
    return load<T, W>(p);
  else
    return load_first<T, W, Count>(p);
}

/// X[k][l] := B[k][l] for k < K, l < Count, where entries k of B are neighbours and lanes b_n
/// apart.
template <class T, int W, int K, int Count>
[[gnu::always_inline]] inline void load_transposed(const T* b, index b_n, vec<T, W>* x) {
  static_assert(K <= W);
  entry_row<T, W> row[W] = {};
#pragma GCC unroll 16
  for (int l = 0; l < Count; ++l) {
    const vec<T, W> v = load_some<T, W, K>(b + l * b_n);
    std::memcpy(&row[l], &v, sizeof(v));
  }
  transpose<W, 1>(row);
#pragma GCC unroll 16
  for (int k = 0; k < K; ++k) std::memcpy(&x[k], &row[k], sizeof(row[k]));
}

/// Entries of a vector of such a step. Blocks that are transposed are as large as all terms ask
/// for; where these are more than the lanes, there are two.
template <class T>
constexpr int unrolled_width(unrolled_lanes lanes, index n, index k) {
  return neighbours_for<T>(lanes == unrolled_lanes::transposed ? k : n);
}

/// Where a step reads or leaves whole vectors, of which only the first entries count: in scratch,
/// whose rows are padded (select::padded_row). A masked store would make who reads it wait.
struct unrolled_padding {
  bool b = false, c = false;
};

/// C[m][n] := sum_k A[m][k] B[k][n] for a constant step with lanes, m < M, n < N, k < K; of
/// entries, A moves with n as well.
template <class T, int M, int N, int K, unrolled_lanes Lanes, unrolled_padding Padded,
          epilogue Finish>
[[gnu::always_inline]] inline void run_unrolled(tile_operands<T> t) {
  if constexpr (Lanes == unrolled_lanes::terms) {
    constexpr int w = neighbours_for<T>(K);
    vec<T, w> sum{};
#pragma GCC unroll 64
    for (int k = 0; k + w <= K; k += w) {
      const vec<T, w> a = load<T, w>(t.a + k), b = load<T, w>(t.b + k);
      sum = k == 0 ? a * b : fma(a, b, sum);
    }
    constexpr int left = K % w, whole = K - left;
    if constexpr (left > 0) {
      const vec<T, w> a = load_partial<T, w>(t.a + whole, left),
                      b = load_partial<T, w>(t.b + whole, left);
      sum = whole == 0 ? a * b : fma(a, b, sum);
    }
    accumulators<T, 1, 1, 1> acc;
    acc.sum[0][0] = sum_of_lanes<T, w>(sum);
    acc.template finish<Finish>(t);
  } else if constexpr (M > 24) {
    run_unrolled<T, 24, N, K, Lanes, Padded, Finish>(t);
    t.a += 24 * t.a_m;
    t.c += 24 * t.c_m;
    run_unrolled<T, M - 24, N, K, Lanes, Padded, Finish>(t);
  } else {
    constexpr int w = unrolled_width<T>(Lanes, N, K);
    const auto columns = [&]<int Count>(index n) __attribute__((always_inline)) {
      accumulators<T, w, M, 1> acc;
      if constexpr (Lanes == unrolled_lanes::entries) {
        acc.sum[0][0] = load_some<T, w, Count>(t.a + n) * load_some<T, w, Count>(t.b + n);
      } else {
        vec<T, w> x[K];
        if constexpr (Lanes == unrolled_lanes::transposed) {
          const T* const b = t.b + n * t.b_n;
          constexpr int first = K < w ? K : w;
          load_transposed<T, w, first, Count>(b, t.b_n, x);
          if constexpr (K > w) load_transposed<T, w, K - w, Count>(b + w, t.b_n, x + w);
        } else {
#pragma GCC unroll 64
          for (int k = 0; k < K; ++k)
            x[k] = load_some<T, w, (Padded.b ? w : Count)>(t.b + k * t.b_k + n);
        }
#pragma GCC unroll 64
        for (int k = 0; k < K; ++k)
#pragma GCC unroll 24
          for (int m = 0; m < M; ++m) {
            const auto a = broadcast<T, w>(t.a[m * t.a_m + k * t.a_k]);
            acc.sum[m][0] = k == 0 ? a * x[k] : fma(a, x[k], acc.sum[m][0]);
          }
      }
      tile_operands<T> u = t;
      u.c += n;
      u.c_n = w;
      acc.template finish<Finish, tile_modes{.tail = Padded.c ? 0 : Count % w}>(u);
    };
#pragma GCC unroll 64
    for (int v = 0; v < N / w; ++v) columns.template operator()<w>(v * w);
    constexpr int tail = N % w;
    if constexpr (Lanes == unrolled_lanes::transposed && tail == 1 && M == 1) {
      t.b += (N - 1) * t.b_n;
      t.c += N - 1;
      register_tile<T, 1, 1, 1, K, tile_modes{}, Finish>(t);
    } else if constexpr (tail > 0) {
      columns.template operator()<tail>(N - tail);
    }
  }
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
