#include <tenfold/tensor/scalar.hpp>

#include <doctest/doctest.h>

#include <complex>

using namespace tenfold;

static_assert(scalar_of<float> == scalar::f32);
static_assert(scalar_of<double> == scalar::f64);
static_assert(scalar_of<std::complex<float>> == scalar::c32);
static_assert(scalar_of<std::complex<double>> == scalar::c64);
static_assert(scalar_of<const double> == scalar::f64, "const makes no difference");
static_assert(scalar_of<const std::complex<float>> == scalar::c32, "const makes no difference");

static_assert(scalar_type<float> && scalar_type<const std::complex<double>>);
static_assert(!scalar_type<int> && !scalar_type<bool> && !scalar_type<long double>);
static_assert(!scalar_type<std::complex<long double>> && !scalar_type<double*>);
static_assert(!scalar_type<double&>);

// The form of a complex number, without a complex number's imaginary part.
struct pair_of_doubles {
  using value_type = double;
  double first, second;
  double real() const { return first; }
};
static_assert(!scalar_type<pair_of_doubles>);

static_assert(is_complex(scalar::c32) && is_complex(scalar::c64));
static_assert(!is_complex(scalar::f32) && !is_complex(scalar::f64));
static_assert(real_of(scalar::c32) == scalar::f32 && real_of(scalar::c64) == scalar::f64);
static_assert(real_of(scalar::f32) == scalar::f32 && real_of(scalar::f64) == scalar::f64);

TEST_CASE_TEMPLATE("bytes_of is the size of the type", T, float, double, std::complex<float>,
                   std::complex<double>) {
  CHECK(bytes_of(scalar_of<T>) == sizeof(T));
}
