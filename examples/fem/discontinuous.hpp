#pragma once

/// Functions that may jump between elements: their mass matrix is one block for each.

#include "geometry.hpp"
#include "operators.hpp"

namespace fem {

/// The mass matrix of discontinuous functions of degree p, by p + 1 Gauss-Legendre points along
/// each axis. As many points as nodes: values at points determine the function, and the inverse is
/// another product of six sweeps along an axis and a number at each point (Kronbichler, Schoeder,
/// Muller and Wall, Int. J. Numer. Meth. Engng. 106, 2016):
///     M_e = B^T W B,   M_e^-1 = B^-1 W^-1 B^-T.
class discontinuous_mass {
 public:
  using numbers = tensor<double, dyn, W, dyn, dyn, dyn>;  // (E, w, i, j, k)

  /// Throws problem_error if an element is inverted.
  discontinuous_mass(const mesh& shape, int p);

  /// Zeros for all elements, those that fill the last block among them.
  numbers zeros() const;
  /// v = M u
  void apply(const numbers& u, numbers& v) const { run(tables_.B, M_, u, v); }
  /// v = M^-1 u
  void apply_inverse(const numbers& u, numbers& v) const { run(to_points_, M_inverse_, u, v); }

 private:
  static void run(const matrix& B, const scalars_at_points& M, const numbers& u, numbers& v);

  basis tables_;
  matrix to_points_;  // B^-T
  scalars_at_points M_, M_inverse_;
};

}  // namespace fem
