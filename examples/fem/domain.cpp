#include "domain.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <sstream>
#include <string_view>
#include <utility>

#include "gmsh.hpp"
#include "problem_error.hpp"

namespace fem {
namespace {

/// As it is read: 0.1, not 0.100000.
std::string text(double number) {
  std::ostringstream out;
  out << number;
  return out.str();
}

double right(double epsilon, double t) {
  return t <= 0.5 ? (2 - epsilon) * t : 1 + epsilon * (t - 1);
}
double left(double epsilon, double t) { return 1 - right(epsilon, 1 - t); }

/// Where Kershaw's map moves t, which is y or z, at the border `layer` of the layers in x, 0 to 6.
double at_border(double epsilon, int layer, double t) {
  switch (layer) {
    case 0:
    case 1:
    case 4:
      return left(epsilon, t);
    case 3:
      return (left(epsilon, t) + right(epsilon, t)) / 2;
    default:
      return right(epsilon, t);
  }
}

/// The values at t in [0, 1] of the Lagrange polynomials on 0, 1 or on 0, 1/2, 1.
std::array<double, 3> lagrange_values(int degree, double t) {
  if (degree == 1) return {1 - t, t, 0};
  return {(1 - t) * (1 - 2 * t), 4 * t * (1 - t), t * (2 * t - 1)};
}

constexpr double core = 0.4;  // half an edge of the cube in the ball

/// The ball's shells are hexahedra 1 to 6: shell 1 + 2 d lies on the upper side of axis d, shell
/// 2 + 2 d on the lower one. Their first axis leads outwards; the other two are d + 1 and d + 2 on
/// the upper side and in the other order on the lower, which is right-handed.
struct shell {
  std::size_t out, first, second;
  bool upper;

  explicit shell(int hexahedron) : upper(hexahedron % 2 == 1) {
    out = static_cast<std::size_t>(hexahedron - 1) / 2;
    first = (out + (upper ? 1 : 2)) % 3;
    second = (out + (upper ? 2 : 1)) % 3;
  }

  /// X[0] is 0 on the cube and 1 on the sphere.
  point map(const point& X) const {
    const double s = 2 * X[1] - 1, t = 2 * X[2] - 1, side = upper ? 1 : -1;
    const double a = std::tan(std::numbers::pi / 4 * s), b = std::tan(std::numbers::pi / 4 * t);
    const double outer = X[0] / std::sqrt(1 + a * a + b * b), inner = core * (1 - X[0]);
    point x{};
    x[out] = side * (inner + outer);
    x[first] = s * inner + a * outer;
    x[second] = t * inner + b * outer;
    return x;
  }
};

}  // namespace

domain deformed_cube(double deform) {
  return {"a cube deformed by " + text(deform),
          topology(std::vector<corners>{{0, 1, 2, 3, 4, 5, 6, 7}}),
          [deform](int, const point& X) -> point {
            point s;
            for (std::size_t d = 0; d < 3; ++d) s[d] = std::sin(std::numbers::pi * X[d]);
            return {X[0] + deform * s[1] * s[2], X[1] + deform * s[2] * s[0],
                    X[2] + deform * s[0] * s[1]};
          }};
}

domain kershaw(double epsilon) {
  constexpr int n = 6;
  std::vector<corners> hexahedra;
  std::vector<point> points;
  for (int e = 0; e < n * n * n; ++e) {
    corners& vertex = hexahedra.emplace_back();
    for (int corner = 0; corner < 8; ++corner) {
      const int x = e / (n * n) + corner / 4, y = e / n % n + corner / 2 % 2,
                z = e % n + corner % 2;
      vertex[static_cast<std::size_t>(corner)] = (x * (n + 1) + y) * (n + 1) + z;
      points.push_back({x / 6.0, at_border(epsilon, x, y / 6.0), at_border(epsilon, x, z / 6.0)});
    }
  }
  return polynomial_hexahedra("a Kershaw mesh with epsilon " + text(epsilon), hexahedra, 1,
                              std::move(points));
}

domain ball() {
  // Vertices 0 to 7 are the cube's, 8 to 15 those on the sphere.
  std::vector<corners> hexahedra = {{0, 1, 2, 3, 4, 5, 6, 7}};
  constexpr int bit[3] = {4, 2, 1};
  for (int h = 1; h <= 6; ++h) {
    const shell here(h);
    corners& vertex = hexahedra.emplace_back();
    for (int corner = 0; corner < 8; ++corner) {
      const int of_cube = (here.upper ? bit[here.out] : 0) + (corner & 2 ? bit[here.first] : 0) +
                          (corner & 1 ? bit[here.second] : 0);
      vertex[static_cast<std::size_t>(corner)] = corner & 4 ? 8 + of_cube : of_cube;
    }
  }
  return {"a ball", topology(hexahedra), [](int hexahedron, const point& X) -> point {
            if (hexahedron > 0) return shell(hexahedron).map(X);
            return {core * (2 * X[0] - 1), core * (2 * X[1] - 1), core * (2 * X[2] - 1)};
          }};
}

domain polynomial_hexahedra(std::string name, const std::vector<corners>& hexahedra, int degree,
                            std::vector<point> points) {
  auto map = [degree, points = std::move(points)](int hexahedron, const point& X) {
    const std::array<double, 3> u = lagrange_values(degree, X[0]),
                                v = lagrange_values(degree, X[1]),
                                w = lagrange_values(degree, X[2]);
    const auto D1D = static_cast<std::size_t>(degree + 1);
    const point* at = &points[static_cast<std::size_t>(hexahedron) * D1D * D1D * D1D];
    point x = {0, 0, 0};
    for (std::size_t i = 0; i < D1D; ++i) {
      for (std::size_t j = 0; j < D1D; ++j) {
        for (std::size_t k = 0; k < D1D; ++k, ++at) {
          for (std::size_t d = 0; d < 3; ++d) x[d] += u[i] * v[j] * w[k] * (*at)[d];
        }
      }
    }
    return x;
  };
  return {std::move(name), topology(hexahedra), std::move(map), degree};
}

domain named_domain(const std::string& name, double deform) {
  if (name == "cube") return deformed_cube(deform);
  if (name == "kershaw") return kershaw();
  if (name == "ball") return ball();
  if (std::string_view(name).ends_with(".msh")) return read_gmsh(name);
  throw problem_error("there is no mesh '" + name +
                      "': it is cube, kershaw, ball or the name of a Gmsh file, which ends in "
                      "'.msh'");
}

}  // namespace fem
