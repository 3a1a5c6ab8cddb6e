#include "basis.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

template <int p>
void check_tables() {
  CAPTURE(p);
  const fem::basis<p> b;
  for (int q = 0; q < b.Q1D; ++q) {
    const double x = static_cast<double>(b.rule.points[static_cast<std::size_t>(q)]);
    // Polynomials of degree p are interpolated and differentiated exactly; 1 comes first, which
    // is the partition of unity.
    for (int k = 0; k <= p; ++k) {
      double value = 0, slope = 0, values = 0, slopes = 0;
      for (int i = 0; i < b.D1D; ++i) {
        const double node = static_cast<double>(b.nodes.points[static_cast<std::size_t>(i)]);
        value += b.B(q, i) * std::pow(node, k);
        slope += b.G(q, i) * std::pow(node, k);
        values += std::fabs(b.B(q, i));
        slopes += std::fabs(b.G(q, i));
      }
      CHECK(std::fabs(value - std::pow(x, k)) <= 8 * eps * values);
      CHECK(std::fabs(slope - (k == 0 ? 0 : k * std::pow(x, k - 1))) <= 8 * eps * slopes);
    }
    // Each direction differentiates along its own axis only.
    for (int i = 0; i < b.D1D; ++i) {
      for (int d = 0; d < 3; ++d) {
        CHECK(b.X(d, q, i) == (d == 0 ? b.G : b.B)(q, i));
        CHECK(b.Y(d, q, i) == (d == 1 ? b.G : b.B)(q, i));
        CHECK(b.Z(d, q, i) == (d == 2 ? b.G : b.B)(q, i));
      }
    }
  }
}

}  // namespace

TEST_CASE("the tables interpolate and differentiate polynomials of degree p exactly") {
  check_tables<1>();
  check_tables<2>();
  check_tables<3>();
  check_tables<7>();
  check_tables<10>();
}

TEST_CASE("the tables are symmetric under reflection") {
  const fem::basis<6> b;
  for (int q = 0; q < b.Q1D; ++q) {
    for (int i = 0; i < b.D1D; ++i) {
      CHECK(b.B(q, i) == doctest::Approx(b.B(b.Q1D - 1 - q, b.D1D - 1 - i)).epsilon(4 * eps));
      CHECK(b.G(q, i) == doctest::Approx(-b.G(b.Q1D - 1 - q, b.D1D - 1 - i)).epsilon(4 * eps));
    }
  }
}

TEST_CASE("interpolation to the nodes themselves changes nothing") {
  const auto nodes = fem::gauss_lobatto(7).points;
  const auto T = fem::interpolation(nodes, nodes);
  for (int a = 0; a < 7; ++a) {
    for (int i = 0; i < 7; ++i) CHECK(T(a, i) == (a == i));
  }
}
