// expect: tenfold: label '{label}' at position {position} has extent {0} in operand {1} and extent {2} in operand {3}
// expect: tenfold::einsum_error<tenfold::label<'j'>, tenfold::at_position<4>, tenfold::has_extent<4>, tenfold::in_operand<1>, tenfold::and_extent<3>, tenfold::in_operand<0>
// errors: 2
#include <tenfold/batched_blas.hpp>

int main() {
  tenfold::interleaved<double, 8, 3, 3> A(2);
  tenfold::tensor<double, 4, 3> B;
  return static_cast<int>(tenfold::einsum<"bij,jk->bik">(A, B)(0, 0, 0));
}
