#include "operators.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>

#include "assembled.hpp"
#include "discretization.hpp"
#include "domain.hpp"
#include "gmsh.hpp"
#include "meshes.hpp"

using fem::vector;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

vector random_vector(fem::index n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  vector x(n);
  for (fem::index i = 0; i < n; ++i) x(i) = number(random);
  return x;
}

vector ones(fem::index n) {
  vector x(n);
  x.fill(1);
  return x;
}

double dot(const vector& x, const vector& y) {
  long double sum = 0;
  for (fem::index i = 0; i < x.size(); ++i) sum += static_cast<long double>(x(i)) * y(i);
  return static_cast<double>(sum);
}

/// Checks y = A x entry by entry, in units of what rounding may do to the terms.
void check_product(const assembled::matrix& A, const vector& x, const vector& y, int terms) {
  REQUIRE(static_cast<fem::index>(A.n) == x.size());
  for (std::size_t i = 0; i < A.n; ++i) {
    long double sum = 0;
    double magnitude = 0;
    for (std::size_t j = 0; j < A.n; ++j) {
      sum += static_cast<long double>(A.entries[i * A.n + j]) * x(j);
      magnitude += A.magnitudes[i * A.n + j] * std::fabs(x(j));
    }
    CHECK(std::fabs(y(i) - static_cast<double>(sum)) <= 2 * terms * eps * magnitude);
  }
}

/// Everything that can be said of the operators of degree p on one small mesh: n x n x n elements
/// of degree `geometry` in each hexahedron.
void check_operators(int p, const fem::domain& whole, int n, int geometry) {
  CAPTURE(whole.name);
  CAPTURE(p);
  CAPTURE(n);
  CAPTURE(geometry);
  const fem::mesh shape = fem::cut(whole, n, geometry);
  const fem::discretization on(shape, p);
  const vector x = random_vector(on.nodes(), 1), y = random_vector(on.nodes(), 2);
  const vector one = ones(on.nodes());
  vector Ax(on.nodes()), Ay(on.nodes()), Mx(on.nodes()), My(on.nodes());
  on.apply_diffusion(x, Ax);
  on.apply_diffusion(y, Ay);
  on.apply_mass(x, Mx);
  on.apply_mass(y, My);
  // Terms of a chain of sums: to the points and their slopes, at the point, back; then the
  // elements at a node.
  const int terms = 12 * (p + 2) + 9 + 8;

  // The action is that of the assembled matrices, and so is the diagonal.
  const fem::quadrature rule = fem::gauss_legendre(p + 2);
  const assembled::matrix A = assembled::diffusion(shape, p, rule);
  const assembled::matrix M = assembled::mass(shape, p, rule);
  check_product(A, x, Ax, terms);
  check_product(M, x, Mx, terms);
  const vector diagonal = on.diffusion_diagonal();
  for (std::size_t i = 0; i < A.n; ++i) {
    const std::size_t at = i * A.n + i;
    CHECK(std::fabs(diagonal(i) - A.entries[at]) <= 2 * terms * eps * A.magnitudes[at]);
  }

  // y^T A x = x^T A y
  CHECK(std::fabs(dot(y, Ax) - dot(x, Ay)) <= 1000 * eps * std::sqrt(dot(Ax, Ax) * dot(y, y)));
  CHECK(std::fabs(dot(y, Mx) - dot(x, My)) <= 1000 * eps * std::sqrt(dot(Mx, Mx) * dot(y, y)));

  // A 1 = 0
  vector A1(on.nodes());
  on.apply_diffusion(one, A1);
  for (fem::index i = 0; i < on.nodes(); ++i) CHECK(std::fabs(A1(i)) <= 1000 * eps * diagonal(i));

  // 1^T M 1 is the volume: det J has degree 3 geometry - 1 along each axis, and p + 2 points are
  // exact up to degree 2 p + 3.
  if (3 * geometry - 1 <= 2 * p + 3) {
    vector M1(on.nodes());
    on.apply_mass(one, M1);
    const double volume = assembled::volume(shape);
    CHECK(std::fabs(dot(one, M1) - volume) <= 1000 * eps * volume);
  }
}

}  // namespace

TEST_CASE("the operators of degree 1 are right") {
  const fem::domain cube = fem::deformed_cube(0.15);
  check_operators(1, cube, 1, 1);
  check_operators(1, cube, 3, 1);
  check_operators(1, cube, 5, 1);
}

TEST_CASE("the operators of degree 2 are right") {
  const fem::domain cube = fem::deformed_cube(0.15);
  check_operators(2, cube, 1, 2);
  check_operators(2, cube, 2, 1);
  check_operators(2, cube, 3, 2);
}

TEST_CASE("the operators of degree 3 are right") {
  const fem::domain cube = fem::deformed_cube(0.15);
  check_operators(3, cube, 1, 3);
  check_operators(3, cube, 2, 2);
  check_operators(3, cube, 2, 3);
}

TEST_CASE("the operators of degree 5 are right") {
  check_operators(5, fem::deformed_cube(0.15), 1, 5);
}

TEST_CASE("the operators are right on hexahedra that lie in all ways to each other") {
  check_operators(1, turned_cube(3, 0.15, true), 1, 1);
  check_operators(2, turned_cube(3, 0.15, true), 1, 2);
  check_operators(3, turned_cube(2, 0.15, true), 1, 2);
  check_operators(2, turned_cube(2, 0.15, true), 2, 1);
}

TEST_CASE("the operators are right on the ball and on meshes of Gmsh") {
  check_operators(1, fem::ball(), 2, 1);
  check_operators(3, fem::ball(), 1, 3);
  check_operators(2, fem::read_gmsh(mesh_file("plate_order2_v41.msh")), 1, 2);
}
