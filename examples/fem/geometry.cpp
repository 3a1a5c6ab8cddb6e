// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

#include "geometry.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <sstream>

#include "parallel.hpp"
#include "problem_error.hpp"

namespace fem {
namespace {

[[noreturn]] void throw_inverted(const element& e, double det) {
  std::ostringstream why;
  why << "element (" << e.x << ", " << e.y << ", " << e.z << ") of hexahedron " << e.hexahedron
      << " is inverted: its Jacobian determinant falls to " << det;
  throw problem_error(why.str());
}

}  // namespace

element_shapes::element_shapes(const mesh& shape, const std::vector<long double>& at)
    : shape_(shape),
      number_(shape.shared, index(shape.n) * shape.geometry),
      B_(interpolation(gauss_lobatto(shape.geometry + 1).points, at)),
      G_(differentiation(gauss_lobatto(shape.geometry + 1).points, at)) {
  using on_element::A, on_element::B, on_element::C, on_element::U, on_element::V;
  const index n = shape.geometry + 1, q = points();
  const nodes_of_block x(1, n, n, n);
  vectors_at_points y(1, q, q, q);
  at_points_ = [plan = on_element::at_points.plan(V = y, A = B_, B = B_, C = B_, U = x)](
                   const auto& u, const auto& a, const auto& b, const auto& c, auto& v) {
    plan(V = v, A = a, B = b, C = c, U = u);
  };
}

vectors_at_points element_shapes::positions(index block) const {
  const index q = points();
  vectors_at_points x(1, q, q, q);
  at_points_(gather(block), B_, B_, B_, x);
  return x;
}

vectors_at_points element_shapes::slopes(index block, int d) const {
  const index q = points();
  vectors_at_points J(1, q, q, q);
  at_points_(gather(block), d == 0 ? G_ : B_, d == 1 ? G_ : B_, d == 2 ? G_ : B_, J);
  return J;
}

element_shapes::nodes_of_block element_shapes::gather(index block) const {
  const index g = shape_.geometry;
  nodes_of_block x(1, g + 1, g + 1, g + 1);
  for (int w = 0; w < W; ++w) {
    const element e = shape_.at(std::min(block * W + w, shape_.elements() - 1));
    for (index i = 0; i <= g; ++i) {
      for (index j = 0; j <= g; ++j) {
        for (index k = 0; k <= g; ++k) {
          const index node = number_(e.hexahedron, e.x * g + i, e.y * g + j, e.z * g + k);
          const point& at = shape_.nodes[static_cast<std::size_t>(node)];
          for (unsigned a = 0; a < 3; ++a) x(0, w, a, i, j, k) = at[a];
        }
      }
    }
  }
  return x;
}

geometry::geometry(const mesh& shape, const quadrature& rule, index blocks, bool with_M,
                   bool with_D) {
  const element_shapes shapes(shape, rule.points);
  const index Q = shapes.points(), points = Q * Q * Q;
  M = scalars_at_points(with_M ? blocks : 0, Q, Q, Q);
  D = symmetric_at_points(with_D ? blocks : 0, Q, Q, Q);
  std::vector<double> weights;  // (q, r, s)
  for (index l = 0; l < points; ++l) {
    const auto of = [&](index q) { return rule.weights[static_cast<std::size_t>(q % Q)]; };
    weights.push_back(static_cast<double>(of(l / Q / Q) * of(l / Q) * of(l)));
  }

  in_parallel(blocks, [&](index block) {
    const vectors_at_points of_axis[3] = {shapes.slopes(block, 0), shapes.slopes(block, 1),
                                          shapes.slopes(block, 2)};
    double least[W];
    std::fill_n(least, W, std::numeric_limits<double>::infinity());
    for (index l = 0; l < points; ++l) {
      for (int w = 0; w < W; ++w) {
        const index at = l * W + w;
        // J(a, d) = dx_a / dxi_d; adj(c, a) is the cofactor of J(a, c):  J^-1 = adj / det.
        const auto J = [&](int a, int d) { return of_axis[d].data()[a * points * W + at]; };
        double adj[3][3];
        for (int c = 0; c < 3; ++c) {
          const int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
          for (int a = 0; a < 3; ++a) {
            const int a1 = (a + 1) % 3, a2 = (a + 2) % 3;
            adj[c][a] = J(a1, c1) * J(a2, c2) - J(a1, c2) * J(a2, c1);
          }
        }
        const double det = J(0, 0) * adj[0][0] + J(1, 0) * adj[0][1] + J(2, 0) * adj[0][2];
        least[w] = std::min(least[w], det);

        const bool is_there = block * W + w < shape.elements();
        const double weight = is_there ? weights[static_cast<std::size_t>(l)] : 0;
        if (with_M) M.data()[block * points * W + at] = weight * det;
        double* to = with_D ? D.data() + block * 6 * points * W + at : nullptr;
        for (int c = 0; with_D && c < 3; ++c) {
          for (int d = c; d < 3; ++d, to += points * W) {
            *to = weight / det *
                  (adj[c][0] * adj[d][0] + adj[c][1] * adj[d][1] + adj[c][2] * adj[d][2]);
          }
        }
      }
    }
    for (int w = 0; w < W; ++w) {
      const index e = std::min(block * W + w, shape.elements() - 1);
      if (!(least[w] > 0)) throw_inverted(shape.at(e), least[w]);
    }
  });
}

}  // namespace fem
