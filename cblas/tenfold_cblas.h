#ifndef TENFOLD_CBLAS_H
#define TENFOLD_CBLAS_H

/* Batches of small matrix products for C programs,
 *
 *   C(p) := alpha op(A(p)) op(B(p)) + beta C(p)     op(A) (m, k), op(B) (k, n), C (m, n)
 *
 * for S = s, d, c and z: float, double and the complex numbers of both, which as elsewhere in CBLAS
 * are passed by address. Integers are `int`; each name with `_64` behind it takes `int64_t`.
 *
 * beta = 0: C is not read. alpha = 0 or k = 0: A and B are not read, C := beta C. Matrices without
 * entries and batches of nothing are legal. C may meet neither A, nor B, nor another C.
 *
 * Errors. All arguments are looked at before anything is computed. An illegal one is reported by
 *   cblas_xerbla(position, name of the function, "%s", sentence)
 * and the call returns; no C is touched. The position is that in the C function, from 1; 0 says
 * that memory ran short, and then C is not specified. In a program without cblas_xerbla a line on
 * stderr says the same; one linked to MKL is called as MKL declares it, cblas_xerbla(name,
 * position). A C that overlaps what it may not is an illegal c; one whose batch would reach beyond
 * 2^62 bytes, an illegal matrix or leading dimension. Of matrices at addresses each problem is
 * checked by itself.
 *
 * Threads. As many as the environment variable TENFOLD_NUM_THREADS says when the first call is
 * made, for each thread that calls; where it is not set, or no whole number above 0, those of the
 * caller's TBB arena, by default one for each core. Never more than the machine has. Results do
 * not depend on it.
 */

#include <stdint.h>

/* Another CBLAS header, that of MKL, OpenBLAS or the reference, is included before this one: the
 * types are its own, and so are the batches that MKL declares. */
