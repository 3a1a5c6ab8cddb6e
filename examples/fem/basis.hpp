// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

/// The one-dimensional tables that every element operator is made of.
#ifndef TENFOLD_EXAMPLES_FEM_BASIS_HPP
#define TENFOLD_EXAMPLES_FEM_BASIS_HPP

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

/// Lagrange polynomials of degree p on D1D = p + 1 Gauss-Lobatto nodes, seen at Q1D = p + 2
/// Gauss-Legendre points.
template <int p>
struct basis {
  static constexpr int D1D = p + 1, Q1D = p + 2;

  quadrature nodes = gauss_lobatto(D1D);
  quadrature rule = gauss_legendre(Q1D);

  tensor<double, Q1D, D1D> B;  // (q, i)  l_i(x_q)
  tensor<double, Q1D, D1D> G;  // (q, i)  l_i'(x_q)

  /// The gradient of a tensor product: direction d differentiates along axis d and only
  /// interpolates along the other two. Slice d of X is G if d = 0 and B if not; of Y, Z likewise.
  tensor<double, 3, Q1D, D1D> X, Y, Z;  // (d, q, i)

  basis() {
    for (int q = 0; q < Q1D; ++q) {
      const long double x = rule.points[static_cast<std::size_t>(q)];
      for (int i = 0; i < D1D; ++i) {
        B(q, i) = static_cast<double>(lagrange(nodes.points, i, x));
        G(q, i) = static_cast<double>(lagrange_slope(nodes.points, i, x));
        for (int d = 0; d < 3; ++d) {
          X(d, q, i) = d == 0 ? G(q, i) : B(q, i);
          Y(d, q, i) = d == 1 ? G(q, i) : B(q, i);
          Z(d, q, i) = d == 2 ? G(q, i) : B(q, i);
        }
      }
    }
  }
};

/// T(a, i) = l_i(to[a]) of the Lagrange polynomials on the nodes `from`: values at `from` to values
/// at `to`.
inline tensor<double, dyn, dyn> interpolation(const std::vector<long double>& from,
                                              const std::vector<long double>& to) {
  tensor<double, dyn, dyn> T(to.size(), from.size());
  for (std::size_t a = 0; a < to.size(); ++a) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      T(a, i) = static_cast<double>(lagrange(from, static_cast<int>(i), to[a]));
    }
  }
  return T;
}

}  // namespace fem

#endif  // TENFOLD_EXAMPLES_FEM_BASIS_HPP
