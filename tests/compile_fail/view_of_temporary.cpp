// expect: tenfold: a view of a temporary tensor, which is gone with the statement
// errors: 1
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A;
  tenfold::basic_view C = einsum<"ij,jk->ik">(A, A);
  return C(0, 0) > 0;
}
