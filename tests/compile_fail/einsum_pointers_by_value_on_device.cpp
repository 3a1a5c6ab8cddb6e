// expect: tenfold: an operand of an expression on a device has strides: interleaved and gathered ones
// errors: 1
#include <tenfold/device.hpp>

tenfold::index f(const tenfold::pointers<double, 3, 3>& A,
                 const tenfold::device_tensor<double, 3, 3>& B) {
  using tenfold::device;
  const auto C = tenfold::einsum<"eij,jk->eik">(tenfold::on(device::cuda),
                                                tenfold::in_memory_of<device::cuda>(A), B);
  return C;
}
