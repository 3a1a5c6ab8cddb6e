// expect: tenfold: '{label}' at position {position} is half an arrow: the output stands behind '->'
// expect: tenfold::einsum_error<tenfold::label<'>'>, tenfold::at_position<5>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  return static_cast<int>(tenfold::einsum<"ij,jk>ik">(A, B)(0, 0));
}
