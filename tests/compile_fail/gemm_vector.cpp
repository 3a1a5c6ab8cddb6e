// expect: tenfold: A, B and C of a gemm must be matrices or batches of matrices, not of vectors
// errors: 1
#include <tenfold/batched_blas.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, C;
  tenfold::tensor<double, 3> x;
  tenfold::gemm(1, A, x, 0, C);
}
