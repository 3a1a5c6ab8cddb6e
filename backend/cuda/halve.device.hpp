#pragma once

#include <tenfold/backend/cuda/base.device.hpp>
#include <tenfold/backend/interface/device_halve.hpp>

/// Matrices that are symmetric or antisymmetric under reflection, A[M-1-m][K-1-k] = s A[m][k], in
/// halves, by which a product takes half the multiplications.
namespace tenfold::cuda {

// E[m][k] = (A[m][k] + A[m][K-1-k]) / 2, O[m][k] = (A[m][k] - A[m][K-1-k]) / 2        A (M, K)
//   s = 1: E[m][k] at (m, k), O[m][k] at (M-1-m, K-1-k);  s = -1: at (M-1-m, k) and (m, K-1-k)
//   m below M / 2, rounded up for E and down for O where s = 1, the other way round where s = -1; k
//   below K / 2, rounded up for E and down for O. All other entries are 0.
// Grid: one block of device_halve_threads threads.
template <class T>
TENFOLD_DEVICE void halve(const device_halve_arguments<T>& x) {
  const bool is_odd = x.kind == reflection::odd;
  const long long M = x.rows, K = x.columns;
  for (long long i = thread_index(); i < M * K; i += device_halve_threads) {
    const long long row = i / K, column = i % K, below = M - 1 - row;
    const long long m_even = is_odd ? below : row, m_odd = is_odd ? row : below,
                    k_odd = K - 1 - column;
    T half{};
    if (m_even < (is_odd ? M / 2 : (M + 1) / 2) && column < (K + 1) / 2) {
      const T* const a = x.from + m_even * x.row;
      half = multiply(T(0.5), add(a[column * x.column], a[(K - 1 - column) * x.column]));
    } else if (m_odd < (is_odd ? (M + 1) / 2 : M / 2) && k_odd < K / 2) {
      const T* const a = x.from + m_odd * x.row;
      half = multiply(T(0.5), add(a[k_odd * x.column], negate(a[(K - 1 - k_odd) * x.column])));
    }
    x.to[i] = half;
  }
}

}  // namespace tenfold::cuda
