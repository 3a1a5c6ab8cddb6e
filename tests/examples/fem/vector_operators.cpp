#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "assembled.hpp"
#include "bake_off_operators.hpp"
#include "discontinuous.hpp"
#include "discretization.hpp"
#include "domain.hpp"
#include "elasticity.hpp"
#include "geometry.hpp"
#include "mesh.hpp"

using fem::vector;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

vector some_vector(fem::index n) {
  vector x(n);
  for (fem::index i = 0; i < n; ++i) x(i) = std::cos(static_cast<double>(3 * i));
  return x;
}

/// Checks y = A x entry by entry, in units of what rounding may do to the terms.
void check_product(const assembled::matrix& A, const vector& x, const vector& y, int terms) {
  REQUIRE(static_cast<fem::index>(A.n) == x.size());
  for (std::size_t i = 0; i < A.n; ++i) {
    double sum = 0, magnitude = 0;
    for (std::size_t j = 0; j < A.n; ++j) {
      sum += A.entries[i * A.n + j] * x(j);
      magnitude += A.magnitudes[i * A.n + j] * std::fabs(x(j));
    }
    CHECK(std::fabs(y(i) - sum) <= 2 * (terms + static_cast<int>(A.n)) * eps * magnitude);
  }
}

}  // namespace

TEST_CASE("operators with a coefficient are those of the assembled matrices, points at nodes too") {
  const auto k = [](const fem::point& x) { return 1 + x[0] * x[0] + std::sin(x[1] + 2 * x[2]); };
  for (const int p : {1, 2, 3}) {
    for (const bool collocated : {false, true}) {
      CAPTURE(p);
      CAPTURE(collocated);
      const fem::mesh shape = fem::cut(fem::deformed_cube(0.15), 2, p);
      const fem::basis tables(p,
                              collocated ? fem::gauss_lobatto(p + 1) : fem::gauss_legendre(p + 2));
      const fem::restriction all(shape, p);
      const fem::geometry at_points(shape, tables.rule, all.blocks(), true, true, k);
      const vector x = some_vector(all.size());
      vector Ax(all.size()), Mx(all.size());
      const fem::element_operator A = fem::any_diffusion_operator(tables, all);
      const fem::element_operator M = fem::any_mass_operator(tables, all);
      fem::add_up(all, Ax, [&](const fem::slab& on) {
        A.add(on, &at_points.D(on.first, 0, 0, 0, 0, 0), x.data(), Ax.data());
      });
      fem::add_up(all, Mx, [&](const fem::slab& on) {
        M.add(on, &at_points.M(on.first, 0, 0, 0, 0), x.data(), Mx.data());
      });
      const int terms = 12 * (p + 2) + 9 + 8;
      check_product(assembled::diffusion(shape, p, tables.rule, k), x, Ax, terms);
      check_product(assembled::mass(shape, p, tables.rule, k), x, Mx, terms);
    }
  }
}

TEST_CASE("operators on vector fields do to each component what they do to a scalar one") {
  for (const int p : {2, 4}) {
    for (const bool collocated : {false, true}) {
      CAPTURE(p);
      CAPTURE(collocated);
      const fem::mesh shape = fem::cut(fem::ball(), 1, p);
      const fem::basis tables(p,
                              collocated ? fem::gauss_lobatto(p + 1) : fem::gauss_legendre(p + 2));
      const fem::restriction scalars(shape, p), vectors(shape, p, 3);
      const fem::geometry at_points(shape, tables.rule, vectors.blocks(), true, true);
      const vector x = some_vector(vectors.size());
      for (const bool is_mass : {true, false}) {
        const auto apply = [&](const fem::restriction& all, const vector& from) {
          const fem::element_operator A = is_mass ? fem::any_mass_operator(tables, all)
                                                  : fem::any_diffusion_operator(tables, all);
          vector y(all.size());
          fem::add_up(all, y, [&](const fem::slab& on) {
            A.add(on,
                  is_mass ? &at_points.M(on.first, 0, 0, 0, 0)
                          : &at_points.D(on.first, 0, 0, 0, 0, 0),
                  from.data(), y.data());
          });
          return y;
        };
        const vector y = apply(vectors, x);
        double largest = 0;
        for (fem::index i = 0; i < y.size(); ++i) largest = std::max(largest, std::fabs(y(i)));
        for (int a = 0; a < 3; ++a) {
          vector component(scalars.size());
          for (fem::index i = 0; i < scalars.size(); ++i) component(i) = x(3 * i + a);
          const vector expected = apply(scalars, component);
          for (fem::index i = 0; i < scalars.size(); ++i) {
            CHECK(std::fabs(y(3 * i + a) - expected(i)) <= 1000 * eps * largest);
          }
        }
      }
    }
  }
}

