#pragma once

/// A finite-element space on a mesh, and the operators over it.

#include <functional>
#include <vector>

#include "geometry.hpp"
#include "mesh.hpp"
#include "operators.hpp"
#include "vector.hpp"

namespace fem {

/// A mesh and scalar functions of degree p on it, integrals by p + 2 Gauss-Legendre points along
/// each axis. Vectors have one entry per node, unknowns first.
class discretization {
 public:
  /// `shape` must outlive this; `blocks_in_slab` as in restriction. Throws problem_error if an
  /// element is inverted.
  discretization(const mesh& shape, int p, index blocks_in_slab = 0);
  discretization(mesh&&, int, index = 0) = delete;
  discretization(const discretization&) = delete;
  discretization& operator=(const discretization&) = delete;

  int degree() const { return static_cast<int>(tables_.D1D()) - 1; }
  const mesh& shape() const { return shape_; }
  const basis& tables() const { return tables_; }
  const restriction& nodes_of_elements() const { return restrict_; }
  const geometry& at_points() const { return geometry_; }
  index nodes() const { return restrict_.size(); }
  index unknowns() const { return restrict_.unknowns(); }

  /// y = A x, all rows, those of the boundary too.
  void apply_diffusion(const vector& x, vector& y) const;
  /// y = M x, all rows.
  void apply_mass(const vector& x, vector& y) const;
  /// The diagonal of A.
  vector diffusion_diagonal() const;

  /// What u is at other points than the nodes; `at` as in positions (geometry.hpp).
  vector values(const vector& u, const std::vector<long double>& at) const;

  /// The values of a function of a point at all nodes.
  vector at_nodes(const std::function<double(const point&)>& f) const;
  /// sqrt(integral of (u - f)^2), by the quadrature of the operators.
  double l2_distance(const vector& u, const std::function<double(const point&)>& f) const;

  /// Of the diffusion operator over the mesh, as planned.
  double diffusion_flops() const {
    return diffusion_.flops * static_cast<double>(restrict_.blocks());
  }

 private:
  const mesh& shape_;
  basis tables_;
  restriction restrict_;
  geometry geometry_;
  element_operator diffusion_, mass_;
};

}  // namespace fem
