// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

/// The domain: a cube bent by a smooth map, and cut into n x n x n hexahedra.
#ifndef TENFOLD_EXAMPLES_FEM_MESH_HPP
#define TENFOLD_EXAMPLES_FEM_MESH_HPP

#include <array>
#include <cmath>
#include <numbers>

namespace fem {

using point = std::array<double, 3>;

/// Element (x, y, z) is the image of [x, x+1] x [y, y+1] x [z, z+1] / n.
struct element {
  int x, y, z;
};

/// n elements along each axis. Elements are curved: inside each, the map is replaced by its
/// interpolant of degree `geometry` at Gauss-Lobatto nodes.
struct mesh {
  int n = 1;
  int geometry = 1;
  double deform = 0;

  /// Where the point X of the unit cube goes:
  ///     x_d = X_d + deform sin(pi X_{d+1}) sin(pi X_{d+2}),   d + 1 and d + 2 modulo 3.
  /// Faces bulge, edges stay. The map folds over from deform = 1/pi on.
  point map(const point& X) const {
    point s;
    for (unsigned d = 0; d < 3; ++d) s[d] = std::sin(std::numbers::pi * X[d]);
    return {X[0] + deform * s[1] * s[2], X[1] + deform * s[2] * s[0], X[2] + deform * s[0] * s[1]};
  }

  /// Where the point xi in [0, 1]^3 of element e goes. Neighbours agree on what they share to the
  /// last bit.
  point map(const element& e, const point& xi) const {
    return map({(e.x + xi[0]) / n, (e.y + xi[1]) / n, (e.z + xi[2]) / n});
  }
};

}  // namespace fem

#endif  // TENFOLD_EXAMPLES_FEM_MESH_HPP
