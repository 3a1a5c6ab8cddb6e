#pragma once

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <tenfold/backend/cpu/simd.hpp>
#include <vector>

/// Numbers for the tests of the backend, real and complex by one text.
namespace tenfold::testing {

template <class T>
inline constexpr bool is_complex_type = cpu::is_complex_type<T>;

/// What a T is compared in.
template <class T>
using wide = std::conditional_t<is_complex_type<T>, std::complex<long double>, long double>;

/// re + i im, of which a real T takes re.
template <class T>
T number(double re, double im) {
  using R = cpu::real<T>;
  if constexpr (is_complex_type<T>)
    return T(static_cast<R>(re), static_cast<R>(im));
  else
    return static_cast<T>(re);
}

template <class T>
T not_a_number() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  return number<T>(nan, nan);
}

template <class T>
inline constexpr auto epsilon =
    static_cast<long double>(std::numeric_limits<cpu::real<T>>::epsilon());

/// In [-1, 1), of a complex T both parts.
template <class T>
std::vector<T> random_entries(index n, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<cpu::real<T>> draw(-1, 1);
  std::vector<T> v(static_cast<std::size_t>(n));
  for (T& x : v) {
    const double re = draw(engine);
    x = number<T>(re, is_complex_type<T> ? static_cast<double>(draw(engine)) : 0);
  }
  return v;
}

/// Whole numbers from -3 to 3, of a complex T both parts: sums of products are exact.
template <class T>
std::vector<T> integers(index n, unsigned seed) {
  std::mt19937 engine(seed);
  const auto draw = [&] { return static_cast<double>(engine() % 7) - 3; };
  std::vector<T> v(static_cast<std::size_t>(n));
  for (T& x : v) {
    const double re = draw();
    x = number<T>(re, is_complex_type<T> ? draw() : 0);
  }
  return v;
}

/// Whether x, part by part, is no further than `tolerance` from `want`; NaN is not.
template <class T>
bool close(T x, wide<T> want, long double tolerance) {
  const wide<T> off = static_cast<wide<T>>(x) - want;
  return std::fabs(std::real(off)) <= tolerance && std::fabs(std::imag(off)) <= tolerance;
}

/// The conjugate; a real number is its own.
template <class T>
T conjugate(T x) {
  if constexpr (is_complex_type<T>)
    return std::conj(x);
  else
    return x;
}

}  // namespace tenfold::testing
