// expect: tenfold: the result C of a gemm has no name: it would be lost
// errors: 1
#include <tenfold/batched_blas.hpp>

void f(const tenfold::tensor<double, 3, 3>& A) {
  tenfold::gemm(1.0, A, A, 0.0, tenfold::tensor<double, 3, 3>());
}
