// expect: tenfold: an operand of a fused kernel on a device has strides or is gathered
// errors: 1
#include <tenfold/device.hpp>
#include <tenfold/fuse.hpp>

void f(const tenfold::pointers<double, 3>& U, tenfold::device_tensor<double, tenfold::dyn, 3>& V) {
  using tenfold::labels::e, tenfold::labels::i, tenfold::device;
  constexpr tenfold::input<"u"> u;
  constexpr tenfold::output<"v"> v;
  tenfold::fuse(e)(v(e, i) = u(e, i))(tenfold::on(device::cuda), v = V,
                                      u = tenfold::in_memory_of<device::cuda>(U));
}
