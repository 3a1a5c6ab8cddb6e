// expect: tenfold: '{label}' at position {position} stands in the output: a sum stands before '->'
// expect: tenfold::einsum_error<tenfold::label<'+'>, tenfold::at_position<9>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  return static_cast<int>(tenfold::einsum<"ij,jk->ik+">(A, B)(0, 0));
}
