// expect: tenfold: argument {0} is neither an operand (tensor_like) nor alpha, beta, accumulate, numpy_semantics or optimize
// expect: tenfold::einsum_error<tenfold::argument<1>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  return static_cast<int>(tenfold::einsum<"ij,jk->ik">(A, "B")(0, 0));
}
