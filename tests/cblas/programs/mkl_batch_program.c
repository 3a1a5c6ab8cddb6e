/* A program as it is written for MKL: groups and strided batches, real and complex, beside one
 * product after the other. Entries and factors are small whole numbers, so that every library has
 * to give the same numbers. BATCH_HEADER declares the batches; with CBLAS_HEADER, whose library is
 * linked too, single products are those of cblas_Xgemm. */
#ifdef CBLAS_HEADER
#include CBLAS_HEADER
#endif
#include BATCH_HEADER

#include <stdio.h>

#include "loop.h"

#ifndef MKL_INT
#define MKL_INT int
#endif

enum { groups = 3, largest = 9, room = largest * largest, problems = 40 };

static const CBLAS_TRANSPOSE ops[3] = {CblasNoTrans, CblasTrans, CblasConjTrans};

static double drawn(void) {
  static unsigned state = 1;
  state = state * 1103515245u + 12345u;
  return (double)(state >> 16 & 3u) + 1;
}

static void single_dgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n,
                         int k, double alpha, const double* a, int lda, const double* b, int ldb,
                         double beta, double* c, int ldc) {
#ifdef CBLAS_HEADER
  cblas_dgemm(layout, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
#else
  loop_dgemm(layout, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
#endif
}

static void single_zgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n,
                         int k, double complex alpha, const double complex* a, int lda,
                         const double complex* b, int ldb, double complex beta, double complex* c,
                         int ldc) {
#ifdef CBLAS_HEADER
  cblas_zgemm(layout, ta, tb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
#else
  loop_zgemm(layout, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
#endif
}

#define DEFINE_CHECK(NAME, T, ENTRY, IMAGINARY, SINGLE, BATCH, STRIDED, FACTOR)                    \
  static int NAME(CBLAS_LAYOUT layout, int first_op) {                                             \
    static T a[problems * room], b[problems * room], c[problems * room], want[problems * room];    \
    for (int i = 0; i < problems * room; ++i) {                                                    \
      a[i] = drawn() - 2 * drawn() + IMAGINARY * drawn();                                          \
      b[i] = drawn() + IMAGINARY * (drawn() - 3);                                                  \
      want[i] = c[i] = drawn() - IMAGINARY * drawn();                                              \
    }                                                                                              \
    const CBLAS_TRANSPOSE ta[groups] = {ops[first_op], ops[(first_op + 1) % 3], CblasNoTrans};     \
    const CBLAS_TRANSPOSE tb[groups] = {ops[(first_op + 2) % 3], CblasNoTrans, ops[first_op]};     \
    const MKL_INT m[groups] = {3, 8, 1}, n[groups] = {5, 8, 7}, k[groups] = {4, 8, 9};             \
    const MKL_INT ld[groups] = {largest, largest, largest}, size[groups] = {7, 21, 12};            \
    const T alpha[groups] = {1, -2, 3 + IMAGINARY}, beta[groups] = {0, 1, 2 - IMAGINARY};          \
    const ENTRY *list_a[problems], *list_b[problems];                                              \
    ENTRY* list_c[problems];                                                                       \
    for (int p = 0; p < problems; ++p) {                                                           \
      list_a[p] = a + p * room;                                                                    \
      list_b[p] = b + p * room;                                                                    \
      list_c[p] = c + p * room;                                                                    \
    }                                                                                              \
    for (int g = 0, p = 0; g < groups; ++g)                                                        \
      for (int i = 0; i < size[g]; ++i, ++p)                                                       \
        SINGLE(layout, ta[g], tb[g], m[g], n[g], k[g], alpha[g], a + p * room, ld[g],              \
               b + p * room, ld[g], beta[g], want + p * room, ld[g]);                              \
    BATCH(layout, ta, tb, m, n, k, alpha, list_a, ld, list_b, ld, beta, list_c, ld, groups, size); \
    int wrong = 0;                                                                                 \
    for (int i = 0; i < problems * room; ++i) wrong += c[i] != want[i];                            \
    for (int p = 0; p < problems; ++p)                                                             \
      SINGLE(layout, ta[0], tb[0], 6, 5, 7, alpha[2], a + p * room, largest, b, largest, beta[2],  \
             want + p * room, largest);                                                            \
    STRIDED(layout, ta[0], tb[0], 6, 5, 7, FACTOR alpha[2], a, largest, room, b, largest, 0,       \
            FACTOR beta[2], c, largest, room, problems);                                           \
    for (int i = 0; i < problems * room; ++i) wrong += c[i] != want[i];                            \
    return wrong;                                                                                  \
  }
DEFINE_CHECK(differs_d, double, double, 0, single_dgemm, cblas_dgemm_batch,
             cblas_dgemm_batch_strided, )
DEFINE_CHECK(differs_z, double complex, void, I, single_zgemm, cblas_zgemm_batch,
             cblas_zgemm_batch_strided, &)

int main(void) {
  const CBLAS_LAYOUT layouts[] = {CblasRowMajor, CblasColMajor};
  int wrong = 0;
  for (int l = 0; l < 2; ++l)
    for (int first_op = 0; first_op < 3; ++first_op)
      wrong += differs_d(layouts[l], first_op) + differs_z(layouts[l], first_op);
  puts(wrong == 0 ? "the same numbers" : "other numbers");
  return wrong != 0;
}
