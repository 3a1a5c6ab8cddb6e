// expect: tenfold: the number of labels and indices is not the rank of the tensor
// errors: 1
#include <tenfold/index_notation.hpp>

using namespace tenfold::labels;

int main() {
  tenfold::tensor<double, 3, 4> M;
  tenfold::tensor<double, 4> u;
  tenfold::tensor<double, 3> f;
  f(i, k) += M(i, j) * u(j);
}
