// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

/// The shape of the elements, and what the operators know of it: a few numbers per point.
#ifndef TENFOLD_EXAMPLES_FEM_GEOMETRY_HPP
#define TENFOLD_EXAMPLES_FEM_GEOMETRY_HPP

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

/// The numbers of the operators at the quadrature points of blocks of elements; zero for elements
/// that are not there.
struct geometry {
  scalars_at_points M;    // weight det J
  symmetric_at_points D;  // weight det J J^-1 J^-T

  /// What an operator does not need may be left out. Throws problem_error if an element is
  /// inverted: det J <= 0 at one of its points.
  geometry(const mesh& shape, const quadrature& rule, index blocks, bool with_M, bool with_D);
};

}  // namespace fem

#endif  // TENFOLD_EXAMPLES_FEM_GEOMETRY_HPP
