// expect: tenfold: an expression alone computes nothing: assign it
// errors: 1
#pragma GCC diagnostic error "-Wunused-result"
#include <tenfold/index_notation.hpp>

using namespace tenfold::labels;

int main() {
  tenfold::tensor<double, 3, 4> M;
  tenfold::tensor<double, 4> u;
  tenfold::tensor<double, 3> f;
  M(i, j) * u(j);
}
