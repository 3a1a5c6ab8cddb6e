// expect: tenfold: copy_to: the tensor is const, or can only be read
// errors: 1
#include <tenfold/device.hpp>

void f(const tenfold::device_tensor<double, 3, 3>& A, const tenfold::tensor<double, 3, 3>& B) {
  A.copy_to(B);
}
