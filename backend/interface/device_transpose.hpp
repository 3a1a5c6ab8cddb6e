#pragma once

#include <tenfold/tensor/scalar_kind.hpp>

/// Entries put in an order on a GPU in which others are neighbours. This header is read by NVRTC
/// too and includes nothing of the standard library.
namespace tenfold {

/// What a text is made of. Extents are not in it.
struct device_transpose {
  scalar from = scalar::f64, to = scalar::f64;  ///< what lies in memory
  bool conjugated = false;
  int sign = 1;
  bool finishes = false;  ///< y := alpha (...) + beta y instead; beta == 0: y is not read
  int side = 32;          ///< of the square parts that go through shared memory
  int threads = 128;      ///< of a block
  int blocks = 8;         ///< that a multiprocessor shall have room for
  int at_once = 1;        ///< entries of 16 bytes together, where addresses allow it

  friend constexpr bool operator==(const device_transpose&, const device_transpose&) = default;
};

/// Bytes of shared memory of one block, of entries of so many bytes.
constexpr long long device_transpose_bytes(const device_transpose& how, long long entry_bytes) {
  return entry_bytes * how.side * (how.side + 1);
}

inline constexpr int max_transpose_loops = 6;

/// The one argument of the device kernel; all addresses are the device's:
///   y[b][j][i] := x[b][i][j],  x at i x_row + j, y at j y_row + i, and b, by so many loops, the
///   fastest last, at the sum of b_l x_steps[l] and of b_l y_steps[l]
template <class T>
struct device_transpose_arguments {
  const void* x = nullptr;
  void* y = nullptr;
  long long rows = 0, columns = 0;  ///< of i and j
  long long x_row = 0, y_row = 0;
  int loops = 0;
  bool together = false;  ///< all rows begin at multiples of 16 bytes
  long long extents[max_transpose_loops] = {};
  long long x_steps[max_transpose_loops] = {}, y_steps[max_transpose_loops] = {};
  T alpha{}, beta{};
};

}  // namespace tenfold
