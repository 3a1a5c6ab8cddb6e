// expect: tenfold: '[' at position {position} is not closed by ']'
// expect: tenfold::einsum_error<tenfold::label<'['>, tenfold::at_position<7>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  return static_cast<int>(tenfold::einsum<"[row]j,[col->[row]">(A, B)(0, 0));
}
