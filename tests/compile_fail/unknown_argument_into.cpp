// expect: tenfold: argument {0} is neither an operand (tensor_like) nor alpha, beta, accumulate, numpy_semantics or optimize
// expect: tenfold::einsum_error<tenfold::argument<2>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  tenfold::tensor<double, 3, 3> y;
  tenfold::einsum<"ij,jk->ik">(tenfold::into(y), A, &B);
}
