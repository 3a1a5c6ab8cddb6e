// expect: tenfold: a complex number is a factor, the tensor on the left is real
// errors: 1
#include <complex>
#include <tenfold/index_notation.hpp>

using namespace tenfold::labels;

int main() {
  tenfold::tensor<double, 3, 4> M;
  tenfold::tensor<double, 4> u;
  tenfold::tensor<double, 3> f;
  f(i) = 2 * f(i) - std::complex<double>(0, 1) * M(i, j) * u(j);
}
