// expect: tenfold: the tensor on the left of an assignment is const, or can only be read
// errors: 1
#include <tenfold/index_notation.hpp>

using namespace tenfold::labels;

int main() {
  tenfold::tensor<double, 3, 4> M;
  tenfold::tensor<double, 4> u;
  tenfold::tensor<double, 3> f;
  const auto& read_only = f;
  read_only(i) = M(i, j) * u(j);
}
