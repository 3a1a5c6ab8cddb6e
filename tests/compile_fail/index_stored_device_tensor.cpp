// expect: tenfold: a stored expression refers to a temporary tensor, which is gone
// errors: 1
#include <tenfold/device.hpp>
#include <tenfold/index_notation.hpp>

using namespace tenfold::labels;

void f(tenfold::device_tensor<double, 4>& y, const tenfold::device_queue& where) {
  auto stored = tenfold::device_tensor<double, 4>(where)(i);
  y(i) = stored;
}
