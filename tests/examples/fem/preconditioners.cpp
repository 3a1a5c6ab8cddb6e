#include "preconditioners.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <slow_build.hpp>

#include "domain.hpp"
#include "mesh.hpp"
#include "solve.hpp"
#include "spaces.hpp"

namespace {

using tenfold::testing::slow_build;

fem::vector some_vector(const fem::discretization& on, int seed) {
  fem::vector x = fem::zeros(on.nodes());
  for (fem::index i = 0; i < on.unknowns(); ++i) x(i) = std::cos(static_cast<double>(i * seed));
  return x;
}

double dot(const fem::discretization& on, const fem::vector& x, const fem::vector& y) {
  double sum = 0;
  for (fem::index i = 0; i < on.unknowns(); ++i) sum += x(i) * y(i);
  return sum;
}

}  // namespace

TEST_CASE("the largest eigenvalue is estimated from below, and nearly") {
  const fem::mesh shape = fem::cut(fem::deformed_cube(0.1), 3, 3);
  const fem::discretization on(shape, 3);
  const fem::host_space space(on);
  const fem::jacobi diagonal(space);
  const fem::chebyshev smoother(space);
  // The power method, to the end.
  fem::vector x = some_vector(on, 3), y(on.nodes()), z = fem::zeros(on.nodes());
  double largest = 0;
  for (int k = 0; k < 300; ++k) {
    on.apply_diffusion(x, y);
    diagonal(y, z);
    largest = std::sqrt(dot(on, z, z) / dot(on, x, x));
    for (fem::index i = 0; i < on.unknowns(); ++i) x(i) = z(i) / std::sqrt(dot(on, z, z));
  }
  CHECK(smoother.largest_eigenvalue() <= 1.001 * largest);
  CHECK(1.1 * smoother.largest_eigenvalue() >= largest);
}

TEST_CASE("Chebyshev iterations are symmetric and positive, and add up") {
  const fem::mesh shape = fem::cut(fem::deformed_cube(0.1), 2, 4);
  const fem::discretization on(shape, 4);
  const fem::host_space space(on);
  fem::chebyshev smoother(space);
  const fem::vector x = some_vector(on, 1), y = some_vector(on, 2);
  fem::vector Px = fem::zeros(on.nodes()), Py = Px;
  smoother(x, Px);
  smoother(y, Py);
  CHECK(dot(on, x, Py) == doctest::Approx(dot(on, y, Px)).epsilon(1e-10));
  CHECK(dot(on, x, Px) > 0);
  // From x = 0, improving is the same.
  fem::vector from_zero = fem::zeros(on.nodes());
  smoother.improve(x, from_zero);
  for (fem::index i = 0; i < on.unknowns(); ++i) {
    CHECK(from_zero(i) == doctest::Approx(Px(i)).epsilon(1e-12));
  }
}

TEST_CASE("multigrid reduces every residual, whatever the degree and the size of the elements") {
  for (const int p : {1, 2, 3, 4, 5, 8}) {
    for (const int n : {2, 4}) {
      if (slow_build && (p > 4 || n > 2)) continue;
      CAPTURE(p);
      CAPTURE(n);
      const fem::mesh shape = fem::cut(fem::deformed_cube(0.1), n, p);
      const fem::discretization on(shape, p);
      const fem::host_space space(on);
      fem::multigrid cycle(space);
      // x = x + cycle(b - A x)
      const fem::vector b = some_vector(on, 1);
      fem::vector x = fem::zeros(on.nodes()), r = b, z = x, Ax(on.nodes());
      for (int k = 0; k < 8; ++k) {
        cycle(r, z);
        for (fem::index i = 0; i < on.unknowns(); ++i) x(i) += z(i);
        on.apply_diffusion(x, Ax);
        for (fem::index i = 0; i < on.unknowns(); ++i) r(i) = b(i) - Ax(i);
      }
      CHECK(dot(on, r, r) <= 1e-6 * dot(on, b, b));
    }
  }
}

TEST_CASE("iterations with multigrid hardly depend on the degree and the size of the elements") {
  int least = 1000, most = 0;
  for (const int p : {2, 3, 4, 6}) {
    for (const int n : {2, 4, 8}) {
      if (slow_build ? p * n > 8 : p * n > 24) continue;
      CAPTURE(p);
      CAPTURE(n);
      const fem::mesh shape = fem::cut(fem::deformed_cube(0.1), n, p);
      fem::request what{shape};
      const fem::outcome with_multigrid = fem::solve(p, what);
      what.by = fem::preconditioning::chebyshev;
      const fem::outcome with_chebyshev = fem::solve(p, what);
      least = std::min(least, with_multigrid.chosen.iterations);
      most = std::max(most, with_multigrid.chosen.iterations);
      CHECK(with_multigrid.jacobi.iterations == with_chebyshev.jacobi.iterations);
      CHECK(with_chebyshev.chosen.iterations < with_chebyshev.jacobi.iterations);
      CHECK(with_multigrid.l2_error == doctest::Approx(with_chebyshev.l2_error).epsilon(1e-4));
    }
  }
  CHECK(least >= 5);
  CHECK(most <= 12);
}
