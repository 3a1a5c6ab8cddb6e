// expect: tenfold: operand {0} has rank {1}, its subscripts name {2} labels beside the ellipsis
// expect: tenfold::einsum_error<tenfold::label<'.', '.', '.'>, tenfold::at_position<6>, tenfold::operand<1>, tenfold::has_rank<1>, tenfold::labels_named<2>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A;
  tenfold::tensor<double, 3> B;
  return static_cast<int>(tenfold::einsum<"...ij,...jk->...ik">(A, B)(0, 0));
}
