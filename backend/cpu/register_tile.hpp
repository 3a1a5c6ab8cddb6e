#pragma once

#include <algorithm>
#include <tenfold/backend/cpu/accumulators.hpp>

/// The micro-kernel that all products come down to.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

// C[m][n] := sum_k A[m][k] B[k][n]         m < M, n < N, k < K; every entry is W lanes
//   A  uniform: one scalar for all lanes, or lanes: W consecutive scalars; strides a_m, a_k, and
//      a_n where it varies with n
//   B  lanes or uniform; strides b_k, b_n
//   C  lanes; strides c_m, c_n; it may not overlap A or B
//   How.tail: of the last column only the first How.tail, or t.tail, entries of B and C exist;
//      behind another column it is drawn back over that one's last entries.
//   How.last: the last column is a vector of so many lanes: the tail is of these
//   How.ahead: lines of A, B and C to come are fetched meanwhile, where t.next.fetches
//   How.fetches_run: lines from t.next.a on are fetched meanwhile, where t.next.fetches
//   How.streams: C goes past the caches where t.past_caches
//   split: complex lanes, W real parts, and their imaginary parts a_im, b_im, c_im reals behind
//   How.conjugate_a: conj(A[m][k]) for A[m][k]
//   finish: overwrite  C := sum  |  update  C := alpha sum + beta C;  beta == 0: C is not read
//           | add  C := C + sum, real numbers only
// K = dynamic_k: `k_extent` is the extent. Extent 0 gives the empty sum. Edges are the caller's: it
// asks for a smaller M or N. Inlined into its caller, so that strides it knows become constants.
template <class T, int W, int M, int N, int K, tile_modes How, epilogue Finish>
[[gnu::always_inline]] inline void register_tile(const tile_operands<T> t, index k_extent = K) {
  if constexpr (How.ahead != select::fetch::none && is_unrolled<W, M, N, K>(How)) {
    const fetch_cursor& next = t.next;
    if (next.fetches) {
      if constexpr (M * N * K <= select::unrolled_products) {
        fetch_bytes<How.ahead>(next.a, next.b, next.c, K * next.rate_a, K * next.rate_b,
                               K * next.rate_c);
      } else {
        constexpr tile_modes spread = as_loop(How);
        return register_tile<T, W, M, N, K, spread, Finish>(t, k_extent);
      }
    }
  }
  accumulators<T, W, M, N, (How.last > 0 ? How.last : W)> acc;
  acc.template accumulate<K, How, true>(rows<W, M, N, K, How.a>(t.a), t.b, t, k_extent);
  acc.template finish<Finish, How>(t);
}

// The same with more contracted loops around k, outermost first, at most max_step_loops:
//   C[m][n] := sum_(k_outer..., k) A[m][k_outer..., k] B[k_outer..., k][n]
template <class T, int W, int M, int N, int K, tile_modes How, epilogue Finish>
[[gnu::always_inline]] inline void register_tile(const tile_operands<T> t, const step_loop* k_outer,
                                                 int k_outer_count, index k_extent = K) {
  accumulators<T, W, M, N> acc;
  acc.clear();
  index total = 1;
  for (int i = 0; i < k_outer_count; ++i) total *= k_outer[i].extent;
  index counter[max_step_loops];
  std::fill_n(counter, k_outer_count, index{0});
  const T* a = t.a;
  const T* b = t.b;
  for (index done = 0; done < total; ++done) {
    acc.template accumulate<K, How, false>(rows<W, M, N, K, How.a>(a), b, t, k_extent);
    for (int i = k_outer_count - 1; i >= 0; --i) {
      a += k_outer[i].a;
      b += k_outer[i].b;
      if (++counter[i] < k_outer[i].extent) break;
      counter[i] = 0;
      a -= k_outer[i].extent * k_outer[i].a;
      b -= k_outer[i].extent * k_outer[i].b;
    }
  }
  acc.template finish<Finish, How>(t);
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
