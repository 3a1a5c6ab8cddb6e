// expect: tenfold: a second '->' at position {position}: there is one output
// expect: tenfold::einsum_error<tenfold::label<'-'>, tenfold::at_position<8>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  return static_cast<int>(tenfold::einsum<"ij,jk->i->k">(A, B)(0, 0));
}
