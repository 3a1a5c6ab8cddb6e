// expect: tenfold: as() of a temporary tensor, which is gone with the statement
// errors: 1
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A;
  auto C = einsum("ij,jk->ik", A, A).as<3, 3>();
  return C(0, 0) > 0;
}
