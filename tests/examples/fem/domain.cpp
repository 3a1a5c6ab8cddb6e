#include "domain.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include "assembled.hpp"
#include "discretization.hpp"
#include "gmsh.hpp"
#include "mesh.hpp"
#include "meshes.hpp"

namespace {

constexpr double pi = std::numbers::pi;

/// 1^T M 1 with n x n x n elements of degree p in each hexahedron, which are as curved as they can
/// be. The quadrature is exact up to p = 4.
double volume(int p, const fem::domain& whole, int n) {
  const fem::mesh shape = fem::cut(whole, n, whole.degree == 0 ? p : std::min(p, whole.degree));
  const fem::discretization on(shape, p);
  fem::vector one(on.nodes()), M1(on.nodes());
  one.fill(1);
  on.apply_mass(one, M1);
  long double sum = 0;
  for (fem::index i = 0; i < on.nodes(); ++i) sum += M1(i);
  return static_cast<double>(sum);
}

}  // namespace

TEST_CASE("the volume of the cube is 1, deformed or not") {
  CHECK(volume(1, fem::deformed_cube(0), 3) == doctest::Approx(1).epsilon(1e-14));
  // Of the derivatives' products, which integrate to zero, the deformed one has some parts left
  // where the elements are polynomials.
  CHECK(volume(3, fem::deformed_cube(0.1), 4) == doctest::Approx(1).epsilon(1e-6));
  CHECK(volume(3, turned_cube(3, 0, true), 1) == doctest::Approx(1).epsilon(1e-14));
}

TEST_CASE("the Kershaw mesh is a cube of volume 1 whose det J is at least epsilon^2") {
  for (const double epsilon : {0.3, 0.7, 1.0}) {
    CAPTURE(epsilon);
    const fem::domain whole = fem::kershaw(epsilon);
    CHECK(volume(1, whole, 1) == doctest::Approx(1).epsilon(1e-14));
    CHECK(volume(2, whole, 2) == doctest::Approx(1).epsilon(1e-14));

    // Each hexahedron is the image of a cube of side 1/6.
    const fem::mesh shape = fem::cut(whole, 1, 1);
    const fem::numbering shapes = assembled::shape_nodes(shape);
    double least = 1;
    assembled::for_each_element(shape, [&](const fem::element& e) {
      for (int corner = 0; corner < 8; ++corner) {
        const auto J = assembled::jacobian(
            shape, shapes, e,
            {static_cast<long double>(corner / 4), static_cast<long double>(corner / 2 % 2),
             static_cast<long double>(corner % 2)});
        least = std::min(least, 216 * assembled::determinant(J));
      }
    });
    CHECK(least == doctest::Approx(epsilon * epsilon).epsilon(1e-12));
  }
}

TEST_CASE("the layers of the Kershaw mesh go left, right, left, right") {
  const fem::domain whole = fem::kershaw();
  // Vertices on the line y = 1/3, z = 2/3: left(1/3) = 0.3 / 3, right(1/3) = 1.7 / 3.
  const double left = 0.1, right = 1.7 / 3;
  const double expected[7] = {left, left, right, (left + right) / 2, left, right, right};
  for (int layer = 0; layer <= 6; ++layer) {
    const int x = std::min(layer, 5);
    const fem::point at = whole.map((x * 6 + 2) * 6 + 4, {static_cast<double>(layer - x), 0, 0});
    CHECK(at[0] == doctest::Approx(layer / 6.0).epsilon(1e-14));
    CHECK(at[1] == doctest::Approx(expected[layer]).epsilon(1e-14));
    // left(t) + right(1 - t) = 1
    const double mirrored = layer == 3 ? expected[3] : expected[layer] == left ? right : left;
    CHECK(at[2] == doctest::Approx(1 - mirrored).epsilon(1e-14));
  }
}

TEST_CASE("hexahedra of the ball meet, and its volume converges to 4/3 pi at the rate 2 p") {
  const fem::domain ball = fem::ball();
  const fem::numbering number(ball.shared, 4);
  std::vector<fem::point> places(static_cast<std::size_t>(number.nodes), fem::point{9, 9, 9});
  for (int h = 0; h < 7; ++h) {
    for (int l = 0; l < 125; ++l) {
      const int x = l / 25, y = l / 5 % 5, z = l % 5;
      const fem::point X = ball.map(h, {x / 4.0, y / 4.0, z / 4.0});
      const fem::index node = number(h, x, y, z);
      fem::point& place = places[static_cast<std::size_t>(node)];
      if (place[0] == 9) place = X;
      for (std::size_t d = 0; d < 3; ++d) CHECK(std::fabs(place[d] - X[d]) <= 1e-15);
      const double radius = std::hypot(X[0], X[1], X[2]);
      if (node >= number.free) CHECK(radius == doctest::Approx(1).epsilon(1e-15));
      if (node < number.free) CHECK(radius < 0.99);
    }
  }

  const auto rate = [](double coarse, double fine) {
    const double exact = 4 * pi / 3;
    return std::log2(std::fabs(coarse - exact) / std::fabs(fine - exact));
  };
  CHECK(rate(volume(1, ball, 2), volume(1, ball, 4)) > 1.8);
  CHECK(rate(volume(2, ball, 2), volume(2, ball, 4)) > 3.8);
  CHECK(rate(volume(3, ball, 2), volume(3, ball, 4)) > 5.8);
  CHECK(volume(4, ball, 4) == doctest::Approx(4 * pi / 3).epsilon(1e-8));
}

TEST_CASE("the meshes of Gmsh have the volumes of what they are meshes of") {
  const auto check = [](const std::string& name, double exact, double tolerance) {
    CAPTURE(name);
    const fem::domain old = fem::read_gmsh(mesh_file(name + "_v22.msh"));
    const fem::domain current = fem::read_gmsh(mesh_file(name + "_v41.msh"));
    const double found = volume(2, current, 1);
    CHECK(std::fabs(found - exact) <= tolerance * exact);
    // Gmsh writes 16 digits of one and the same mesh.
    CHECK(volume(2, old, 1) == doctest::Approx(found).epsilon(1e-13));
    // Subdivision changes no shape.
    CHECK(volume(2, current, 2) == doctest::Approx(found).epsilon(1e-13));
  };
  const double elbow = pi * pi, plate = (4 - 0.16 * pi) * 0.5;
  check("elbow_order1", elbow, 0.2);
  check("elbow_order2", elbow, 0.005);
  check("plate_order1", plate, 0.05);
  check("plate_order2", plate, 0.001);
}
