#pragma once

#include <string>
#include <tenfold/tensor/scalar.hpp>

/// Words that the texts of device kernels share.
namespace tenfold::cuda {

/// A scalar as device code calls it, and as a comment does.
struct scalar_name {
  const char *type, *words;
};
inline scalar_name name_of(scalar type) {
  switch (type) {
    case scalar::f32:
      return {"float", "float"};
    case scalar::f64:
      return {"double", "double"};
    case scalar::c32:
      return {"tenfold::cuda::complex<float>", "complex float"};
    case scalar::c64:
      return {"tenfold::cuda::complex<double>", "complex double"};
  }
  return {"", ""};
}

/// ", .name = value".
inline std::string number(const char* name, long long value) {
  return std::string(", .") + name + " = " + std::to_string(value);
}
/// The same where the value is not the usual one.
inline std::string number_but(long long usual, const char* name, long long value) {
  return value == usual ? std::string() : number(name, value);
}
/// ", .name = true" if it is.
inline std::string mark(const char* name, bool is) {
  return is ? std::string(", .") + name + " = true" : std::string();
}

}  // namespace tenfold::cuda
