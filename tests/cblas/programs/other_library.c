/* Another library with the names of batches, for programs that are linked to it: it computes one
 * product after the other and says that it was called. */
#include <stdio.h>
#include <tenfold_cblas.h>

#include "loop.h"

#define DEFINE_BATCH(NAME, T, ENTRY, LOOP)                                                  \
  void NAME(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE* ta, const CBLAS_TRANSPOSE* tb,      \
            const int* m, const int* n, const int* k, const ENTRY* alpha, const ENTRY** a,  \
            const int* lda, const ENTRY** b, const int* ldb, const ENTRY* beta, ENTRY** c,  \
            const int* ldc, int group_count, const int* size) {                             \
    const T *const alphas = alpha, *const betas = beta;                                     \
    for (int g = 0, p = 0; g < group_count; ++g)                                            \
      for (int i = 0; i < size[g]; ++i, ++p)                                                \
        LOOP(layout, ta[g], tb[g], m[g], n[g], k[g], alphas[g], a[p], lda[g], b[p], ldb[g], \
             betas[g], c[p], ldc[g]);                                                       \
    puts("the other library");                                                              \
  }
DEFINE_BATCH(cblas_dgemm_batch, double, double, loop_dgemm)
DEFINE_BATCH(cblas_zgemm_batch, double complex, void, loop_zgemm)

#define DEFINE_STRIDED(NAME, T, ENTRY, FACTOR, VALUE, LOOP)                                   \
  void NAME(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, \
            FACTOR alpha, const ENTRY* a, int lda, int stridea, const ENTRY* b, int ldb,      \
            int strideb, FACTOR beta, ENTRY* c, int ldc, int stridec, int batch_size) {       \
    const T *const x = a, *const y = b;                                                       \
    T* const z = c;                                                                           \
    for (ptrdiff_t p = 0; p < batch_size; ++p)                                                \
      LOOP(layout, ta, tb, m, n, k, VALUE(alpha), x + p * stridea, lda, y + p * strideb, ldb, \
           VALUE(beta), z + p * stridec, ldc);                                                \
    puts("the other library");                                                                \
  }
#define REAL(x) x
#define COMPLEX(x) *(const double complex*)(x)
DEFINE_STRIDED(cblas_dgemm_batch_strided, double, double, double, REAL, loop_dgemm)
DEFINE_STRIDED(cblas_zgemm_batch_strided, double complex, void, const void*, COMPLEX, loop_zgemm)
