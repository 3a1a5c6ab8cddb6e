// expect: tenfold: on a device the result of a string goes into a tensor that is there
// errors: 1
#include <tenfold/device.hpp>

void f(const tenfold::device_queue& queue, const tenfold::device_tensor<double, 3, 3>& A) {
  einsum("ij,jk->ik", queue, A, A);
}
