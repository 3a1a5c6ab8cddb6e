// expect: tenfold: copy_from takes a tensor or a view of the host
// errors: 1
#include <tenfold/device.hpp>

void f(tenfold::device_tensor<double, 3, 3>& A, const double* p) { A.copy_from(p); }
