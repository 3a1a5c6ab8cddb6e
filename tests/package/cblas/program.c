/* What a first program in C does. */
#include <stdio.h>
#include <tenfold_cblas.h>

int main(void) {
  const double a[] = {1, 2, 3, 4, 0, 1, 1, 0}; /* two 2 x 2 matrices */
  const double b[] = {1, 0, 0, 2};             /* one for both */
  double c[8];
  cblas_dgemm_batch_strided(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 2, 1, a, 2, 4, b, 2, 0,
                            0, c, 2, 4, 2);
  for (int i = 0; i < 8; ++i) printf("%g ", c[i]);
  puts("");
  return c[0] == 1 && c[1] == 4 && c[2] == 3 && c[3] == 8 && c[5] == 2 && c[6] == 1 ? 0 : 1;
}
