// expect: tenfold: the subscripts name {0} operands, {1} were given
// expect: tenfold::einsum_error<tenfold::operands_named<2>, tenfold::operands_given<0>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> C;
  tenfold::einsum<"ij,jk->ik">(tenfold::into(C));
}
