// expect: tenfold: label '{label}' at position {position} has extent {0} in operand {1} and extent {2} in operand {3}
// expect: tenfold::einsum_error<tenfold::label<'j'>
// errors: 2
#include <tenfold/index_notation.hpp>

using namespace tenfold::labels;

int main() {
  tenfold::tensor<double, 3, 4> M;
  tenfold::tensor<double, 4> u;
  tenfold::tensor<double, 3> f;
  f(i) = M(i, j) * u(j) - 2 * f(i) * f(j);
}
