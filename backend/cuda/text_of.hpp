#pragma once

#include <string>
#include <tenfold/tensor/scalar.hpp>

/// Words that the texts of device kernels share.
namespace tenfold::cuda {

/// A scalar as device code calls its type and its enumerator, and as a comment does.
struct scalar_name {
  const char *type, *enumerator, *words;
};
inline scalar_name name_of(scalar type) {
  switch (type) {
    case scalar::f32:
      return {"float", "f32", "float"};
    case scalar::f64:
      return {"double", "f64", "double"};
    case scalar::c32:
      return {"tenfold::cuda::complex<float>", "c32", "complex float"};
    case scalar::c64:
      return {"tenfold::cuda::complex<double>", "c64", "complex double"};
  }
  return {"", "", ""};
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
