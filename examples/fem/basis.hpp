#pragma once

/// The one-dimensional tables that every element operator is made of.

#include <cstddef>
#include <tenfold/tensor/tensor.hpp>
#include <vector>

#include "quadrature.hpp"

namespace fem {

using tenfold::dyn;
using tenfold::index;
using tenfold::tensor;
using tenfold::view;

/// l_i(x), the Lagrange polynomial that is 1 at nodes[i] and 0 at the others.
inline long double lagrange(const std::vector<long double>& nodes, int i, long double x) {
  const auto at = static_cast<std::size_t>(i);
  long double product = 1;
  for (std::size_t j = 0; j < nodes.size(); ++j) {
    if (j != at) product *= (x - nodes[j]) / (nodes[at] - nodes[j]);
  }
  return product;
}

/// l_i'(x): the product rule, one factor differentiated at a time.
inline long double lagrange_slope(const std::vector<long double>& nodes, int i, long double x) {
  const auto at = static_cast<std::size_t>(i);
  long double sum = 0;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (k == at) continue;
    long double product = 1 / (nodes[at] - nodes[k]);
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      if (j != at && j != k) product *= (x - nodes[j]) / (nodes[at] - nodes[j]);
    }
    sum += product;
  }
  return sum;
}

/// (a, i): takes numbers for the points i to numbers for the points a.
using matrix = tensor<double, dyn, dyn>;

/// T(a, i) = l_i(to[a]) of the Lagrange polynomials on the nodes `from`: values at `from` to values
/// at `to`.
inline matrix interpolation(const std::vector<long double>& from,
                            const std::vector<long double>& to) {
  matrix T(to.size(), from.size());
  for (std::size_t a = 0; a < to.size(); ++a) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      T(a, i) = static_cast<double>(lagrange(from, static_cast<int>(i), to[a]));
    }
  }
  return T;
}

/// T(a, i) = l_i'(to[a]): values at `from` to slopes at `to`.
inline matrix differentiation(const std::vector<long double>& from,
                              const std::vector<long double>& to) {
  matrix T(to.size(), from.size());
  for (std::size_t a = 0; a < to.size(); ++a) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      T(a, i) = static_cast<double>(lagrange_slope(from, static_cast<int>(i), to[a]));
    }
  }
  return T;
}

/// Lagrange polynomials of degree p on p + 1 Gauss-Lobatto nodes, seen at the points of a
/// quadrature.
struct basis {
  quadrature nodes, rule;

  matrix B;  // (q, i)  l_i(x_q)
  matrix G;  // (q, i)  l_i'(x_q)
  matrix H;  // (q, x)  slope at x_q of the polynomial that is 1 at x_x and 0 at the other points

  basis(int p, const quadrature& seen_at)
      : nodes(gauss_lobatto(p + 1)),
        rule(seen_at),
        B(interpolation(nodes.points, rule.points)),
        G(differentiation(nodes.points, rule.points)),
        H(differentiation(rule.points, rule.points)) {}

  index D1D() const { return B.extent(1); }
  index Q1D() const { return B.extent(0); }
  /// The points are the nodes: B is the unit matrix, and G is H.
  bool is_collocated() const { return nodes.points == rule.points; }
};

}  // namespace fem
