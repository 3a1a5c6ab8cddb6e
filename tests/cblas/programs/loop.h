/* What one product shall give: C := alpha op(A) op(B) + beta C in three loops. */
#include <complex.h>
#include <stddef.h>

/* Entry (i, j) of op(X). */
#define PLACE(layout, transpose, i, j, ld)                                                      \
  ((((layout) == CblasRowMajor) == ((transpose) == CblasNoTrans)) ? (ptrdiff_t)(i) * (ld) + (j) \
                                                                  : (ptrdiff_t)(j) * (ld) + (i))

#define DEFINE_LOOP(NAME, T, CONJ)                                                                 \
  static inline void NAME(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb,     \
                          int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb,  \
                          T beta, T* c, int ldc) {                                                 \
    for (int i = 0; i < m; ++i)                                                                    \
      for (int j = 0; j < n; ++j) {                                                                \
        T sum = 0;                                                                                 \
        for (int l = 0; l < k; ++l) {                                                              \
          const T x = a[PLACE(layout, transa, i, l, lda)];                                         \
          const T y = b[PLACE(layout, transb, l, j, ldb)];                                         \
          sum +=                                                                                   \
              (transa == CblasConjTrans ? CONJ(x) : x) * (transb == CblasConjTrans ? CONJ(y) : y); \
        }                                                                                          \
        T* const z = c + PLACE(layout, CblasNoTrans, i, j, ldc);                                   \
        *z = alpha * sum + (beta == 0 ? 0 : beta * *z);                                            \
      }                                                                                            \
  }
DEFINE_LOOP(loop_dgemm, double, )
DEFINE_LOOP(loop_zgemm, double complex, conj)
