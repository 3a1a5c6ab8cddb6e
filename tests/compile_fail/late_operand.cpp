// expect: tenfold: argument {0} is an operand behind an option: operands stand first
// expect: tenfold::einsum_error<tenfold::argument<2>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  return static_cast<int>(tenfold::einsum<"ij,jk->ik">(A, tenfold::alpha(2), B)(0, 0));
}
