// expect: tenfold: label '{label}' at position {position} is one more than {0} labels in one operand
// expect: tenfold::einsum_error<tenfold::label<'G'>, tenfold::at_position<32>, tenfold::at_most<32>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  return static_cast<int>(tenfold::einsum<"abcdefghijklmnopqrstuvwxyzABCDEFG->">(A, B)(0, 0));
}
