// expect: tenfold: argument {0} is beta, which needs a destination: einsum(into(y), ...)
// expect: tenfold::einsum_error<tenfold::argument<2>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  return static_cast<int>(tenfold::einsum<"ij,jk->ik">(A, B, tenfold::beta(1))(0, 0));
}
