// expect: tenfold: every operand of a call on a device must lie in its memory
// errors: 1
#include <tenfold/device.hpp>

void f(const tenfold::tensor<double, 3, 3>& A, tenfold::device_tensor<double, 3, 3>& C) {
  tenfold::einsum<"ij,jk->ik">(tenfold::on(tenfold::device::cuda), tenfold::into(C), A, A);
}
