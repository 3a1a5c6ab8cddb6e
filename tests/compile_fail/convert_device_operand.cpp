// expect: tenfold: both batches of a conversion must lie in the host's memory
// errors: 1
#include <tenfold/backend/convert.hpp>
#include <tenfold/device.hpp>

void f(const tenfold::device_tensor<double, tenfold::dyn, 3, 3>& A,
       tenfold::interleaved<double, 8, 3, 3>& B) {
  tenfold::to_interleaved(A, B);
}
