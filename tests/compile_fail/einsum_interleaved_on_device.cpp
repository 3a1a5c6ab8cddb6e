// expect: tenfold: an operand of an expression on a device has strides: interleaved and gathered ones
// errors: 1
#include <tenfold/device.hpp>

void f(const tenfold::interleaved_view<double, 8, 3, 3>& A,
       const tenfold::device_tensor<double, 3, 3>& B,
       tenfold::device_tensor<double, tenfold::dyn, 3, 3>& C) {
  using tenfold::device;
  tenfold::einsum<"eij,jk->eik">(tenfold::on(device::cuda), tenfold::into(C),
                                 tenfold::in_memory_of<device::cuda>(A), B);
}
