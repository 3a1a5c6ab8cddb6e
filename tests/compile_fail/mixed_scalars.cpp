// expect: tenfold: operand {0} and operand 0 differ in precision: accumulate<double> computes in the wider one
// expect: tenfold::einsum_error<tenfold::operand<1>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A;
  tenfold::tensor<float, 3, 3> B;
  return static_cast<int>(tenfold::einsum<"ij,jk->ik">(A, B)(0, 0));
}
