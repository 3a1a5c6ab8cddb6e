// expect: tenfold: a gemm of operands in a device's memory needs on(...)
// errors: 1
#include <tenfold/device.hpp>

void f(const tenfold::device_tensor<double, tenfold::dyn, 3, 3>& A,
       tenfold::tensor<double, tenfold::dyn, 3, 3>& C) {
  tenfold::gemm(1, A, C, 0, C);
}
