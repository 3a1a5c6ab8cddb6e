/* An illegal call in a program with no cblas_xerbla of its own, or with one of MKL's form. */
#include <stdio.h>
#include <tenfold_cblas.h>

#ifdef FORM_OF_MKL
void cblas_xerbla(const char* function, int position);
void cblas_xerbla(const char* function, int position) {
  printf("%s: position %d\n", function, position);
}
/* The library knows MKL by this name. */
void MKL_Get_Version(void* version);
void MKL_Get_Version(void* version) { (void)version; }
#endif

int main(void) {
  const double a[4] = {1, 2, 3, 4};
  double c[4] = {5, 6, 7, 8};
  cblas_dgemm_batch_strided(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 2, 1, a, 1, 4, a, 2, 4,
                            0, c, 2, 4, 1);
  puts(c[0] == 5 && c[3] == 8 ? "C is untouched" : "C was written");
  return 0;
}
