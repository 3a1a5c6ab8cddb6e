#pragma once

#include <tenfold/backend/interface/gemm.hpp>

/// A batched product as the BLAS of a device's vendor takes it: matrices lie by columns.
///   C(b) := alpha op(A(b)) op(B(b)) + beta C(b)
///   op(A) (m, k), op(B) (k, n), C (m, n), b < count
namespace tenfold {

/// What becomes of a stored matrix before it is multiplied.
enum class library_op : unsigned char { none, transpose, conjugate_transpose };

/// What of it a gemm_shape tells.
struct library_product {
  bool possible = false;
  bool transposed = false;  ///< of the shape: it is C^T := B^T A^T, so that C lies by columns
  scalar type = scalar::f64;
  batch_layout layout = batch_layout::strided;  ///< of all three: strided or pointers
  index m = 0, n = 0, k = 0;
  library_op op_a = library_op::none, op_b = library_op::none;
  index lda = 0, ldb = 0, ldc = 0;  ///< entries from one stored column to the next

  friend constexpr bool operator==(const library_product&, const library_product&) = default;
};

/// What of it a call tells: gemm_arguments of any scalar. One matrix for all problems is 0 entries
/// from one problem to the next.
struct library_arguments {
  batch_place a, b, c;
  index count = 0;
  const void* alpha = nullptr;
  const void* beta = nullptr;
};

/// Both: what the library is asked for.
struct library_call {
  library_product product;
  library_arguments arguments;
};

}  // namespace tenfold
