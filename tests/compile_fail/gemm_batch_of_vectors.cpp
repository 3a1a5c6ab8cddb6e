// expect: tenfold: A, B and C of a gemm must be matrices or batches of matrices, not of vectors
// errors: 1
#include <tenfold/batched_blas.hpp>
#include <tenfold/tensor/interleaved.hpp>

int main() {
  tenfold::interleaved<double, 8, 3> A(8);
  tenfold::tensor<double, 3, 3> B, C;
  tenfold::gemm(1, A, B, 0, C);
}