TEST_CASE("the operator of elasticity is that of the assembled matrix") {
  constexpr double lambda = 1.5, mu = 0.75;
  for (const int p : {1, 2}) {
    CAPTURE(p);
    const fem::mesh shape = fem::cut(fem::deformed_cube(0.15), p == 1 ? 3 : 1, p);
    const fem::elasticity body(shape, p, lambda, mu);
    const vector x = some_vector(body.nodes_of_elements().size());
    vector y(x.size());
    body.apply(x, y);
    vector sum(x.size()), magnitude(x.size());
    sum.fill(0);
    magnitude.fill(0);
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < 3; ++b) {
        // Component a of the test function, b of the displacement.
        const assembled::matrix A = assembled::assemble(
            shape, p, fem::gauss_legendre(p + 2), [&](const auto& test, const auto& trial) {
              const double volumetric = lambda * test.gradient[a] * trial.gradient[b];
              const double crossed = mu * test.gradient[b] * trial.gradient[a];
              double value = volumetric + crossed;
              double size = std::fabs(volumetric) + std::fabs(crossed);
              for (std::size_t c = 0; a == b && c < 3; ++c) {
                value += mu * test.gradient[c] * trial.gradient[c];
                size += mu * std::fabs(test.gradient[c] * trial.gradient[c]);
              }
              return std::pair(value, size);
            });
        for (std::size_t i = 0; i < A.n; ++i) {
          for (std::size_t j = 0; j < A.n; ++j) {
            sum(3 * i + a) += A.entries[i * A.n + j] * x(3 * j + b);
            magnitude(3 * i + a) += A.magnitudes[i * A.n + j] * std::fabs(x(3 * j + b));
          }
        }
      }
    }
    for (fem::index i = 0; i < x.size(); ++i) {
      CHECK(std::fabs(y(i) - sum(i)) <= 2000 * eps * magnitude(i));
    }
  }
}

TEST_CASE("a body that is moved or turned without a change of shape has no stress") {
  const fem::mesh shape = fem::cut(fem::kershaw(0.7), 1, 1);
  const fem::elasticity body(shape, 2, 1.5, 0.75);
  const fem::restriction& all = body.nodes_of_elements();
  const std::vector<fem::point> at = fem::positions(shape, all, fem::gauss_lobatto(3).points);
  vector moved(all.size()), y(all.size()), bent(all.size()), z(all.size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    moved(3 * i) = 1 - at[i][1] + 2 * at[i][2];
    moved(3 * i + 1) = 2 + at[i][0] - 3 * at[i][2];
    moved(3 * i + 2) = 3 - 2 * at[i][0] + 3 * at[i][1];
    for (std::size_t a = 0; a < 3; ++a) bent(3 * i + a) = at[i][a] * at[i][a];
  }
  body.apply(moved, y);
  body.apply(bent, z);
  double largest = 0;
  for (fem::index i = 0; i < z.size(); ++i) largest = std::max(largest, std::fabs(z(i)));
  for (fem::index i = 0; i < y.size(); ++i) CHECK(std::fabs(y(i)) <= 1e-12 * largest);
}

TEST_CASE("the mass matrix of discontinuous functions is inverted element by element") {
  for (const int p : {1, 2, 5, 9}) {
    CAPTURE(p);
    const fem::mesh shape = fem::cut(fem::deformed_cube(0.1), 3, p);  // 27 elements: blocks of 8
    const fem::discontinuous_mass mass(shape, p);
    auto u = mass.zeros(), Mu = mass.zeros(), back = mass.zeros();
    for (fem::index l = 0; l < u.size(); ++l) u.data()[l] = std::cos(static_cast<double>(l));
    mass.apply(u, Mu);
    mass.apply_inverse(Mu, back);
    for (fem::index l = 0; l < u.size(); ++l) {
      CHECK(std::fabs(back.data()[l] - u.data()[l]) <= 1e-11);
    }
    // 1^T M 1 is the volume, near enough.
    u.fill(1);
    mass.apply(u, Mu);
    double volume = 0;
    const fem::index per_element = u.size() / u.extent(0) / fem::W;
    for (fem::index l = 0; l < 27 * per_element; ++l) volume += Mu.data()[l];
    CHECK(volume == doctest::Approx(assembled::volume(shape)).epsilon(p == 1 ? 0.02 : 1e-3));
  }
}
