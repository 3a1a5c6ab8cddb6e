#include "quadrature.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// The error of the rule for the integral of x^k over [0, 1], which is 1 / (k + 1).
double monomial_error(const fem::quadrature& rule, int k) {
  long double sum = 0;
  for (std::size_t q = 0; q < rule.points.size(); ++q) {
    sum += rule.weights[q] * std::pow(rule.points[q], static_cast<long double>(k));
  }
  return static_cast<double>(std::fabs(sum - 1 / static_cast<long double>(k + 1)));
}

}  // namespace

TEST_CASE("n Gauss-Legendre points integrate polynomials of degree 2n - 1 and no more") {
  for (int n = 1; n <= 14; ++n) {
    CAPTURE(n);
    const fem::quadrature rule = fem::gauss_legendre(n);
    for (int k = 0; k <= 2 * n - 1; ++k) CHECK(monomial_error(rule, k) < eps);
    if (n <= 10) CHECK(monomial_error(rule, 2 * n) > 10 * eps);
  }
}

TEST_CASE("n Gauss-Lobatto points integrate polynomials of degree 2n - 3 and no more") {
  for (int n = 2; n <= 14; ++n) {
    CAPTURE(n);
    const fem::quadrature rule = fem::gauss_lobatto(n);
    for (int k = 0; k <= 2 * n - 3; ++k) CHECK(monomial_error(rule, k) < eps);
    if (n <= 10) CHECK(monomial_error(rule, 2 * n - 2) > 10 * eps);
  }
}

TEST_CASE("points increase, weights are positive, and both are symmetric to the last bit") {
  for (int n = 2; n <= 14; ++n) {
    for (const fem::quadrature& rule : {fem::gauss_legendre(n), fem::gauss_lobatto(n)}) {
      for (std::size_t q = 0, mirror = rule.points.size() - 1; q < rule.points.size();
           ++q, --mirror) {
        if (q > 0) CHECK(rule.points[q - 1] < rule.points[q]);
        CHECK(rule.weights[q] > 0);
        CHECK(rule.weights[q] == rule.weights[mirror]);
        CHECK(static_cast<double>(rule.points[q] + rule.points[mirror]) == 1);
      }
    }
  }
}

TEST_CASE("Gauss-Lobatto points include both ends exactly") {
  for (int n = 2; n <= 14; ++n) {
    const fem::quadrature rule = fem::gauss_lobatto(n);
    CHECK(rule.points.front() == 0);
    CHECK(rule.points.back() == 1);
  }
}

TEST_CASE("the points with closed forms are right") {
  const auto at = [](const fem::quadrature& rule, std::size_t q) {
    return static_cast<double>(rule.points[q]);
  };
  CHECK(at(fem::gauss_legendre(2), 0) == doctest::Approx((1 - 1 / std::sqrt(3)) / 2).epsilon(eps));
  CHECK(at(fem::gauss_legendre(3), 2) == doctest::Approx((1 + std::sqrt(0.6)) / 2).epsilon(eps));
  CHECK(at(fem::gauss_lobatto(4), 1) == doctest::Approx((1 - std::sqrt(0.2)) / 2).epsilon(eps));
  CHECK(at(fem::gauss_lobatto(5), 1) == doctest::Approx((1 - std::sqrt(3.0 / 7)) / 2).epsilon(eps));
}
