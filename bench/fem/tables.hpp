#pragma once

#include <cstddef>
#include <vector>

namespace tenfold::bench {

/// Points in (0, 1) or [0, 1] in increasing order, symmetric about 1/2, and weights whose sum is 1.
struct quadrature_rule {
  std::vector<long double> points, weights;
};

/// Gauss-Legendre, n >= 1: exact for degree 2n - 1.
quadrature_rule gauss_legendre(int n);

/// Gauss-Lobatto-Legendre, n >= 2: both ends and the zeros of P'_{n-1}, exact for degree 2n - 3.
quadrature_rule gauss_lobatto(int n);

/// The one-dimensional tables of a degree: Lagrange polynomials l_i on `nodes`, those on the points
/// of `rule` h_r.
struct fem_tables {
  quadrature_rule nodes, rule;

  /// Nodes of Gauss-Lobatto; p + 2 points of Gauss-Legendre, or the nodes themselves if collocated.
  fem_tables(int p, bool collocated);

  int P() const { return static_cast<int>(nodes.points.size()); }
  int Q() const { return static_cast<int>(rule.points.size()); }
  /// B(q, i) = l_i(x_q)
  long double value(int q, int i) const { return values_[place(q, P(), i)]; }
  /// Dh(q, r) = h_r'(x_q)
  long double slope(int q, int r) const { return slopes_[place(q, Q(), r)]; }

 private:
  static std::size_t place(int row, int columns, int column) {
    return static_cast<std::size_t>(row * columns + column);
  }
  std::vector<long double> values_, slopes_;
};

}  // namespace tenfold::bench
