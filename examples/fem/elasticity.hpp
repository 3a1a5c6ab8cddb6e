#pragma once

/// Linear elasticity, for fields of three components.

#include "geometry.hpp"
#include "operators.hpp"

namespace fem {

/// Displacements of degree p: p + 2 Gauss-Legendre points along each axis, the same constants of
/// Lame everywhere. Vectors have three entries per node, side by side.
class elasticity {
 public:
  /// Throws problem_error if an element is inverted.
  elasticity(const mesh& shape, int p, double lambda, double mu);

  const restriction& nodes_of_elements() const { return all_; }

  /// y = A x, all rows:  A_ij = integral of lambda div l_i div l_j + 2 mu sym(grad l_i) :
  /// sym(grad l_j).
  void apply(const vector& x, vector& y) const;

 private:
  basis tables_;
  restriction all_;
  scalars_at_points M_;  // mu weight det J
  matrices_at_points K_;
  double ratio_;
};

}  // namespace fem
