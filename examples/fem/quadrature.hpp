#pragma once

/// Quadrature on [0, 1]: sum_q weights[q] f(points[q]) ~ integral of f.

#include <vector>

namespace fem {

/// Points in increasing order, symmetric about 1/2; the weights sum to 1. Kept in extended
/// precision, so that what is made of them is right to the last bit of a double.
struct quadrature {
  std::vector<long double> points, weights;
};

/// The n Gauss-Legendre points: the zeros of P_n. Exact for polynomials of degree 2n - 1. n >= 1.
quadrature gauss_legendre(int n);

/// The n Gauss-Lobatto-Legendre points: both ends and the zeros of P'_{n-1}. Exact for polynomials
/// of degree 2n - 3. n >= 2.
quadrature gauss_lobatto(int n);

}  // namespace fem
