#pragma once

/// Domains to solve on, and the hexahedra that they are made of.

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "topology.hpp"

namespace fem {

using point = std::array<double, 3>;

/// Hexahedra, each the image of the unit cube under a map of its own. Neighbours agree on what
/// they share, up to rounding.
struct domain {
  std::string name;  ///< as in "f on a ball"
  topology shared;
  std::function<point(int hexahedron, const point& X)> map;  ///< X in [0, 1]^3
  int degree = 0;  ///< the maps are polynomials of this degree along each axis; 0: they are not
};

/// One hexahedron, the unit cube bent by
///     x_d = X_d + deform sin(pi X_{d+1}) sin(pi X_{d+2}),   d + 1 and d + 2 modulo 3.
/// Faces bulge, edges stay. The map folds over from deform = 1/pi on.
domain deformed_cube(double deform);

/// The unit cube in 6 x 6 x 6 hexahedra that are compressed and sheared inside it: the mesh of
/// Kershaw (J. Comput. Phys. 39, 1981) in the three-dimensional form of CEED's solver benchmarks,
/// as MFEM has it (miniapps/benchmarks/ceed-solver-bps, smoothness 0). x stays. y and z are
/// compressed by `epsilon` in one half and stretched by 2 - epsilon in the other:
///     right(t) = (2 - epsilon) t  up to t = 1/2,  1 + epsilon (t - 1)  beyond;
///     left(t) = 1 - right(1 - t).
/// Six layers along x go from one to the other: the first is left, the second leads to right, the
/// third and fourth together back to left, the fifth again to right, and the last is right. In
/// between, y and z are interpolated linearly in x, so that every hexahedron is trilinear.
/// 0 < epsilon <= 1, and det J >= epsilon^2 > 0 everywhere; 1 is the plain cube.
domain kershaw(double epsilon = 0.3);

/// The unit ball in 7 hexahedra: a cube with corners (+-0.4, +-0.4, +-0.4), and on each of its
/// faces a shell that leads straight from the point c = 0.4 (1, s, t) to the point of the sphere
/// in the direction (1, tan(pi s / 4), tan(pi t / 4)), the equiangular cubed sphere (Ronchi et
/// al., J. Comput. Phys. 124, 1996). No smooth map of one cube will do: where an edge of the cube
/// comes to lie on the sphere, its two faces are tangent there, and det J is zero.
domain ball();

/// Hexahedra of degree 1 or 2 given by points: point (i, j, k), each 0 to degree, of hexahedron h
/// at [((h (degree + 1) + i) (degree + 1) + j) (degree + 1) + k]; points along an axis are
/// equidistant. `hexahedra` has their vertices.
domain polynomial_hexahedra(std::string name, const std::vector<corners>& hexahedra, int degree,
                            std::vector<point> points);

/// The domain that the user calls "cube" (deformed so far), "kershaw" or "ball", or that is in the
/// Gmsh file of that name, which ends in ".msh". Throws problem_error if it is neither, and as
/// read_gmsh does.
domain named_domain(const std::string& name, double deform);

}  // namespace fem
