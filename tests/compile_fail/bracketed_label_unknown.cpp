// expect: tenfold: output label '{label}' at position {position} is in no operand
// expect: tenfold::einsum_error<tenfold::label<'e', 'l', 'e', 'm'>, tenfold::at_position<8>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  return static_cast<int>(tenfold::einsum<"ij,jk->[elem]">(A, B)(0, 0));
}
