#pragma once

#include <tenfold/backend/batched_blas.hpp>
#include <tenfold/backend/cuda/device_queue.hpp>
#include <tenfold/backend/cuda/gemm.hpp>
#include <tenfold/tensor/device_view.hpp>

/// Batched BLAS on a device. Operands are device_tensor or device_view; one of the host does not
/// compile.
namespace tenfold {

/// C(b) := alpha op_a(A(b)) op_b(B(b)) + beta C(b) as `gemm` without a place, on the stream of
/// `where`, of operands in that device's memory. Returns when it is started. Once the code of a
/// shape is loaded a call neither waits nor allocates on the device; but where results are added
/// through a map (gathered C), a beta other than 0 and 1 does both.
///
/// An entry that a map names is scaled by beta once, however often it is named, and then gets all
/// contributions, in any order: its last bits may differ from run to run.
///
///     gemm(on(device::cuda, stream), 1.0, A, B, 0.0, C);
///
/// Throws shape_error and overlap_error as the other does, before anything is started, and
/// backend_error for what the device cannot do, and for a device_tensor of another one; a view does
/// not know whose its addresses are. Addresses in lists are not looked at.
template <op OpA = op::none, op OpB = op::none, tensor_like A, tensor_like B,
          writable_tensor_like C>
void gemm(const device_queue& where, typename operand_traits_of<C>::scalar_t alpha, const A& a,
          const B& b, typename operand_traits_of<C>::scalar_t beta, C&& c) {
  using T = typename operand_traits_of<C>::scalar_t;
  static_assert(operand_traits_of<A>::space == device::cuda &&
                    operand_traits_of<B>::space == device::cuda &&
                    operand_traits_of<C>::space == device::cuda,
                "tenfold: A, B and C of a gemm on a device must lie in its memory");
  static_assert(!owns_entries<C>, "tenfold: the result C of a gemm has no name: it would be lost");
  using namespace batched_blas;
  require_matrices<A, B, C>();
  require_memory(where, a, [] { return "tenfold: gemm: A"; });
  require_memory(where, b, [] { return "tenfold: gemm: B"; });
  require_memory(where, c, [] { return "tenfold: gemm: C"; });
  const matrices x = matrices_of(a, OpA), y = matrices_of(b, OpB);
  const matrices z = matrices_of(c, op::none);
  const call_sizes n = check(x, OpA, y, OpB, z, scalar_of<T>, alpha != T(0));
  if (n.m == 0) return;
  cuda::gemm(*where.machine, gemm_shape{scalar_of<T>, n.m, n.n, n.k, x.how, y.how, z.how},
             gemm_arguments<T>{x.place, y.place, z.place, n.count, alpha, beta}, where.stream);
}

// ---- pointers with sizes; T: float, double, std::complex<float>, std::complex<double> -----------
//
// All addresses of matrices, and the lists of them, are the device's; sizes and groups are read on
// the host, before these return. What is wrong with sizes throws shape_error, and with addresses
// of strided batches overlap_error, before anything is started; what lists hold is not looked at.

/// A fixed batch in strided storage, as gemm without a place.
template <class T>
void gemm(const device_queue& where, order layout, op op_a, op op_b, index m, index n, index k,
          std::type_identity_t<T> alpha, const T* a, index lda, index stride_a, const T* b,
          index ldb, index stride_b, std::type_identity_t<T> beta, T* c, index ldc, index stride_c,
          index count);

/// A fixed batch of matrices at the addresses that the lists hold.
template <class T>
void gemm(const device_queue& where, order layout, op op_a, op op_b, index m, index n, index k,
          std::type_identity_t<T> alpha, const T* const* a, index lda, const T* const* b, index ldb,
          std::type_identity_t<T> beta, T* const* c, index ldc, index count);

/// Groups of fixed batches: the lists hold the addresses of the first group, then those of the
/// second, ... Each group is a launch, but neighbours of large real matrices go to cuBLAS together,
/// where it is (gpu.md).
template <class T>
void gemm(const device_queue& where, order layout, const gemm_group<T>* groups, index group_count,
          const T* const* a, const T* const* b, T* const* c);

/// A variable batch whose problems lie on the device, sizes and all: nobody waits for them, and one
/// launch computes all. `codes`, on the device or null, gets 0 for each problem, or -i where its
/// argument i is illegal (batch_info.hpp); then its C is left as it is, and the others are
/// computed. The work is cut for problems of `usual` rows and columns; others are computed as well.
/// That no C meets another matrix, the A and B of its own problem included, and that no matrix goes
/// beyond 2^62 bytes, is the caller's duty. Throws shape_error for a negative count.
template <class T>
void gemm(const device_queue& where, order layout, const gemm_problem<T>* problems, index count,
          int* codes = nullptr, index usual = 32);

}  // namespace tenfold
