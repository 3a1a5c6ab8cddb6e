// expect: tenfold: argument {0} says an option a second time
// expect: tenfold::einsum_error<tenfold::argument<4>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  tenfold::tensor<double, 3, 3> y;
  tenfold::einsum<"ij,jk->ik">(tenfold::into(y), A, B, tenfold::alpha(2), tenfold::alpha(3));
}
