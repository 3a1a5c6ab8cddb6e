// expect: tenfold: label '{label}' at position {position} has extent {0} in the output and extent {1} in the operands
// expect: tenfold::einsum_error<tenfold::label<'k'>, tenfold::at_position<8>, tenfold::has_extent<4>, tenfold::and_extent<3>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  tenfold::tensor<double, 3, 4> y;
  tenfold::einsum<"ij,jk->ik">(tenfold::into(y), A, B);
}
