// expect: tenfold: the result of a literal has a rank that the compiler knows
// errors: 1
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  tenfold::dynamic_tensor<double> C = tenfold::einsum("ij,jk->ik", A, B);
  tenfold::einsum<"ij,jk->ik">(tenfold::into(C), A, B);
}
