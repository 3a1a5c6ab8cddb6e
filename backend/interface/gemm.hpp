#pragma once

#include <tenfold/tensor/extents.hpp>
#include <tenfold/tensor/layout.hpp>
#include <tenfold/tensor/scalar.hpp>

/// A batched matrix product as data:
///   C(b) := alpha A(b) B(b) + beta C(b)      A (m, k), B (k, n), C (m, n),   b < count
/// Transposed operands and row- or column-major storage are strides; a conjugate is a mark.
namespace tenfold {

class scatter_order;  // tensor/scatter_order.hpp

/// Where the entries of the matrices of one operand lie, but for what only a call tells. With
/// x(i, j) = i * row + j * column, entry (i, j) of problem b is at
///   strided      data + b * problem + x(i, j)
///   pointers     data[b] + x(i, j)
///   interleaved  data + b / block * problem + x(i, j) * block, lane b % block; a complex entry is
///                `block` real parts and `block` imaginary ones
///   gathered     data + map[b * problem + x(i, j)]; -1: no entry
struct matrix_batch {
  batch_layout layout = batch_layout::strided;
  index row = 0, column = 0;
  index block = 1;      ///< interleaved: problems whose entries are neighbours
  bool shared = false;  ///< one matrix serves all problems
  bool conjugated = false;

  [[gnu::always_inline]] friend constexpr bool operator==(const matrix_batch&,
                                                          const matrix_batch&) = default;
};

/// The same entries read as the transposed matrices.
[[gnu::always_inline]] constexpr matrix_batch transposed(matrix_batch x) {
  const index row = x.row;
  x.row = x.column;
  x.column = row;
  return x;
}

/// What the program of a batched product depends on.
struct gemm_shape {
  scalar type = scalar::f64;
  index m = 0, n = 0, k = 0;
  matrix_batch a, b, c;

  [[gnu::always_inline]] friend constexpr bool operator==(const gemm_shape&,
                                                          const gemm_shape&) = default;
};

/// The same product read from the other side: C^T := alpha B^T A^T + beta C^T.
[[gnu::always_inline]] constexpr gemm_shape transposed(const gemm_shape& s) {
  return {s.type, s.n, s.m, s.k, transposed(s.b), transposed(s.a), transposed(s.c)};
}

/// Which maps of gathered operands have 64-bit integers.
struct wide_maps {
  bool a = false, b = false, c = false;

  friend constexpr bool operator==(const wide_maps&, const wide_maps&) = default;
};
/// Those of the product read from the other side.
constexpr wide_maps transposed(const wide_maps& x) { return {x.b, x.a, x.c}; }

/// How the matrices of one strided operand of a call lie, for code that copies several bytes at a
/// time.
struct batch_alignment {
  int bytes = 16;  ///< the largest power of two up to 16 that divides the address of the first
  int step = 0;    ///< likewise of the way from problem to problem; 0: they lie side by side

  friend constexpr bool operator==(const batch_alignment&, const batch_alignment&) = default;
};
struct gemm_alignment {
  batch_alignment a, b, c;

  friend constexpr bool operator==(const gemm_alignment&, const gemm_alignment&) = default;
};
/// Those of the product read from the other side.
constexpr gemm_alignment transposed(const gemm_alignment& x) { return {x.b, x.a, x.c}; }

/// Flops of one product, a complex multiply-add being four real ones.
[[gnu::always_inline]] constexpr double flops_of(const gemm_shape& s) {
  return 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k) *
         (is_complex(s.type) ? 4 : 1);
}

/// What a call tells of one operand.
struct batch_place {
  const void* data = nullptr;  ///< entries; of `pointers` the list of addresses
  index problem = 0;           ///< entries, or map entries, from one problem or block to the next
  const void* map = nullptr;   ///< gathered: 32 or 64 bit integers
  bool wide_map = false;
  /// Gathered: in which order threads add results; null: one thread, problem by problem.
  const scatter_order* order = nullptr;
};

template <class T>
struct gemm_arguments {
  batch_place a, b, c;
  index count = 0;
  T alpha = T(1), beta = T(0);
};

/// A copy between two layouts: entry (i, j) of problem b of `to` := that of `from`.
struct batch_copy {
  index rows = 0, columns = 0, count = 0;
  matrix_batch from, to;
  batch_place source, destination;
};

template <class T>
constexpr gemm_arguments<T> transposed(const gemm_arguments<T>& g) {
  return {g.b, g.a, g.c, g.count, g.alpha, g.beta};
}

}  // namespace tenfold
