// expect: tenfold: the tensor of into(...) is const, or can only be read
// errors: 1
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  const tenfold::tensor<double, 3, 3> y;
  tenfold::einsum<"ij,jk->ik">(tenfold::into(y), A, B);
}
