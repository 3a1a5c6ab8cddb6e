#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "c_call.hpp"

// Groups and strided batches: the arguments of C as those of batched_blas.hpp.

namespace tenfold::c_interface {
namespace {

/// cblas_Sgemm_batch; with `info`, tenfold_Sgemm_batch_info.
template <class T, class Int>
void multiply_groups(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE* transa,
                     const CBLAS_TRANSPOSE* transb, const Int* m, const Int* n, const Int* k,
                     const entry<T>* alpha, const entry<T>** a, const Int* lda, const entry<T>** b,
                     const Int* ldb, const entry<T>* beta, entry<T>** c, const Int* ldc,
                     Int group_count, const Int* group_size, batch_info info) {
  const order stored = order_of(layout);
  require(group_count >= 0, 15);
  if (group_count == 0) return;
  const std::pair<const void*, int> lists[] = {{transa, 2}, {transb, 3}, {m, 4},          {n, 5},
                                               {k, 6},      {alpha, 7},  {lda, 9},        {ldb, 11},
                                               {beta, 12},  {ldc, 14},   {group_size, 16}};
  for (const auto& [list, position] : lists) require(list != nullptr, position);

  gemm_group<T> one;  // the usual call has one group: nothing is allocated for it
  std::vector<gemm_group<T>> many(group_count > 1 ? static_cast<std::size_t>(group_count) : 0);
  gemm_group<T>* const groups = group_count > 1 ? many.data() : &one;
  bool writes = false, reads = false;
  for (Int i = 0; i < group_count; ++i) {
    require(group_size[i] >= 0, 16);
    gemm_group<T>& g = groups[i];
    g = {op_of(transa[i], 2),
         op_of(transb[i], 3),
         m[i],
         n[i],
         k[i],
         static_cast<const T*>(alpha)[i],
         lda[i],
         ldb[i],
         static_cast<const T*>(beta)[i],
         ldc[i],
         group_size[i]};
    const bool has_result = g.count > 0 && g.m > 0 && g.n > 0;
    writes = writes || has_result;
    reads = reads || (has_result && g.k > 0 && g.alpha != T(0));
  }
  require(!reads || a != nullptr, 8);
  require(!reads || b != nullptr, 10);
  require(!writes || c != nullptr, 13);
  gemm(stored, groups, group_count, reinterpret_cast<const T* const*>(a),
       reinterpret_cast<const T* const*>(b), reinterpret_cast<T* const*>(c), info);
}

/// cblas_Sgemm_batch_strided
template <class T, class Int>
void multiply_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, Int m,
                      Int n, Int k, factor<T> alpha, const entry<T>* a, Int lda, Int stridea,
                      const entry<T>* b, Int ldb, Int strideb, factor<T> beta, entry<T>* c, Int ldc,
                      Int stridec, Int batch_size) {
  const order stored = order_of(layout);
  const op op_a = op_of(transa, 2), op_b = op_of(transb, 3);
  const T factor_ab = value_of<T>(alpha, 7), factor_c = value_of<T>(beta, 14);
  require(batch_size >= 0, 18);
  int code = 0;
  gemm(stored, op_a, op_b, m, n, k, factor_ab, static_cast<const T*>(a), lda, stridea,
       static_cast<const T*>(b), ldb, strideb, factor_c, static_cast<T*>(c), ldc, stridec,
       batch_size, batch_info::any(code));
  // A code counts as cblas_gemm does, which has no strides.
  constexpr std::array positions{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 14, 15, 16};
  require(code == 0, positions[static_cast<std::size_t>(-code)]);
}

}  // namespace
}  // namespace tenfold::c_interface

using namespace tenfold;
using namespace tenfold::c_interface;

#define TENFOLD_DEFINE(S, T, SUFFIX, INT)                                                      \
  void cblas_##S##gemm_batch##SUFFIX(TENFOLD_GROUPS(entry<T>, INT)) {                          \
    run("cblas_" #S "gemm_batch" #SUFFIX, [&] {                                                \
      int code = 0;                                                                            \
      multiply_groups<T>(layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, \
                         group_count, group_size, batch_info::whole(code));                    \
      require(code == 0, -code);                                                               \
    });                                                                                        \
  }                                                                                            \
  void tenfold_##S##gemm_batch_info##SUFFIX(TENFOLD_GROUPS(entry<T>, INT), int* info) {        \
    run("tenfold_" #S "gemm_batch_info" #SUFFIX, [&] {                                         \
      require(info != nullptr, 17);                                                            \
      multiply_groups<T>(layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, \
                         group_count, group_size, batch_info::all(info));                      \
    });                                                                                        \
  }                                                                                            \
  void cblas_##S##gemm_batch_strided##SUFFIX(TENFOLD_STRIDED(entry<T>, factor<T>, INT)) {      \
    run("cblas_" #S "gemm_batch_strided" #SUFFIX, [&] {                                        \
      multiply_strided<T>(layout, transa, transb, m, n, k, alpha, a, lda, stridea, b, ldb,     \
                          strideb, beta, c, ldc, stridec, batch_size);                         \
    });                                                                                        \
  }
TENFOLD_DEFINE_ALL(TENFOLD_DEFINE)
