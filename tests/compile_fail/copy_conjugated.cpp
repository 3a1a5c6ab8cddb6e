// expect: tenfold: a copy does not conjugate: write conj(copied(where, A)), not copied(where, conj(A))
// errors: 1
#include <complex>
#include <tenfold/device.hpp>

auto f(const tenfold::device_queue& where, const tenfold::tensor<std::complex<double>, 3, 3>& A) {
  return copied(where, conj(A));
}
