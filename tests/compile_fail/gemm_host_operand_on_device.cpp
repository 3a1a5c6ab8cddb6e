// expect: tenfold: A, B and C of a gemm on a device must lie in its memory
// errors: 1
#include <tenfold/device.hpp>

void f(const tenfold::tensor<double, tenfold::dyn, 3, 3>& A,
       tenfold::device_tensor<double, tenfold::dyn, 3, 3>& C) {
  tenfold::gemm(tenfold::on(tenfold::device::cuda), 1, A, A, 0, C);
}
