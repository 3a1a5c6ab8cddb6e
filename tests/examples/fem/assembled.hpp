#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "basis.hpp"
#include "mesh.hpp"
#include "numbering.hpp"
#include "quadrature.hpp"
#include "restriction.hpp"

/// Matrices of the whole mesh, assembled entry by entry with no sum factorization and no tables
/// of the example: what the operators are compared with.
namespace assembled {

/// A dense matrix, and the sums of the absolute values of the terms of its entries.
struct matrix {
  std::size_t n;
  std::vector<double> entries, magnitudes;

  explicit matrix(std::size_t size) : n(size), entries(size * size), magnitudes(size * size) {}
};

/// Values and slopes at x of the Lagrange polynomials on `nodes`, by the product of their factors
/// in dual numbers: (a + b t)(c + d t) = ac + (ad + bc) t.
struct polynomials {
  std::vector<double> value, slope;

  polynomials(const std::vector<long double>& nodes, long double x) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      long double a = 1, b = 0;
      for (std::size_t j = 0; j < nodes.size(); ++j) {
        if (j == i) continue;
        const long double d = 1 / (nodes[i] - nodes[j]);
        b = a * d + b * (x - nodes[j]) * d;
        a *= (x - nodes[j]) * d;
      }
      value.push_back(static_cast<double>(a));
      slope.push_back(static_cast<double>(b));
    }
  }
};

/// Calls work(element) for each element of the mesh.
template <class Work>
void for_each_element(const fem::mesh& shape, Work work) {
  for (int h = 0; h < static_cast<int>(shape.shared.hexahedra()); ++h) {
    for (int x = 0; x < shape.n; ++x) {
      for (int y = 0; y < shape.n; ++y) {
        for (int z = 0; z < shape.n; ++z) work(fem::element{h, x, y, z});
      }
    }
  }
}

/// Jacobian matrix J[c][d] at xi of an element, the image of polynomials of degree shape.geometry
/// whose nodes `number` finds in the mesh.
using matrix3 = std::array<std::array<double, 3>, 3>;
inline matrix3 jacobian(const fem::mesh& shape, const fem::numbering& number, const fem::element& e,
                        const std::array<long double, 3>& xi) {
  const auto nodes = fem::gauss_lobatto(shape.geometry + 1).points;
  const polynomials X(nodes, xi[0]), Y(nodes, xi[1]), Z(nodes, xi[2]);
  matrix3 J{};
  for (int i = 0; i <= shape.geometry; ++i) {
    for (int j = 0; j <= shape.geometry; ++j) {
      for (int k = 0; k <= shape.geometry; ++k) {
        const fem::index node = number(e.hexahedron, e.x * shape.geometry + i,
                                       e.y * shape.geometry + j, e.z * shape.geometry + k);
        const fem::point& x = shape.nodes[static_cast<std::size_t>(node)];
        const auto at = [](int l) { return static_cast<std::size_t>(l); };
        for (std::size_t c = 0; c < 3; ++c) {
          J[c][0] += x[c] * X.slope[at(i)] * Y.value[at(j)] * Z.value[at(k)];
          J[c][1] += x[c] * X.value[at(i)] * Y.slope[at(j)] * Z.value[at(k)];
          J[c][2] += x[c] * X.value[at(i)] * Y.value[at(j)] * Z.slope[at(k)];
        }
      }
    }
  }
  return J;
}
/// The point at xi of an element.
inline fem::point place(const fem::mesh& shape, const fem::numbering& number, const fem::element& e,
                        const std::array<long double, 3>& xi) {
  const auto nodes = fem::gauss_lobatto(shape.geometry + 1).points;
  const polynomials X(nodes, xi[0]), Y(nodes, xi[1]), Z(nodes, xi[2]);
  const auto D1D = nodes.size();
  fem::point at{};
  for (std::size_t l = 0; l < D1D * D1D * D1D; ++l) {
    const std::size_t i = l / D1D / D1D, j = l / D1D % D1D, k = l % D1D;
    const auto first = [&](int element) { return fem::index{element} * shape.geometry; };
    const fem::index node =
        number(e.hexahedron, first(e.x) + static_cast<fem::index>(i),
               first(e.y) + static_cast<fem::index>(j), first(e.z) + static_cast<fem::index>(k));
    for (std::size_t d = 0; d < 3; ++d) {
      at[d] +=
          shape.nodes[static_cast<std::size_t>(node)][d] * X.value[i] * Y.value[j] * Z.value[k];
    }
  }
  return at;
}
inline fem::numbering shape_nodes(const fem::mesh& shape) {
  return fem::numbering(shape.shared, fem::index(shape.n) * shape.geometry);
}

inline double determinant(const matrix3& J) {
  return J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) -
         J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
         J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
}

