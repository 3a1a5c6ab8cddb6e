// expect: tenfold: explain takes what einsum takes, and the capabilities of a machine: an argument is none of that; into(y) comes first
// errors: 1
#include <tenfold/explain.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A;
  return static_cast<int>(tenfold::explain("ij,jk->ik", A, 3).step_count);
}
