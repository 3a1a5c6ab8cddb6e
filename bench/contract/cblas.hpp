#pragma once

#include <tenfold/tenfold.hpp>

#include "common/module.hpp"

namespace tenfold::bench {

template <class T>
using cblas_gemm = void(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);

/// ?gemm of a library that has the C interface of BLAS; null where it is not open.
template <class T>
cblas_gemm<T>* gemm_of(const module& library) {
  return library.symbol<cblas_gemm<T>>(sizeof(T) == 8 ? "cblas_dgemm" : "cblas_sgemm");
}

/// How a matrix lies in memory: row after row, or column after column.
enum class order { rows, columns };

/// C := A B of packed matrices, C [m, n] row after row.
template <class T>
void multiply(cblas_gemm<T>* gemm, index m, index n, index k, const T* a, order a_is, const T* b,
              order b_is, T* c) {
  constexpr int row_major = 101, plain = 111, transposed = 112;
  const auto leading = [](order is, index rows, index columns) {
    return static_cast<int>(is == order::rows ? columns : rows);
  };
  gemm(row_major, a_is == order::rows ? plain : transposed,
       b_is == order::rows ? plain : transposed, static_cast<int>(m), static_cast<int>(n),
       static_cast<int>(k), T(1), a, leading(a_is, m, k), b, leading(b_is, k, n), T(0), c,
       static_cast<int>(n));
}

}  // namespace tenfold::bench
