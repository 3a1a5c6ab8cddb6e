// expect: tenfold: a second ellipsis at position {position}: an operand, or the output, has one at most
// expect: tenfold::einsum_error<tenfold::label<'.', '.', '.'>, tenfold::at_position<4>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  return static_cast<int>(tenfold::einsum<"...i...,jk->ik">(A, B)(0, 0));
}
