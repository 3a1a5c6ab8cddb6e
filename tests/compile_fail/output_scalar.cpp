// expect: tenfold: the output and operand 0 differ in precision: accumulate<double> computes in the wider one
// expect: tenfold::einsum_error<>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  tenfold::tensor<float, 3, 3> y;
  tenfold::einsum<"ij,jk->ik">(tenfold::into(y), A, B);
}
