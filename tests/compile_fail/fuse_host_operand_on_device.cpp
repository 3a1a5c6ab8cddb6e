// expect: tenfold: every operand of a call on a device must lie in its memory
// errors: 1
#include <tenfold/device.hpp>
#include <tenfold/fuse.hpp>

void f(const tenfold::tensor<double, 9, 3>& U, tenfold::device_tensor<double, 9, 3>& V) {
  using tenfold::labels::e, tenfold::labels::i;
  constexpr tenfold::input<"u"> u;
  constexpr tenfold::output<"v"> v;
  tenfold::fuse(e)(v(e, i) = u(e, i))(tenfold::on(tenfold::device::cuda), v = V, u = U);
}
