// expect: tenfold: operator == is not index notation: sums of products are written with + - *
// errors: 1
#include <tenfold/index_notation.hpp>

using namespace tenfold::labels;

int main() {
  tenfold::tensor<double, 3, 4> M;
  tenfold::tensor<double, 4> u;
  tenfold::tensor<double, 3> f;
  if (f(i) == M(i, j) * u(j)) return 1;
}
