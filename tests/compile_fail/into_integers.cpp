// expect: tenfold: what is given to into(...) is no tensor of float, double or complex numbers
// errors: 1
#include <tenfold/einsum.hpp>

void f(const tenfold::tensor<double, 3, 3>& A, tenfold::tensor<int, 3, 3>& y) {
  tenfold::einsum<"ij,jk->ik">(tenfold::into(y), A, A);
}
