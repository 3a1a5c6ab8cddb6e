// expect: tenfold: the tensor of into(...) has no name: the result would be lost with it
// errors: 1
#include <tenfold/einsum.hpp>

void f(const tenfold::tensor<double, 3, 3>& A) {
  tenfold::einsum<"ij,jk->ik">(tenfold::into(tenfold::tensor<double, 3, 3>()), A, A);
}
