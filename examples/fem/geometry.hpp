// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

/// What the operators know of the shape of the elements: a few numbers per quadrature point.
#ifndef TENFOLD_EXAMPLES_FEM_GEOMETRY_HPP
#define TENFOLD_EXAMPLES_FEM_GEOMETRY_HPP

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

#include "basis.hpp"
#include "blocks.hpp"
#include "mesh.hpp"
#include "numbering.hpp"
#include "operators.hpp"
#include "problem_error.hpp"

namespace fem {

/// Where the nodes of the elements lie. Elements are images of polynomials of degree
/// mesh.geometry <= p: those whose nodes the mesh has.
template <int p>
class node_positions {
 public:
  static constexpr int D1D = p + 1;

  node_positions(const mesh& shape, const blocks& all)
      : shape_(shape),
        all_(all),
        number_(shape.shared, index(shape.n) * shape.geometry),
        to_nodes_(
            interpolation(gauss_lobatto(shape.geometry + 1).points, gauss_lobatto(D1D).points)) {}

  /// x(E, d, i, j, k; w) for `x.extent(0)` blocks from `first` on.
  void operator()(index first, vector_blocks<double, D1D> x) const {
    if (shape_.geometry == p) {
      gather(first, x);
    } else {
      const index g = shape_.geometry + 1, E = x.extent(0);
      tensor<double, dyn, 3, dyn, dyn, dyn, W> coarse(E, g, g, g);
      gather(first, coarse);
      change_nodes(to_nodes_, coarse, x);
    }
  }

 private:
  template <class Points>
  void gather(index first, Points&& x) const {
    const index E = x.extent(0), g = shape_.geometry;
    for (index b = 0; b < E; ++b) {
      for (index i = 0; i <= g; ++i) {
        for (index j = 0; j <= g; ++j) {
          for (index k = 0; k <= g; ++k) {
            for (int w = 0; w < W; ++w) {
              const element& e = all_.elements[static_cast<std::size_t>((first + b) * W + w)];
              const index node = number_(e.hexahedron, e.x * g + i, e.y * g + j, e.z * g + k);
              const point& at = shape_.nodes[static_cast<std::size_t>(node)];
              for (unsigned d = 0; d < 3; ++d) x(b, d, i, j, k, w) = at[d];
            }
          }
        }
      }
    }
  }

  const mesh& shape_;
  const blocks& all_;
  numbering number_;
  tensor<double, dyn, dyn> to_nodes_;
};

/// The numbers of the operators at the quadrature points.
template <int p>
struct geometry {
  static constexpr int D1D = p + 1, Q1D = p + 2;

  tensor<double, dyn, Q1D, Q1D, Q1D, W> M;        // (E, q, r, s; w)        weight det J
  tensor<double, dyn, 3, 3, Q1D, Q1D, Q1D, W> D;  // (E, c, d, q, r, s; w)  weight det J J^-1 J^-T

  /// Throws problem_error if an element is inverted: det J <= 0 at one of its quadrature points.
  geometry(const basis<p>& b, const node_positions<p>& positions, const blocks& all)
      : M(all.count()), D(all.count()) {
    struct scratch {
      tensor<double, dyn, 3, D1D, D1D, D1D, W> x{1};
      tensor<double, dyn, 3, 3, Q1D, Q1D, Q1D, W> J{1};
    };
    for_each_batch(all, 1, [&](index block, index) {
      static thread_local scratch mine;
      positions(block, mine.x);
      jacobian<p>(b, mine.x, mine.J);
      for (int w = 0; w < W; ++w) {
        const auto e = static_cast<std::size_t>(block * W + w);
        fill(b, mine.J, all.elements[e], all.filled[e], block, w);
      }
    });
  }

 private:
  void fill(const basis<p>& b, const tensor<double, dyn, 3, 3, Q1D, Q1D, Q1D, W>& J,
            const element& e, bool filled, index block, int w) {
    double worst = std::numeric_limits<double>::infinity();
    for (int q = 0; q < Q1D; ++q) {
      for (int r = 0; r < Q1D; ++r) {
        for (int s = 0; s < Q1D; ++s) {
          // adj(c, d) is the cofactor of J(d, c):  J^-1 = adj / det.
          double adj[3][3];
          for (int c = 0; c < 3; ++c) {
            const int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            for (int d = 0; d < 3; ++d) {
              const int d1 = (d + 1) % 3, d2 = (d + 2) % 3;
              adj[c][d] = J(0, d1, c1, q, r, s, w) * J(0, d2, c2, q, r, s, w) -
                          J(0, d1, c2, q, r, s, w) * J(0, d2, c1, q, r, s, w);
            }
          }
          double det = 0;
          for (int d = 0; d < 3; ++d) det += J(0, d, 0, q, r, s, w) * adj[0][d];
          worst = std::min(worst, det);

          // Lanes that repeat an element weigh nothing.
          const double weight = filled ? weight_at(b, q) * weight_at(b, r) * weight_at(b, s) : 0;
          M(block, q, r, s, w) = weight * det;
          for (int c = 0; c < 3; ++c) {
            for (int d = 0; d < 3; ++d) {
              D(block, c, d, q, r, s, w) =
                  weight / det *
                  (adj[c][0] * adj[d][0] + adj[c][1] * adj[d][1] + adj[c][2] * adj[d][2]);
            }
          }
        }
      }
    }
    if (!(worst > 0)) throw_inverted(e, worst);
  }

  static double weight_at(const basis<p>& b, int q) {
    return static_cast<double>(b.rule.weights[static_cast<std::size_t>(q)]);
  }

  [[noreturn]] static void throw_inverted(const element& e, double det) {
    throw problem_error("element (" + std::to_string(e.x) + ", " + std::to_string(e.y) + ", " +
                        std::to_string(e.z) + ") of hexahedron " + std::to_string(e.hexahedron) +
                        " is inverted: its Jacobian determinant falls to " + std::to_string(det));
  }
};

}  // namespace fem

#endif  // TENFOLD_EXAMPLES_FEM_GEOMETRY_HPP
