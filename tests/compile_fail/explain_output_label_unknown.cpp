// expect: tenfold: output label '{label}' at position {position} is in no operand
// expect: tenfold::einsum_error<tenfold::label<'m'>, tenfold::at_position<8>
// errors: 2
#include <tenfold/explain.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  return static_cast<int>(tenfold::explain<"ij,jk->im">(A, B).step_count);
}