/// Solves J^T y = x by Cramer's rule: gradients from the reference element to the real one.
inline std::array<double, 3> transposed_solve(const matrix3& J, const std::array<double, 3>& x) {
  std::array<double, 3> y{};
  for (std::size_t c = 0; c < 3; ++c) {
    matrix3 replaced = J;
    replaced[c] = x;
    y[c] = determinant(replaced) / determinant(J);
  }
  return y;
}

/// Sums coefficient weight det J entry(test, trial) over the quadrature points of all elements, for
/// each pair of an element's shape functions; entry returns a value and the sum of the magnitudes
/// of its terms.
template <class Entry>
matrix assemble(const fem::mesh& shape, int p, const fem::quadrature& rule, Entry entry,
                const std::function<double(const fem::point&)>& coefficient = {}) {
  const fem::numbering shapes = shape_nodes(shape);
  const fem::restriction entries(shape, p);
  matrix A(static_cast<std::size_t>(entries.size()));
  const auto nodes = fem::gauss_lobatto(p + 1).points;
  const std::size_t D = nodes.size(), Q = rule.points.size();
  struct shape_function {
    std::size_t row;
    double value;
    std::array<double, 3> gradient;
  };
  fem::index number = 0;
  for_each_element(shape, [&](const fem::element& e) {
    for (std::size_t point = 0; point < Q * Q * Q; ++point) {
      const std::size_t q = point / (Q * Q), r = point / Q % Q, s = point % Q;
      const std::array<long double, 3> xi = {rule.points[q], rule.points[r], rule.points[s]};
      const matrix3 J = jacobian(shape, shapes, e, xi);
      const double weight =
          static_cast<double>(rule.weights[q] * rule.weights[r] * rule.weights[s]) *
          determinant(J) * (coefficient ? coefficient(place(shape, shapes, e, xi)) : 1);
      const polynomials X(nodes, xi[0]), Y(nodes, xi[1]), Z(nodes, xi[2]);
      std::vector<shape_function> functions;
      for (std::size_t i = 0; i < D; ++i) {
        for (std::size_t j = 0; j < D; ++j) {
          for (std::size_t k = 0; k < D; ++k) {
            const fem::index row = entries.entries(number)[(i * D + j) * D + k];
            functions.push_back({static_cast<std::size_t>(row),
                                 X.value[i] * Y.value[j] * Z.value[k],
                                 transposed_solve(J, {X.slope[i] * Y.value[j] * Z.value[k],
                                                      X.value[i] * Y.slope[j] * Z.value[k],
                                                      X.value[i] * Y.value[j] * Z.slope[k]})});
          }
        }
      }
      for (const shape_function& test : functions) {
        for (const shape_function& trial : functions) {
          const std::size_t at = test.row * A.n + trial.row;
          const auto [value, magnitude] = entry(test, trial);
          A.entries[at] += weight * value;
          A.magnitudes[at] += weight * magnitude;
        }
      }
    }
    ++number;
  });
  return A;
}

/// Integrals of coefficient grad l_i . grad l_j; a coefficient of the place, or 1
inline matrix diffusion(const fem::mesh& shape, int p, const fem::quadrature& rule,
                        const std::function<double(const fem::point&)>& coefficient = {}) {
  const auto entry = [](const auto& test, const auto& trial) {
    double sum = 0, magnitude = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      sum += test.gradient[c] * trial.gradient[c];
      magnitude += std::fabs(test.gradient[c] * trial.gradient[c]);
    }
    return std::pair(sum, magnitude);
  };
  return assemble(shape, p, rule, entry, coefficient);
}

/// Integrals of coefficient l_i l_j
inline matrix mass(const fem::mesh& shape, int p, const fem::quadrature& rule,
                   const std::function<double(const fem::point&)>& coefficient = {}) {
  const auto entry = [](const auto& test, const auto& trial) {
    return std::pair(test.value * trial.value, std::fabs(test.value * trial.value));
  };
  return assemble(shape, p, rule, entry, coefficient);
}

/// The volume of the elements by a rule of 8 points per axis, exact for det J of degree 15.
inline double volume(const fem::mesh& shape) {
  const fem::quadrature rule = fem::gauss_legendre(8);
  const fem::numbering shapes = shape_nodes(shape);
  long double sum = 0;
  for_each_element(shape, [&](const fem::element& e) {
    for (std::size_t l = 0; l < 512; ++l) {
      const std::size_t q = l / 64, r = l / 8 % 8, s = l % 8;
      sum +=
          rule.weights[q] * rule.weights[r] * rule.weights[s] *
          determinant(jacobian(shape, shapes, e, {rule.points[q], rule.points[r], rule.points[s]}));
    }
  });
  return static_cast<double>(sum);
}

}  // namespace assembled
