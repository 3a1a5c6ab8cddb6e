// expect: tenfold: the subscripts name {0} operands, {1} were given
// expect: tenfold::einsum_error<tenfold::operands_named<3>, tenfold::operands_given<2>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  return static_cast<int>(tenfold::einsum<"ij,jk,kl->il">(A, B)(0, 0));
}
