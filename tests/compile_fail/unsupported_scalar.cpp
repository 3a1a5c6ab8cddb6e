// expect: tenfold: operand {0} has complex entries: only float and double are computed
// expect: tenfold::einsum_error<tenfold::operand<0>
// errors: 2
#include <complex>
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<std::complex<double>, 3, 3> A, B;
  return static_cast<int>(tenfold::einsum<"ij,jk->ik">(A, B)(0, 0));
}
