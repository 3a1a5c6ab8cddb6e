// expect: tenfold: the result C of a gemm is const, or can only be read
// errors: 1
#include <tenfold/batched_blas.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  const tenfold::tensor<double, 3, 3> C;
  tenfold::gemm(1, A, B, 0, C);
}
