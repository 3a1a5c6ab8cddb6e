// expect: tenfold: argument {0} says an option a second time
// expect: tenfold::einsum_error<tenfold::argument<3>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<float, 3, 3> A, B;
  return static_cast<int>(tenfold::einsum<"ij,jk->ik">(A, B, tenfold::accumulate<float>,
                                                       tenfold::accumulate<double>)(0, 0));
}
