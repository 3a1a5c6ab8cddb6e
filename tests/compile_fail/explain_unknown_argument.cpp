// expect: tenfold: argument {0} is neither an operand (tensor_like) nor alpha, beta, accumulate, numpy_semantics or optimize
// expect: tenfold::einsum_error<tenfold::argument<1>
// errors: 2
#include <tenfold/explain.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A;
  return static_cast<int>(tenfold::explain<"ij,jk->ik">(A, 3).step_count);
}
