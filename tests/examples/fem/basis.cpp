#include "basis.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

void check_tables(int p) {
  CAPTURE(p);
  const fem::basis b(p, fem::gauss_legendre(p + 2));
  CHECK_FALSE(b.is_collocated());
  // Polynomials of degree p are interpolated and differentiated exactly; 1 comes first, which is
  // the partition of unity. From points to points this holds one degree further.
  const auto check = [](const fem::matrix& T, const std::vector<long double>& from,
                        const std::vector<long double>& to, int degree, bool slopes) {
    for (fem::index q = 0; q < T.extent(0); ++q) {
      const double x = static_cast<double>(to[static_cast<std::size_t>(q)]);
      for (int k = 0; k <= degree; ++k) {
        double sum = 0, magnitude = 0;
        for (fem::index i = 0; i < T.extent(1); ++i) {
          const double node = static_cast<double>(from[static_cast<std::size_t>(i)]);
          sum += T(q, i) * std::pow(node, k);
          magnitude += std::fabs(T(q, i));
        }
        const double exact = !slopes ? std::pow(x, k) : k == 0 ? 0 : k * std::pow(x, k - 1);
        CHECK(std::fabs(sum - exact) <= 8 * eps * magnitude);
      }
    }
  };
  check(b.B, b.nodes.points, b.rule.points, p, false);
  check(b.G, b.nodes.points, b.rule.points, p, true);
  check(b.H, b.rule.points, b.rule.points, p + 1, true);
}

}  // namespace

TEST_CASE("the tables interpolate and differentiate polynomials of degree p exactly") {
  for (const int p : {1, 2, 3, 7, 10, 16}) check_tables(p);
}

TEST_CASE("the tables are symmetric under reflection") {
  const fem::basis b(6, fem::gauss_legendre(8));
  for (int q = 0; q < 8; ++q) {
    for (int i = 0; i < 7; ++i) {
      CHECK(b.B(q, i) == doctest::Approx(b.B(7 - q, 6 - i)).epsilon(4 * eps));
      CHECK(b.G(q, i) == doctest::Approx(-b.G(7 - q, 6 - i)).epsilon(4 * eps));
    }
  }
}

TEST_CASE("where the points are the nodes, values are values at the nodes") {
  const fem::basis b(4, fem::gauss_lobatto(5));
  CHECK(b.is_collocated());
  for (int q = 0; q < 5; ++q) {
    for (int i = 0; i < 5; ++i) {
      CHECK(b.B(q, i) == (q == i));
      CHECK(b.G(q, i) == b.H(q, i));
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
