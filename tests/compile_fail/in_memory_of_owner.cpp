// expect: tenfold: in_memory_of takes a view of addresses of the device
// errors: 1
#include <tenfold/device.hpp>

void f(const tenfold::tensor<double, 3, 3>& A) { tenfold::in_memory_of<tenfold::device::cuda>(A); }
