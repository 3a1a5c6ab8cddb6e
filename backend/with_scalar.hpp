#pragma once

#include <complex>
#include <tenfold/tensor/scalar.hpp>

namespace tenfold {

/// Calls f with an object of the C++ type of a scalar.
template <class F>
void with_scalar(scalar type, F f) {
  switch (type) {
    case scalar::f32:
      return f(float{});
    case scalar::f64:
      return f(double{});
    case scalar::c32:
      return f(std::complex<float>{});
    case scalar::c64:
      return f(std::complex<double>{});
  }
}

}  // namespace tenfold
