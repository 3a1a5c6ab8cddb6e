// expect: tenfold: on the left of an assignment stands one tensor with its labels
// errors: 1
#include <tenfold/index_notation.hpp>

using namespace tenfold::labels;

int main() {
  tenfold::tensor<double, 3, 4> M;
  tenfold::tensor<double, 4> u;
  tenfold::tensor<double, 3> f;
  M(i, j) * u(j) = f(i);
}
