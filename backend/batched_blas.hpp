#pragma once

#include <tenfold/backend/batch_info.hpp>
#include <tenfold/backend/batch_operand.hpp>
#include <tenfold/backend/cpu/gemm_static.hpp>
#include <tenfold/backend/launch.hpp>
#include <type_traits>

/// Batched BLAS: many small matrix products in one call,
///   C(b) := alpha op(A(b)) op(B(b)) + beta C(b)        C (m, n), op(A) (m, k), op(B) (k, n)
///
/// for float, double and std::complex of them, any alpha and beta, fixed batches, variable batches
/// and groups. beta = 0: C is not read. alpha = 0 or k = 0: A and B are not read. A batch of
/// nothing, and matrices without entries, are legal. Work is shared among the threads of the
/// caller's TBB arena; results depend neither on their number nor on the size of the batch or a
/// problem's place in it.
namespace tenfold {

/// What a matrix is multiplied as.
enum class op : unsigned char { none, transpose, conjugate_transpose };

/// Which entries of a matrix in memory are neighbours: those of a row, or those of a column.
enum class order : unsigned char { row_major, column_major };

/// One problem of a variable batch: C := alpha op_a(A) op_b(B) + beta C. Leading dimensions count
/// entries from one row (row-major) or column to the next in memory.
template <class T>
struct gemm_problem {
  op op_a = op::none, op_b = op::none;
  index m = 0, n = 0, k = 0;
  T alpha = T(1);
  const T* a = nullptr;
  index lda = 0;
  const T* b = nullptr;
  index ldb = 0;
  T beta = T(0);
  T* c = nullptr;
  index ldc = 0;
};

/// One group of a batch: `count` problems that share all but their matrices.
template <class T>
struct gemm_group {
  op op_a = op::none, op_b = op::none;
  index m = 0, n = 0, k = 0;
  T alpha = T(1);
  index lda = 0, ldb = 0;
  T beta = T(0);
  index ldc = 0;
  index count = 0;
};

// ---- pointers with sizes; T: float, double, std::complex<float>, std::complex<double> -----------

/// A fixed batch in strided storage: problem b has A at a + b * stride_a, and so on; stride 0 of A
/// or B shares one matrix among all. Throws as batch_info says; overlap_error if C meets itself, A
/// or B.
template <class T>
void gemm(order layout, op op_a, op op_b, index m, index n, index k, std::type_identity_t<T> alpha,
          const T* a, index lda, index stride_a, const T* b, index ldb, index stride_b,
          std::type_identity_t<T> beta, T* c, index ldc, index stride_c, index count,
          batch_info info = {});

/// A fixed batch of matrices at given addresses. That no C meets another problem's matrix is the
/// caller's duty, checked when the library is built without NDEBUG. Throws shape_error for a
/// negative count and for a null list that a problem reads or writes; otherwise as batch_info says.
template <class T>
void gemm(order layout, op op_a, op op_b, index m, index n, index k, std::type_identity_t<T> alpha,
          const T* const* a, index lda, const T* const* b, index ldb, std::type_identity_t<T> beta,
          T* const* c, index ldc, index count, batch_info info = {});

/// Groups of fixed batches: the lists of addresses hold those of the first group, then those of the
/// second, ... Throws as a batch at addresses, also where the list of groups is null.
template <class T>
void gemm(order layout, const gemm_group<T>* groups, index group_count, const T* const* a,
          const T* const* b, T* const* c, batch_info info = {});

/// A variable batch: every problem has sizes and factors of its own. What a shape needs is prepared
/// once for all its problems, which run in the order given. Throws as a batch at addresses, and
/// shape_error for 2^30 problems or more.
template <class T>
void gemm(order layout, const gemm_problem<T>* problems, index count, batch_info info = {});

// ---- views --------------------------------------------------------------------------------------

namespace batched_blas {

/// An operand of a call over views as data.
struct matrices {
  matrix_batch how;
  batch_place place;
  index rows = 0, columns = 0;  ///< as stored
  index count = -1;             ///< problems; -1: one matrix for all
  device space = device::cpu;   ///< whose addresses they are
};

/// Whether a type is a matrix or a batch of matrices: rank 2 of another layout is a batch of
/// vectors.
template <class X>
inline constexpr bool holds_matrices = operand_traits_of<X>::rank == 3 ||
                                       (operand_traits_of<X>::rank == 2 &&
                                        operand_traits_of<X>::layout == batch_layout::strided);

/// op(X): how the matrices of an operand of this shape are stored for the product.
constexpr matrix_batch applied(op f, const operand_shape<3>& shape) {
  matrix_batch x = matrices_of(shape);
  x.shared = shape.rank == 2;
  if (f == op::none) return x;
  x.conjugated = is_complex(shape.type) && x.conjugated != (f == op::conjugate_transpose);
  return transposed(x);
}

/// Stops the compiler unless A, B and C are matrices or batches of them, of one scalar.
template <class A, class B, class C>
constexpr void require_matrices() {
  using T = typename operand_traits_of<C>::scalar_t;
  static_assert(std::is_same_v<typename operand_traits_of<const A>::scalar_t, T> &&
                    std::is_same_v<typename operand_traits_of<const B>::scalar_t, T>,
                "tenfold: A, B and C of a gemm must have one scalar");
  static_assert(holds_matrices<A> && holds_matrices<B> && holds_matrices<C>,
                "tenfold: A, B and C of a gemm must be matrices or batches of matrices, not of "
                "vectors");
}

template <class X>
matrices matrices_of(X& x, op f) {
  const operand_shape<3> shape = shape_of<3>(x);
  const auto last = static_cast<std::size_t>(shape.rank - 1);
  matrices r{applied(f, shape), place_of(x), shape.extents[last - 1], shape.extents[last]};
  r.space = shape.space;
  if (shape.rank == 3) {
    r.count = shape.extents[0];
    r.how.shared = shape.layout == batch_layout::strided && r.place.problem == 0;
  }
  if (r.count <= 1) r.place.problem = 0;  // nothing steps over it, so it may be anything
  return r;
}

/// m, n, k and the number of problems of a checked call; m = 0: there is nothing to do.
struct call_sizes {
  index m = 0, n = 0, k = 0, count = 0;
};

/// Checks extents, addresses and overlap. Throws shape_error or overlap_error.
call_sizes check(const matrices& a, op op_a, const matrices& b, op op_b, const matrices& c,
                 scalar type, bool reads_ab);

/// C(b) := alpha A(b) B(b) + beta C(b) for operands that `check` found right, on the library's
/// micro-kernels.
template <class T>
void multiply(const call_sizes& n, const matrices& a, const matrices& b, const matrices& c, T alpha,
              T beta);

/// The shape of a product of these types, or one whose k is `dyn` if they do not tell all of it.
template <class A, class B, class C, op OpA, op OpB>
constexpr gemm_shape static_shape() {
  const auto a = static_shape_of<A, 3>(), b = static_shape_of<B, 3>(), c = static_shape_of<C, 3>();
  const auto rows = [](const auto& x) { return x.extents[static_cast<std::size_t>(x.rank - 2)]; };
  const auto columns = [](const auto& x) {
    return x.extents[static_cast<std::size_t>(x.rank - 1)];
  };
  gemm_shape s;
  s.type = c.type;
  s.m = rows(c);
  s.n = columns(c);
  s.k = OpA == op::none ? columns(a) : rows(a);
  if (s.k == dyn) s.k = OpB == op::none ? rows(b) : columns(b);
  s.a = applied(OpA, a);
  s.b = applied(OpB, b);
  s.c = applied(op::none, c);
  const auto open = [](const matrix_batch& x) {
    return x.row == dyn || x.column == dyn || x.block == dyn;
  };
  if (s.m == dyn || s.n == dyn || open(s.a) || open(s.b) || open(s.c)) s.k = dyn;
  return s;
}

}  // namespace batched_blas

/// C(b) := alpha op_a(A(b)) op_b(B(b)) + beta C(b). Operands of rank 3 are batches, of any layout
/// (tensor, view, interleaved, pointers, gathered) in any combination; those of rank 2 one matrix,
/// which all problems share (C: a single product). Extents, strides and blocks that the types tell
/// make code for this size; else the library's runs.
///
/// A product also writes the pad lanes, those behind the last problem, of an interleaved C wherever
/// whole vectors of lanes are stored: what they hold afterwards is not specified.
///
///     gemm(1.0, A, B, 0.0, C);
///     gemm<op::none, op::transpose>(2.0, A, B, 1.0, C);
///
/// Throws shape_error for extents that do not fit and null data, overlap_error if C meets itself, A
/// or B. The caller sees to it that no C at an address overlaps a matrix of another problem, and
/// that entries that a map names overlap no other operand; a library built without NDEBUG checks
/// that.
template <op OpA = op::none, op OpB = op::none, class Machine = cpu::this_machine, tensor_like A,
          tensor_like B, tensor_like C>
void gemm(typename operand_traits_of<C>::scalar_t alpha, const A& a, const B& b,
          typename operand_traits_of<C>::scalar_t beta, C&& c) {
  using T = typename operand_traits_of<C>::scalar_t;
  using namespace batched_blas;
  require_matrices<A, B, C>();
  static_assert(operand_traits_of<C>::is_writable,
                "tenfold: the result C of a gemm is const, or can only be read");
  static_assert(!owns_entries<C>, "tenfold: the result C of a gemm has no name: it would be lost");
  static_assert(operand_traits_of<A>::space == device::cpu &&
                    operand_traits_of<B>::space == device::cpu &&
                    operand_traits_of<C>::space == device::cpu,
                "tenfold: a gemm of operands in a device's memory needs on(...)");
  if constexpr (holds_matrices<A> && holds_matrices<B> && holds_matrices<C>) {
    const matrices x = matrices_of(a, OpA), y = matrices_of(b, OpB);
    const matrices z = matrices_of(c, op::none);
    const bool reads_ab = alpha != T(0);
    const call_sizes n = check(x, OpA, y, OpB, z, scalar_of<T>, reads_ab);
    constexpr gemm_shape known = static_shape<const A, const B, C, OpA, OpB>();
    if constexpr (known.k != dyn && known.m > 0 && known.n > 0 && known.k > 0) {
      if (n.m == 0) return;
      if (reads_ab)
        return cpu::run_static_gemm<known>(
            gemm_arguments<T>{x.place, y.place, z.place, n.count, alpha, beta});
    }
    multiply<T>(n, x, y, z, alpha, beta);
  }
}

}  // namespace tenfold
