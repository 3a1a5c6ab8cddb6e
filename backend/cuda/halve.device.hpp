#pragma once

#include <tenfold/backend/cuda/base.device.hpp>
#include <tenfold/backend/interface/device_halve.hpp>

/// Matrices that are symmetric or antisymmetric under reflection, A[M-1-m][K-1-k] = s A[m][k], in
/// halves, by which a product takes half the multiplications.
namespace tenfold::cuda {

// E and O of device_halves. Grid: one block of device_halve_threads threads.
template <class T>
TENFOLD_DEVICE void halve(const device_halve_arguments<T>& x) {
  const device_halves halves{x.kind, x.rows, x.columns};
  for (long long i = thread_index(); i < halves.entries(); i += device_halve_threads) {
    const bool is_even = i < halves.odd_begin();
    const long long at = is_even ? i : i - halves.odd_begin(),
                    columns = is_even ? halves.even_columns() : halves.odd_columns();
    const long long m = at / columns, k = at % columns;
    const T* const a = x.from + m * x.row;
    const T left = a[k * x.column], right = a[(x.columns - 1 - k) * x.column];
    x.to[i] = multiply(T(0.5), add(left, is_even ? right : negate(right)));
  }
}

}  // namespace tenfold::cuda
