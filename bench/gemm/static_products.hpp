#pragma once

#include <array>
#include <complex>

#include "gemm/batch.hpp"

/// Products whose sizes are known to the compiler: Tenfold's, Eigen's, plain loops,
/// and a register tile written by hand.
namespace tenfold::bench {

#if __has_include(<Eigen/Core>) || __has_include(<eigen3/Eigen/Core>)
inline constexpr bool has_eigen = true;
#else
inline constexpr bool has_eigen = false;
#endif

/// Functions of one size; null where there is none.
template <class T>
struct static_products {
  using function = void (*)(const gemm_batch<T>&);
  function tenfold = nullptr;
  function eigen = nullptr;
  function loops = nullptr;
  function hand = nullptr;
};

/// The orders that are compiled: for real scalars 1..32, complex ones 1..16, 20, 24, 32, and for
/// double 40, 48 and 64, which stream from memory.
template <class T>
constexpr bool has_order(int n) {
  if (n >= 1 && n <= 16) return true;
  if (n == 20 || n == 24 || n == 32) return true;
  if (n <= 32) return n > 16 && parts_of<T> == 1;
  return std::is_same_v<T, double> && (n == 40 || n == 48 || n == 64);
}

/// Orders 16 Part + 1 .. 16 Part + 16; a file of its own for each, compiled from squares.cpp.
template <class T, storage S, int Part>
static_products<T> squares_of_part(int n);

/// n x n times n x n, or nothing.
template <class T, storage S>
static_products<T> square_products(int n) {
  if (!has_order<T>(n)) return {};
  if (n <= 16) return squares_of_part<T, S, 0>(n);
  if (n <= 32) return squares_of_part<T, S, 1>(n);
  if constexpr (std::is_same_v<T, double>) {
    if (n <= 48) return squares_of_part<T, S, 2>(n);
    return squares_of_part<T, S, 3>(n);
  }
  return {};
}

struct gemm_sizes {
  int m, n, k;
  friend constexpr bool operator==(const gemm_sizes&, const gemm_sizes&) = default;
};

/// The contractions of finite elements with p nodes and q points in a direction, q = p + 1 and
/// p + 2: the first direction (q, p^2, p), and a later one with all before it, (q^2, q, p).
inline constexpr int first_nodes = 2, last_nodes = 9;
inline constexpr auto fem_sizes = [] {
  std::array<gemm_sizes, 4 * (last_nodes - first_nodes + 1)> all{};
  std::size_t i = 0;
  for (int p = first_nodes; p <= last_nodes; ++p) {
    for (int q = p + 1; q <= p + 2; ++q) {
      all[i++] = {q, p * p, p};
      all[i++] = {q * q, q, p};
    }
  }
  return all;
}();

/// Shape number i of fem_sizes, A shared by all problems.
static_products<double> fem_products(std::size_t i);

}  // namespace tenfold::bench
