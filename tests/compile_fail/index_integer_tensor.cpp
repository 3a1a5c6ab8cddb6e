// expect: tenfold: a tensor with labels has entries of float, double or complex numbers
// errors: 1
#include <tenfold/index_notation.hpp>

using namespace tenfold::labels;

int main() {
  tenfold::tensor<double, 3, 4> M;
  tenfold::tensor<double, 4> u;
  tenfold::tensor<double, 3> f;
  tenfold::tensor<int, 3> n;
  f(i) = n(i);
}