#ifdef __cplusplus
extern "C" {
#if !defined(CBLAS_H) && !defined(__MKL_CBLAS_H__)
/* : int, so that an illegal value can be looked at. */
enum CBLAS_LAYOUT : int { CblasRowMajor = 101, CblasColMajor = 102 };
enum CBLAS_TRANSPOSE : int { CblasNoTrans = 111, CblasTrans = 112, CblasConjTrans = 113 };
#endif
#elif !defined(CBLAS_H) && !defined(__MKL_CBLAS_H__)
typedef enum CBLAS_LAYOUT { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_LAYOUT;
typedef enum CBLAS_TRANSPOSE {
  CblasNoTrans = 111,
  CblasTrans = 112,
  CblasConjTrans = 113
} CBLAS_TRANSPOSE;
#endif

/* cblas_Sgemm_batch: groups of problems that share all but their matrices. Arrays have one entry
 * for each group, group_size the number of its problems; a, b and c are the addresses of the
 * matrices of the first group, then those of the second, ...
 *
 * Entry (i, j) of a row-major matrix is at i ld + j, of a column-major one at i + j ld.
 *
 * Positions: 1 layout, 2 transa, 3 transb, 4 m, 5 n, 6 k, 7 alpha, 8 a, 9 lda, 10 b, 11 ldb,
 * 12 beta, 13 c, 14 ldc, 15 group_count, 16 group_size.
 */
#define TENFOLD_GROUPS(T, INT)                                                                     \
  CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *transa, const CBLAS_TRANSPOSE *transb, const INT *m, \
      const INT *n, const INT *k, const T *alpha, const T **a, const INT *lda, const T **b,        \
      const INT *ldb, const T *beta, T **c, const INT *ldc, INT group_count, const INT *group_size

/* cblas_Sgemm_batch_strided: matrix p of A is at a + p stridea, and so on; stride 0 of A or B
 * shares one matrix among all problems.
 *
 * Positions: 1 layout, 2 transa, 3 transb, 4 m, 5 n, 6 k, 7 alpha, 8 a, 9 lda, 10 stridea, 11 b,
 * 12 ldb, 13 strideb, 14 beta, 15 c, 16 ldc, 17 stridec, 18 batch_size.
 */
#define TENFOLD_STRIDED(T, FACTOR, INT)                                                     \
  CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, INT m, INT n, INT k, \
      FACTOR alpha, const T *a, INT lda, INT stridea, const T *b, INT ldb, INT strideb,     \
      FACTOR beta, T *c, INT ldc, INT stridec, INT batch_size

/* tenfold_Sgemm_batch_info: as cblas_Sgemm_batch, but a problem with an illegal argument is left
 * out and the others are computed. info has a code for each problem: 0, or minus the position of
 * what is illegal in it (m, n, k, a, lda, b, ldb, c, ldc). What is of the whole call (layout,
 * transposes, group_count, group_size, missing lists, and info, 17) is reported as above.
 */

/* tenfold_Sgemm_batch_interleaved: problems whose entries lie side by side in blocks of `block`.
 * Entry e of problem p (e = i columns + j in row-major storage, i + j rows in column-major, of the
 * matrix as stored) of matrices of `size` entries is at
 *   ((p / block) size + e) block + p % block
 * Complex: a run of `block` entries is their real parts, then their imaginary ones. The last block
 * is whole in memory; what a product leaves in its unused places is not specified. block = 16 for
 * s and c and 8 for d and z suits every instruction set; block = batch_size interleaves all.
 *
 * Positions: 1 layout, 2 transa, 3 transb, 4 m, 5 n, 6 k, 7 alpha, 8 a, 9 b, 10 beta, 11 c,
 * 12 block, 13 batch_size.
 */
#define TENFOLD_INTERLEAVED(T, FACTOR, INT)                                                 \
  CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, INT m, INT n, INT k, \
      FACTOR alpha, const T *a, const T *b, FACTOR beta, T *c, INT block, INT batch_size

/* tenfold_Sto_interleaved: x := a, and tenfold_Sfrom_interleaved: a := x. a is a strided batch of
 * (m, n) matrices, x the same interleaved, with 0 in the unused places of its last block. What is
 * written may not overlap what is read, nor itself: it is illegal then.
 *
 * Positions: 1 layout, 2 m, 3 n, 4 a, 5 lda, 6 stridea, 7 x, 8 block, 9 batch_size.
 */
#define TENFOLD_CONVERSION(A, X, INT) \
  CBLAS_LAYOUT layout, INT m, INT n, A *a, INT lda, INT stridea, X *x, INT block, INT batch_size

#ifndef __MKL_CBLAS_H__
#define TENFOLD_DECLARE(S, T, FACTOR)                                  \
  void cblas_##S##gemm_batch(TENFOLD_GROUPS(T, int));                  \
  void cblas_##S##gemm_batch_64(TENFOLD_GROUPS(T, int64_t));           \
  void cblas_##S##gemm_batch_strided(TENFOLD_STRIDED(T, FACTOR, int)); \
  void cblas_##S##gemm_batch_strided_64(TENFOLD_STRIDED(T, FACTOR, int64_t));
TENFOLD_DECLARE(s, float, float)
TENFOLD_DECLARE(d, double, double)
TENFOLD_DECLARE(c, void, const void*)
TENFOLD_DECLARE(z, void, const void*)
#undef TENFOLD_DECLARE
#endif

#define TENFOLD_DECLARE(S, T, FACTOR)                                                   \
  void tenfold_##S##gemm_batch_info(TENFOLD_GROUPS(T, int), int* info);                 \
  void tenfold_##S##gemm_batch_info_64(TENFOLD_GROUPS(T, int64_t), int* info);          \
  void tenfold_##S##gemm_batch_interleaved(TENFOLD_INTERLEAVED(T, FACTOR, int));        \
  void tenfold_##S##gemm_batch_interleaved_64(TENFOLD_INTERLEAVED(T, FACTOR, int64_t)); \
  void tenfold_##S##to_interleaved(TENFOLD_CONVERSION(const T, T, int));                \
  void tenfold_##S##to_interleaved_64(TENFOLD_CONVERSION(const T, T, int64_t));         \
  void tenfold_##S##from_interleaved(TENFOLD_CONVERSION(T, const T, int));              \
  void tenfold_##S##from_interleaved_64(TENFOLD_CONVERSION(T, const T, int64_t));
TENFOLD_DECLARE(s, float, float)
TENFOLD_DECLARE(d, double, double)
TENFOLD_DECLARE(c, void, const void*)
TENFOLD_DECLARE(z, void, const void*)
#undef TENFOLD_DECLARE

/* The library itself defines what is declared here with these lists. */
#ifndef TENFOLD_CBLAS_DEFINES
#undef TENFOLD_GROUPS
#undef TENFOLD_STRIDED
#undef TENFOLD_INTERLEAVED
#undef TENFOLD_CONVERSION
#endif

#ifdef __cplusplus
}
#endif

#endif
