#pragma once

/// The shape of the elements, and what the operators know of it: a few numbers per point.

#include <functional>
#include <vector>

#include "mesh.hpp"
#include "numbering.hpp"
#include "operators.hpp"

namespace fem {

/// The shape of the elements of a mesh, seen at the points (at[q], at[r], at[s]) of each.
class element_shapes {
 public:
  /// `shape` must outlive this.
  element_shapes(const mesh& shape, const std::vector<long double>& at);

  index points() const { return B_.extent(0); }
  /// Where the points of a block lie: (1, a, q, r, s, w). Behind the last element of the mesh come
  /// repetitions of it.
  vectors_at_points positions(index block) const;
  /// The derivatives of that along axis d of the element: column d of the Jacobian matrix.
  vectors_at_points slopes(index block, int d) const;

 private:
  using nodes_of_block = tensor<double, dyn, W, 3, dyn, dyn, dyn>;
  nodes_of_block gather(index block) const;

  const mesh& shape_;
  numbering number_;
  matrix B_, G_;  // of the polynomials that are the shape
  std::function<void(const nodes_of_block&, const matrix&, const matrix&, const matrix&,
                     vectors_at_points&)>
      at_points_;
};

/// The numbers of the operators at the quadrature points of blocks of elements; those of elements
/// that are not there are as good as any.
struct geometry {
  scalars_at_points M;    // k weight det J
  symmetric_at_points D;  // k weight det J J^-1 J^-T

  /// What an operator does not need may be left out. k is a coefficient, a function of the place; 1
  /// without one. Throws problem_error if an element is inverted: det J <= 0 at one of its points.
  geometry(const mesh& shape, const quadrature& rule, index blocks, bool with_M, bool with_D,
           const std::function<double(const point&)>& k = {});
};

/// J^-1 at the points of blocks of elements, (d, a): the derivatives of coordinate d of the
/// element.
matrices_at_points inverse_jacobians(const mesh& shape, const quadrature& rule, index blocks);

/// Where the nodes of `all` lie, by their numbers (entries, for fields of one component), or p + 1
/// other points `at` along each axis of each element, the first and the last one at its ends.
/// Elements agree on the points that they share, up to rounding.
std::vector<point> positions(const mesh& shape, const restriction& all,
                             const std::vector<long double>& at);

/// The numbers of the operators where elements are trilinear, made of their vertices each time:
/// 24 numbers of an element instead of Q^3 or 6 Q^3.
class trilinear_geometry {
 public:
  /// `shape` has geometry 1 and must have no inverted element.
  trilinear_geometry(const mesh& shape, const quadrature& rule, index blocks);

  /// M of a block, (q, r, s, w).
  void scalars(index block, double* M) const;
  /// D of a block, (cd, q, r, s, w).
  void matrices(index block, double* D) const;

 private:
  template <class Put>
  void at_points(index block, Put put) const;

  std::vector<double> points_, weights_;
  tensor<double, dyn, 8, 3, W> x_;  // (E, ijk, a, w)  x = sum of x_ijk xi^i eta^j zeta^k
};

}  // namespace fem
