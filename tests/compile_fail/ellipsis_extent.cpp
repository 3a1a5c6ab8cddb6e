// expect: tenfold: label '{label}' at position {position} has extent {0} in operand {1} and extent {2} in operand {3}
// expect: tenfold::einsum_error<tenfold::label<'.', '.', '.'>, tenfold::at_position<6>, tenfold::has_extent<3>, tenfold::in_operand<1>, tenfold::and_extent<2>, tenfold::in_operand<0>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 2, 3, 3> A;
  tenfold::tensor<double, 3, 3, 3> B;
  return static_cast<int>(tenfold::einsum<"...ij,...jk->...ik">(A, B)(0, 0, 0));
}
