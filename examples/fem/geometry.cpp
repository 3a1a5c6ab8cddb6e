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
  at_points_ = [plan = on_element::at_points<3>.plan(V = y, A = B_, B = B_, C = B_, U = x)](
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

namespace {

/// Calls put(l, w, adj, det) at each point l of each element w of a block: J^-1 = adj / det.
template <class Put>
void for_each_point(const element_shapes& shapes, index block, Put put) {
  const index size = shapes.points() * shapes.points() * shapes.points();
  const vectors_at_points of_axis[3] = {shapes.slopes(block, 0), shapes.slopes(block, 1),
                                        shapes.slopes(block, 2)};
  for (index l = 0; l < size; ++l) {
    for (int w = 0; w < W; ++w) {
      // J(a, d) = dx_a / dxi_d; adj(c, a) is the cofactor of J(a, c).
      const auto J = [&](int a, int d) { return of_axis[d].data()[(a * size + l) * W + w]; };
      double adj[3][3];
      for (int c = 0; c < 3; ++c) {
        const int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
        for (int a = 0; a < 3; ++a) {
          const int a1 = (a + 1) % 3, a2 = (a + 2) % 3;
          adj[c][a] = J(a1, c1) * J(a2, c2) - J(a1, c2) * J(a2, c1);
        }
      }
      put(l, w, adj, J(0, 0) * adj[0][0] + J(1, 0) * adj[0][1] + J(2, 0) * adj[0][2]);
    }
  }
}

}  // namespace

geometry::geometry(const mesh& shape, const quadrature& rule, index blocks, bool with_M,
                   bool with_D, const std::function<double(const point&)>& k) {
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
    double least[W];
    std::fill_n(least, W, std::numeric_limits<double>::infinity());
    const vectors_at_points places = k ? shapes.positions(block) : vectors_at_points(0, Q, Q, Q);
    for_each_point(shapes, block, [&](index l, int w, const double(&adj)[3][3], double det) {
      const index at = l * W + w;
      least[w] = std::min(least[w], det);
      double weight = weights[static_cast<std::size_t>(l)];
      if (k) {
        const double* const x = places.data() + at;
        weight *= k({x[0], x[points * W], x[2 * points * W]});
      }
      if (with_M) M.data()[block * points * W + at] = weight * det;
      double* to = with_D ? D.data() + block * 6 * points * W + at : nullptr;
      for (int c = 0; with_D && c < 3; ++c) {
        for (int d = c; d < 3; ++d, to += points * W) {
          *to = weight / det *
                (adj[c][0] * adj[d][0] + adj[c][1] * adj[d][1] + adj[c][2] * adj[d][2]);
        }
      }
    });
    for (int w = 0; w < W; ++w) {
      const index e = std::min(block * W + w, shape.elements() - 1);
      if (!(least[w] > 0)) throw_inverted(shape.at(e), least[w]);
    }
  });
}

matrices_at_points inverse_jacobians(const mesh& shape, const quadrature& rule, index blocks) {
  const element_shapes shapes(shape, rule.points);
  const index Q = shapes.points(), points = Q * Q * Q;
  matrices_at_points K(blocks, Q, Q, Q);
  in_parallel(blocks, [&](index block) {
    double* const of_block = K.data() + block * 9 * points * W;
    for_each_point(shapes, block, [&](index l, int w, const double(&adj)[3][3], double det) {
      for (int da = 0; da < 9; ++da) {
        of_block[(da * points + l) * W + w] = adj[da / 3][da % 3] / det;
      }
    });
  });
  return K;
}

std::vector<point> positions(const mesh& shape, const restriction& all,
                             const std::vector<long double>& at) {
  const element_shapes shapes(shape, at);
  const index components = all.components(), size = all.per_element() / components;
  std::vector<point> x(static_cast<std::size_t>(all.size() / components));
  for (index block = 0; block < all.blocks(); ++block) {
    const vectors_at_points of_block = shapes.positions(block);
    for (index e = block * W; e < std::min(all.elements(), (block + 1) * W); ++e) {
      for (index l = 0; l < size; ++l) {
        const double* const place = of_block.data() + l * W + e % W;
        x[static_cast<std::size_t>(all.entries(e)[l] / components)] = {place[0], place[size * W],
                                                                       place[2 * size * W]};
      }
    }
  }
  return x;
}

