#pragma once

#include <tenfold/backend/cpu/register_tile.hpp>

/// Two products along one axis, there and back, and between them what is done entry by entry.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Pointers and strides, in scalars, of one sandwich.
template <class T>
struct sandwich_operands {
  const T* a1 = nullptr;
  const T* b = nullptr;
  const T* a2 = nullptr;
  T* c = nullptr;
  index a1_q = 0, a1_k = 0;
  index b_k = 0, b_n = 0;
  index a2_m = 0, a2_q = 0;
  index c_m = 0, c_n = 0;
  T alpha = T(1), beta = T(0);  ///< only with epilogue::update
};

// C[m][n] := sum_q A2[m][q] at(q, n, sum_k A1[q][k] B[k][n])      m < M, n < N, k < K, q < Q
//   A1, A2  uniform: one scalar for all lanes; strides a1_q, a1_k and a2_m, a2_q
//   B       lanes; strides b_k, b_n
//   at      what is done to entry (q, n), once for each: for the mass operator it is scaled. May
//           read and write other values of that entry
//   C       lanes; strides c_m, c_n; it may overlap B where it is the same entries, line by line
//   finish: overwrite | update | add, as for register_tile;  beta == 0: C is not read
// An interpolation or derivative at Q points, what is done there, and its transpose on one axis:
// the Q values per column never leave the registers and L1.
template <class T, int W, int Q, int K, int M, int N, epilogue Finish, class At>
[[gnu::always_inline]] inline void sandwich(const sandwich_operands<T> s, At at) {
  constexpr tile_modes how{};
  accumulators<T, W, Q, N> points;
  {
    tile_operands<T> t;
    t.a_m = s.a1_q;
    t.a_k = s.a1_k;
    t.b_k = s.b_k;
    t.b_n = s.b_n;
    points.template accumulate<K, how, true>(rows<W, Q, N, K, lane_access::uniform>(s.a1), s.b, t,
                                             K);
  }
#pragma GCC unroll 16
  for (int q = 0; q < Q; ++q)
#pragma GCC unroll 16
    for (int n = 0; n < N; ++n) points.sum[q][n] = at(q, n, points.sum[q][n]);

  const T* const a2 = rows<W, M, N, Q, lane_access::uniform>(s.a2);
  accumulators<T, W, M, N> acc;
#pragma GCC unroll 16
  for (int q = 0; q < Q; ++q)
#pragma GCC unroll 16
    for (int m = 0; m < M; ++m) {
      const vec<T, W> row = broadcast<T, W>(a2[m * s.a2_m + q * s.a2_q]);
#pragma GCC unroll 16
      for (int n = 0; n < N; ++n)
        acc.sum[m][n] = q == 0 ? row * points.sum[q][n] : fma(row, points.sum[q][n], acc.sum[m][n]);
    }
  tile_operands<T> t;
  t.c = s.c;
  t.c_m = s.c_m;
  t.c_n = s.c_n;
  t.alpha = s.alpha;
  t.beta = s.beta;
  acc.template finish<Finish>(t);
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
