#pragma once

#include <cstddef>
#include <type_traits>

#include <tenfold/tensor/scalar_kind.hpp>

/// The four scalars of the library, as types and as data.
namespace tenfold {

/// True for a complex number of `Real`s. It is recognised by its form (value_type, real(), imag(),
/// two reals and nothing else), so that <complex>, which is dear to include, is paid for by those
/// who use it, and a device library's complex number is one as well.
template <class T, class Real>
concept complex_of = std::is_class_v<T> && std::is_trivially_copyable_v<T> &&
                         sizeof(T) == 2 * sizeof(Real) &&
                     requires(const T& z) {
  requires std::is_same_v<typename T::value_type, Real>;
  requires std::is_same_v<std::remove_cvref_t<decltype(z.real())>, Real>;
  requires std::is_same_v<std::remove_cvref_t<decltype(z.imag())>, Real>;
};

/// True for the scalars that tensors can compute with; const makes no difference.
template <class T>
concept scalar_type = std::is_same_v < std::remove_const_t<T>,
float > || std::is_same_v<std::remove_const_t<T>, double> ||
    complex_of<std::remove_const_t<T>, float> || complex_of<std::remove_const_t<T>, double>;

/// The scalar that the type `T` is; const makes no difference.
template <scalar_type T>
inline constexpr scalar scalar_of = std::is_same_v<std::remove_const_t<T>, float>    ? scalar::f32
                                    : std::is_same_v<std::remove_const_t<T>, double> ? scalar::f64
                                    : complex_of<std::remove_const_t<T>, float>      ? scalar::c32
                                                                                     : scalar::c64;

/// The size of one entry in bytes.
constexpr std::size_t bytes_of(scalar s) noexcept {
  switch (s) {
    case scalar::f32:
      return 4;
    case scalar::f64:
    case scalar::c32:
      return 8;
    case scalar::c64:
      return 16;
  }
  return 0;
}

/// True for complex<float> and complex<double>.
constexpr bool is_complex(scalar s) noexcept { return s == scalar::c32 || s == scalar::c64; }

/// The scalar of the real and imaginary part; a real scalar is its own.
constexpr scalar real_of(scalar s) noexcept {
  return s == scalar::c32 ? scalar::f32 : s == scalar::c64 ? scalar::f64 : s;
}

/// The type of the real and the imaginary part of `T`; that of a real number is its own.
template <scalar_type T>
using real_type = std::conditional_t<real_of(scalar_of<T>) == scalar::f32, float, double>;

}  // namespace tenfold
