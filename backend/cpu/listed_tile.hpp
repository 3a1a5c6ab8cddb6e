#pragma once

#include <tenfold/backend/cpu/loop_walk.hpp>
#include <tenfold/backend/cpu/register_tile.hpp>
#include <tenfold/backend/interface/select.hpp>

/// Register tiles whose rows and contracted values lie anywhere, as tables say: those of a tensor
/// of many short labels are several loops each.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// A, whose rows and contracted values are several loops each: packed for tiles of its rows, and
/// the tables for the other operands.
template <class T>
struct listed_matrix {
  static constexpr index most = select::most_listed;

  select::chunks tiles;  ///< of rows
  index terms;           ///< contracted values
  index b_k[most];       ///< how far B is from its begin at each of them
  index c_m[most];       ///< and C at each row
  T packed[select::most_listed_entries];

  listed_matrix(const T* a, const loop_list& rows, const loop_list& sums)
      : tiles(rows.extent(), select::listed_rows), terms(sums.extent()) {
    const index row_count = rows.extent();
    index a_m[most], a_k[most];
    loop_walk row(rows, 0), term(sums, 0);
    for (index m = 0; m < row_count; ++m, row.next()) a_m[m] = row.a, c_m[m] = row.c;
    for (index k = 0; k < terms; ++k, term.next()) a_k[k] = term.a, b_k[k] = term.b;
    for (index r = 0; r < tiles.count(); ++r) {
      const index first = tiles.start(r);
      for (index k = 0; k < terms; ++k)
        for (int m = 0; m < height(r); ++m)
          packed[first * terms + k * height(r) + m] = a[a_m[first + m] + a_k[k]];
    }
  }

  /// Rows of tile r, and its entries of A as [k][row].
  int height(index r) const { return r < tiles.long_count ? tiles.longer : tiles.longer - 1; }
  const T* tile(index r) const { return packed + tiles.start(r) * terms; }
};

/// A as [k][row], the distances of B for each contracted value, those of C for each row.
template <class T>
struct listed_operands {
  const T* a;
  const T* b;
  T* c;
  const index* b_k;
  const index* c_m;
  index b_n, c_n;
  T alpha, beta;
};

// C[c_m[m]][n] := alpha sum_k A[k][m] B[b_k[k]][n] + beta C[c_m[m]][n]
//   for m < M, k < `contracted`; n < N and `count` times as many; real entries of W lanes
//   beta == 0: C is not read
template <class T, int W, int M, int N>
void listed_tiles(const listed_operands<T>& first, index contracted, index count) {
  static_assert(!is_complex_type<T>);
  listed_operands<T> x = first;
  tile_operands<T> t;
  t.a_m = 1;
  t.b_n = x.b_n;
  for (index i = 0; i < count; ++i) {
    accumulators<T, W, M, N> acc;
    acc.clear();
#pragma GCC unroll 1
    for (index k = 0; k < contracted; ++k)
      acc.template step<tile_modes{}>(x.a + k * M, x.b + x.b_k[k], t);
    const auto alpha = broadcast<T, W>(x.alpha), beta = broadcast<T, W>(x.beta);
    const bool plain = x.alpha == T(1) && x.beta == T(0), reads = x.beta != T(0);
#pragma GCC unroll 16
    for (int m = 0; m < M; ++m) {
      T* const row = x.c + x.c_m[m];
#pragma GCC unroll 16
      for (int n = 0; n < N; ++n) {
        T* const c = row + n * x.c_n;
        vec<T, W> value = acc.sum[m][n];
        if (reads)
          value = fma(alpha, value, beta * load<T, W>(c));
        else if (!plain)
          value = alpha * value;
        store<T, W>(c, value);
      }
    }
    x.b += N * x.b_n;
    x.c += N * x.c_n;
  }
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
