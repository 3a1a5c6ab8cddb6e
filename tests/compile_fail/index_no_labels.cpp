// expect: tenfold: beside a tensor with labels stands what is neither such a tensor nor a number: write its labels
// errors: 1
#include <tenfold/index_notation.hpp>

using namespace tenfold::labels;

int main() {
  tenfold::tensor<double, 3, 4> M;
  tenfold::tensor<double, 4> u;
  tenfold::tensor<double, 3> f;
  f(i) = M(i, j) * u;
}
