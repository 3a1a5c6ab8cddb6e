// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

/// The operators over the mesh: gather, element operator, scatter.
#ifndef TENFOLD_EXAMPLES_FEM_DISCRETIZATION_HPP
#define TENFOLD_EXAMPLES_FEM_DISCRETIZATION_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "basis.hpp"
#include "blocks.hpp"
#include "geometry.hpp"
#include "mesh.hpp"
#include "numbering.hpp"
#include "operators.hpp"
#include "restriction.hpp"
#include "vector.hpp"

namespace fem {

/// A mesh and functions of degree p on it. Vectors have one entry per node, unknowns first.
template <int p>
class discretization {
 public:
  static constexpr int D1D = p + 1, Q1D = p + 2;

  /// `shape` must outlive this. Throws problem_error if an element is inverted.
  explicit discretization(const mesh& shape)
      : all_(shape.shared, shape.n, most_blocks),
        number_(shape.shared, index(shape.n) * p),
        restrict_(number_, all_),
        positions_(shape, all_),
        geometry_(basis_, positions_, all_) {}

  explicit discretization(mesh&&) = delete;
  discretization(const discretization&) = delete;
  discretization& operator=(const discretization&) = delete;

  const basis<p>& tables() const { return basis_; }
  const blocks& elements() const { return all_; }
  const restriction<p>& map() const { return restrict_; }
  const node_positions<p>& positions() const { return positions_; }
  const geometry<p>& points() const { return geometry_; }
  index nodes() const { return number_.nodes; }
  index unknowns() const { return number_.free; }

  /// y = A x, all rows, those of the boundary too.
  void apply_diffusion(const vector& x, vector& y) const {
    for_each_element(x, y, [&](index first, index E, scratch& mine) {
      diffusion<p>(basis_, D(first, E), mine.u(E), mine.gradient(E), mine.flux(E), mine.v(E));
    });
  }

  /// y = M x, all rows.
  void apply_mass(const vector& x, vector& y) const {
    for_each_element(x, y, [&](index first, index E, scratch& mine) {
      mass<p>(basis_, M(first, E), mine.u(E), mine.v(E));
    });
  }

  /// The diagonal of A.
  vector diffusion_diagonal() const {
    vector d = zeros(nodes());
    for_each_batch(all_, most_blocks, [&](index first, index E) {
      scratch& mine = my_scratch();
      fem::diffusion_diagonal<p>(basis_, D(first, E), mine.v(E));
      restrict_.scatter_add(mine.v(E), first, d.data());
    });
    return d;
  }

  /// The values of a function of a point at all nodes.
  template <class Function>
  vector at_nodes(Function f) const {
    vector x = zeros(nodes());
    for_each_batch(all_, most_blocks, [&](index first, index E) {
      scratch& mine = my_scratch();
      positions_(first, mine.x(E));
      sample(mine.x(E), f, mine.u(E));
      restrict_.scatter(mine.u(E), first, x.data());
    });
    return x;
  }

  /// sqrt(integral of (u - f)^2), by the quadrature of the operators.
  template <class Function>
  double l2_distance(const vector& u, Function f) const {
    std::vector<double> of_block(static_cast<std::size_t>(all_.count()));
    for_each_batch(all_, most_blocks, [&](index first, index E) {
      scratch& mine = my_scratch();
      const scalar_blocks<double, Q1D> uq(mine.gradient(E).data(), E), fq(mine.flux(E).data(), E);
      restrict_.gather(u.data(), first, mine.u(E));
      interpolate<p>(basis_, mine.u(E), uq);
      positions_(first, mine.x(E));
      interpolate<p>(basis_, mine.x(E), mine.xq(E));
      sample(mine.xq(E), f, fq);
      const index size = uq.size() / E;
      for (index b = 0; b < E; ++b) {
        const double* const weight = M(first + b, 1).data();
        double sum = 0;
        for (index l = 0; l < size; ++l) {
          const double difference = uq.data()[b * size + l] - fq.data()[b * size + l];
          sum += weight[l] * difference * difference;
        }
        of_block[static_cast<std::size_t>(first + b)] = sum;
      }
    });
    double sum = 0;
    for (const double part : of_block) sum += part;
    return std::sqrt(sum);
  }

 private:
  /// Blocks that are worked on at a time: what lies between two expressions shall stay in the
  /// second-level cache.
  static constexpr int most_blocks = [] {
    constexpr int bytes = sizeof(double) * W * (2 * D1D * D1D * D1D + 6 * Q1D * Q1D * Q1D);
    int blocks = 16;
    while (blocks > 1 && blocks * bytes > 256 << 10) blocks /= 2;
    return blocks;
  }();

  /// One thread's element data, for up to most_blocks blocks.
  class scratch {
   public:
    scalar_blocks<double, D1D> u(index E) { return scalar_blocks<double, D1D>(u_.data(), E); }
    scalar_blocks<double, D1D> v(index E) { return scalar_blocks<double, D1D>(v_.data(), E); }
    vector_blocks<double, Q1D> gradient(index E) {
      return vector_blocks<double, Q1D>(g_.data(), E);
    }
    vector_blocks<double, Q1D> flux(index E) { return vector_blocks<double, Q1D>(f_.data(), E); }
    vector_blocks<double, D1D> x(index E) { return vector_blocks<double, D1D>(x_.data(), E); }
    vector_blocks<double, Q1D> xq(index E) { return vector_blocks<double, Q1D>(xq_.data(), E); }

   private:
    tensor<double, dyn, D1D, D1D, D1D, W> u_{most_blocks}, v_{most_blocks};
    tensor<double, dyn, 3, Q1D, Q1D, Q1D, W> g_{most_blocks}, f_{most_blocks}, xq_{most_blocks};
    tensor<double, dyn, 3, D1D, D1D, D1D, W> x_{most_blocks};
  };

  static scratch& my_scratch() {
    static thread_local scratch mine;
    return mine;
  }

  /// y = sum_e R_e^T (work: u -> v) R_e x
  template <class Work>
  void for_each_element(const vector& x, vector& y, Work work) const {
    for_each_entry(nodes(), [ys = y.data()](index i) { ys[i] = 0; });
    for_each_batch(all_, most_blocks, [&](index first, index E) {
      scratch& mine = my_scratch();
      restrict_.gather(x.data(), first, mine.u(E));
      work(first, E, mine);
      restrict_.scatter_add(mine.v(E), first, y.data());
    });
  }

  /// values(E, i, j, k; w) = f(x(E, :, i, j, k; w))
  template <class Points, class Values, class Function>
  static void sample(const Points& x, Function f, const Values& values) {
    const index E = x.extent(0), size = x.size() / (3 * E);
    for (index b = 0; b < E; ++b) {
      const double* const at = x.data() + b * 3 * size;
      for (index l = 0; l < size; ++l) {
        values.data()[b * size + l] = f(point{at[l], at[size + l], at[2 * size + l]});
      }
    }
  }

  matrix_blocks<const double, Q1D> D(index first, index E) const {
    return matrix_blocks<const double, Q1D>(&geometry_.D(first, 0, 0, 0, 0, 0, 0), E);
  }
  scalar_blocks<const double, Q1D> M(index first, index E) const {
    return scalar_blocks<const double, Q1D>(&geometry_.M(first, 0, 0, 0, 0), E);
  }

  basis<p> basis_;
  blocks all_;
  numbering number_;
  restriction<p> restrict_;
  node_positions<p> positions_;
  geometry<p> geometry_;
};

}  // namespace fem

#endif  // TENFOLD_EXAMPLES_FEM_DISCRETIZATION_HPP
