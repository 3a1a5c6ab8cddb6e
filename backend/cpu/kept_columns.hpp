#pragma once

#include <tenfold/backend/cpu/accumulators.hpp>

/// Products whose B stays in registers while the rows of A pass, and what is left of their columns.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

// C := A B of M rows, select::kept_rows at a time, while the K x N vectors of B stay in registers.
// The results, which a large tile writes in a burst at its end, are written evenly; where C comes
// from L2 that is what counts. With each pass so many lines of each operand are fetched, and those
// of C that lie `c_ahead` entries on; 0: none. Several problems at once have the same A: what is
// broadcast serves all.
template <class T, int W, int M, int N, int K, tile_modes How, int Lines, std::size_t Problems>
[[gnu::always_inline]] inline void rows_of_kept_columns(side_by_side<T, Problems> t,
                                                        index c_ahead) {
  constexpr int last = How.last > 0 ? How.last : W,
                together = M < select::kept_rows ? M : select::kept_rows;
  tile_columns<T, W, (How.last > 0 ? N - 1 : N), last> b[Problems][K];
#pragma GCC unroll 16
  for (int k = 0; k < K; ++k)
    unrolled<Problems>([&](auto p) __attribute__((always_inline)) {
      b[p][k] = accumulators<T, W, together, N, last>::template columns_at<How>(
          t[p].b + k * t[p].b_k, t[p]);
    });
  const auto rows = [&]<int R>() __attribute__((always_inline)) {
    accumulators<T, W, R, N, last> acc[Problems];
    unrolled<Problems>([&](auto p) __attribute__((always_inline)) {
      acc[p].template step<How, true>(t[0].a, b[p][0], t[p]);
    });
#pragma GCC unroll 16
    for (int k = 1; k < K; ++k)
      unrolled<Problems>([&](auto p) __attribute__((always_inline)) {
        acc[p].template step<How>(t[0].a + k * t[0].a_k, b[p][k], t[p]);
      });
    unrolled<Problems>([&](auto p) __attribute__((always_inline)) {
      acc[p].template finish<epilogue::overwrite, How>(t[p]);
      if constexpr (How.ahead != select::fetch::none) {
        if (t[p].next.fetches) acc[p].template fetch<How, Lines>(t[p].next);
      }
      if (c_ahead != 0) {
#pragma GCC unroll 2
        for (int r = 0; r < R; ++r) fetch_to_write<W * N + 1>(t[p].c + r * t[p].c_m, c_ahead);
      }
      t[p].a += R * t[p].a_m;
      t[p].c += R * t[p].c_m;
    });
  };
  if constexpr (M * N * K <= select::unrolled_products) {
#pragma GCC unroll 64
    for (int m = 0; m + together <= M; m += together) rows.template operator()<together>();
  } else {
#pragma GCC unroll 1
    for (int m = 0; m + together <= M; m += together) rows.template operator()<together>();
  }
  if constexpr (M % together > 0) rows.template operator()<M % together>();
}

/// A packed in panels of W rows, in which neighbours are rows; zeros fill up the last.
template <class T, int W, int M, int K>
struct row_panels {
  alignas(sizeof(T) * W) T entries[(M + W - 1) / W][K][W] = {};

  row_panels(const T* a, index a_m, index a_k) {
    for (int m = 0; m < M; ++m)
      for (int k = 0; k < K; ++k) entries[m / W][k][m % W] = a[m * a_m + k * a_k];
  }
};

/// N columns of C, from t.c on, the lanes from its rows: C^T := B^T A^T, A^T in panels.
template <class T, int W, int M, int N, int K>
[[gnu::always_inline]] inline void columns_transposed(const row_panels<T, W, M, K>& a,
                                                      const tile_operands<T>& t) {
  tile_operands<T> u;
  u.a_m = 1;
  const auto block = [&]<int Rows>(int m) __attribute__((always_inline)) {
    const T(&rows)[K][W] = a.entries[m / W];
    accumulators<T, W, N, 1> sums;
    sums.template step<tile_modes{}, true>(t.b, &rows[0][0], u);
#pragma GCC unroll 16
    for (int k = 1; k < K; ++k) sums.template step<tile_modes{}>(t.b + k * t.b_k, &rows[k][0], u);
    T* const c = t.c + m * t.c_m;
#pragma GCC unroll 16
    for (int n = 0; n < N; ++n) {
      const auto lanes_of_sum = (typename short_vec<T, W>::type)sums.sum[n][0].data;
#pragma GCC unroll 16
      for (int i = 0; i < Rows; ++i) c[i * t.c_m + n] = lanes_of_sum[i];
    }
  };
#pragma GCC unroll 1
  for (int m = 0; m + W <= M; m += W) block.template operator()<W>(m);
  if constexpr (M % W > 0) block.template operator()<M % W>(M / W * W);
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