namespace {

/// A number of each element of a block.
typedef double lanes __attribute__((vector_size(8 * W), aligned(8)));

/// z := x . y. (Vectors of this size are not returned: how, depends on the instruction set.)
void dot(const lanes (&x)[3], const lanes (&y)[3], lanes& z) {
  z = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

}  // namespace

trilinear_geometry::trilinear_geometry(const mesh& shape, const quadrature& rule, index blocks)
    : points_(rule.points.begin(), rule.points.end()),
      weights_(rule.weights.begin(), rule.weights.end()),
      x_(blocks) {
  const element_shapes vertices(shape, {0, 1});
  in_parallel(blocks, [&](index block) {
    const vectors_at_points x = vertices.positions(block);
    for (index a = 0; a < 3; ++a) {
      for (int w = 0; w < W; ++w) {
        double c[8];
        for (int v = 0; v < 8; ++v) c[v] = x(0, a, v / 4, v / 2 % 2, v % 2, w);
        // From values at 0 and 1 to what is constant and what is linear, along each axis.
        for (const int bit : {4, 2, 1}) {
          for (int v = 0; v < 8; ++v) {
            if ((v & bit) != 0) c[v] -= c[v ^ bit];
          }
        }
        for (int v = 0; v < 8; ++v) x_(block, v, a, w) = c[v];
      }
    }
  });
}

/// Calls put(l, weight, adj, det) at each point l: J^-1 = adj / det, adj[c] its row c.
template <class Put>
void trilinear_geometry::at_points(index block, Put put) const {
  const auto x = [&](int i, int j, int k, int a) -> const lanes& {
    return *reinterpret_cast<const lanes*>(&x_(block, 4 * i + 2 * j + k, a, 0));
  };
  const std::size_t Q = points_.size();
  for (std::size_t q = 0, l = 0; q < Q; ++q) {
    for (std::size_t r = 0; r < Q; ++r) {
      // Derivatives along the three axes; those along the first two are linear in zeta.
      const double xi = points_[q], eta = points_[r];
      lanes along_x[2][3], along_y[2][3], Z[3];
      for (int a = 0; a < 3; ++a) {
        for (int k = 0; k < 2; ++k) {
          along_x[k][a] = x(1, 0, k, a) + eta * x(1, 1, k, a);
          along_y[k][a] = x(0, 1, k, a) + xi * x(1, 1, k, a);
        }
        Z[a] = x(0, 0, 1, a) + xi * x(1, 0, 1, a) + eta * (x(0, 1, 1, a) + xi * x(1, 1, 1, a));
      }
      for (std::size_t s = 0; s < Q; ++s, ++l) {
        lanes X[3], Y[3], adj[3][3];
        for (int a = 0; a < 3; ++a) {
          X[a] = along_x[0][a] + points_[s] * along_x[1][a];
          Y[a] = along_y[0][a] + points_[s] * along_y[1][a];
        }
        for (int a = 0; a < 3; ++a) {
          const int b = (a + 1) % 3, c = (a + 2) % 3;
          adj[0][a] = Y[b] * Z[c] - Y[c] * Z[b];
          adj[1][a] = Z[b] * X[c] - Z[c] * X[b];
          adj[2][a] = X[b] * Y[c] - X[c] * Y[b];
        }
        lanes det;
        dot(X, adj[0], det);
        put(l, weights_[q] * weights_[r] * weights_[s], adj, det);
      }
    }
  }
}

void trilinear_geometry::scalars(index block, double* M) const {
  at_points(block, [M](std::size_t l, double weight, const auto&, const lanes& det) {
    *reinterpret_cast<lanes*>(M + l * W) = weight * det;
  });
}

void trilinear_geometry::matrices(index block, double* D) const {
  const std::size_t size = points_.size() * points_.size() * points_.size() * W;
  at_points(block, [=](std::size_t l, double weight, const auto& adj, const lanes& det) {
    const lanes scale = weight / det;
    double* to = D + l * W;
    for (int c = 0; c < 3; ++c) {
      for (int d = c; d < 3; ++d, to += size) {
        lanes product;
        dot(adj[c], adj[d], product);
        *reinterpret_cast<lanes*>(to) = scale * product;
      }
    }
  });
}

}  // namespace fem
