#pragma once

/// The manufactured solution: a function first, the problem that it solves second.

#include <cmath>

#include "mesh.hpp"

namespace fem {

/// u(x, y, z) = e^2x sin(2y + 1) cos 2z: smooth, without symmetry, and not zero on the boundary.
inline double solution(const point& x) {
  return std::exp(2 * x[0]) * std::sin(2 * x[1] + 1) * std::cos(2 * x[2]);
}

/// f = - div grad u = 4 u.
inline double forcing(const point& x) { return 4 * solution(x); }

}  // namespace fem
