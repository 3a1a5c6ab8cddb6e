#pragma once

#include <tenfold/batched_blas.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

namespace tenfold::bench {

/// Row-major matrices one after the other, or blocks of simd_block<T> problems.
enum class storage { strided, interleaved };

constexpr const char* name_of(storage s) {
  return s == storage::strided ? "strided" : "interleaved";
}

/// Real numbers in an entry.
template <class T>
constexpr int parts_of = is_complex(scalar_of<T>) ? 2 : 1;

/// C(b) := A(b) B(b) + beta C(b), b < count: m x k times k x n. A shared A is one row-major matrix.
/// Interleaved counts are multiples of simd_block<T>; beta is 0 or 1.
template <class T>
struct gemm_batch {
  using real = real_type<T>;

  storage where = storage::strided;
  int m = 0, n = 0, k = 0;
  std::ptrdiff_t count = 0;
  bool shared_a = false;
  T beta = T(0);
  const T* a = nullptr;
  const T* b = nullptr;
  T* c = nullptr;

  std::ptrdiff_t a_size() const { return std::ptrdiff_t{m} * k; }
  std::ptrdiff_t b_size() const { return std::ptrdiff_t{k} * n; }
  std::ptrdiff_t c_size() const { return std::ptrdiff_t{m} * n; }
  std::ptrdiff_t a_step() const { return shared_a ? 0 : a_size(); }

  double flops() const {
    return (parts_of<T> == 2 ? 8.0 : 2.0) * m * n * k * static_cast<double>(count);
  }
  /// Of each matrix once, of C twice where it is read.
  double bytes() const {
    const double c_passes = beta == T(0) ? 1 : 2;
    const double entries =
        static_cast<double>(count) * static_cast<double>((shared_a ? 0 : a_size()) + b_size()) +
        static_cast<double>(count) * c_passes * static_cast<double>(c_size()) +
        static_cast<double>(shared_a ? a_size() : 0);
    return entries * sizeof(T);
  }

  /// Where a part of an entry of a problem lies, in reals, among problems of `size` entries.
  std::ptrdiff_t place(std::ptrdiff_t problem, std::ptrdiff_t entry, std::ptrdiff_t size,
                       int part) const {
    constexpr std::ptrdiff_t W = simd_block<T>;
    constexpr std::ptrdiff_t parts = parts_of<T>;
    if (where == storage::strided) return (problem * size + entry) * parts + part;
    return ((problem / W * size + entry) * parts + part) * W + problem % W;
  }
};

}  // namespace tenfold::bench
