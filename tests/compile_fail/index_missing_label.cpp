// expect: tenfold: output label '{label}' at position {position} is in no operand
// expect: tenfold::einsum_error<tenfold::label<'k'>, tenfold::at_position<
// errors: 2
#include <tenfold/index_notation.hpp>

using namespace tenfold::labels;

int main() {
  tenfold::tensor<double, 3, 4> M;
  tenfold::tensor<double, 4> u;
  tenfold::tensor<double, 3> f;
  M(i, k) = M(i, j) * u(j);
}
