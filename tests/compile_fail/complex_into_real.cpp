// expect: tenfold: operand {0} is complex, the output is real
// expect: tenfold::einsum_error<tenfold::operand<1>
// errors: 2
#include <complex>
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, y;
  tenfold::tensor<std::complex<double>, 3, 3> B;
  tenfold::einsum<"ij,jk->ik">(tenfold::into(y), A, B);
}
