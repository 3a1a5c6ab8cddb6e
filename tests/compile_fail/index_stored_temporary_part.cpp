// expect: tenfold: a stored expression refers to a temporary tensor, which is gone
// errors: 1
#include <tenfold/index_notation.hpp>

using namespace tenfold::labels;

int main() {
  tenfold::tensor<double, 3, 4> M;
  tenfold::tensor<double, 4> u;
  tenfold::tensor<double, 3> f;
  auto stored = tenfold::tensor<double, 4>()(j);
  f(i) = M(i, j) * stored;
}
