#pragma once

/// What solvers do with vectors, here: each function is one pass over memory. device_vectors has
/// the same functions for a GPU; solvers are templates over the two.

#include <array>

#include "vector.hpp"

namespace fem {

using tenfold::index;

/// Vectors whose first entries are the unknowns. Those behind them are 0 in a vector that is made
/// here or cleared, and no other function below reads or writes them.
class host_vectors {
 public:
  using vector = fem::vector;

  host_vectors(index unknowns, index size) : unknowns_(unknowns), size_(size) {}

  vector zeros() const { return fem::zeros(size_); }
  /// x = 0, behind the unknowns, too.
  void clear(vector& x) const;
  /// x, for solvers.
  vector copied(const vector& x) const { return x; }
  /// y_i = x_i, back to where it came from.
  void copy_back(const vector& x, vector& y) const { add(1, x, 0, y); }

  /// x^T y
  double dot(const vector& x, const vector& y) const;
  /// x^T y and x^T z
  std::array<double, 2> dots(const vector& x, const vector& y, const vector& z) const;
  /// y = a x + b y; b = 0: y is not read
  void add(double a, const vector& x, double b, vector& y) const;
  /// y_i = a d_i x_i + b y_i; b = 0: y is not read
  void add(double a, const vector& d, const vector& x, double b, vector& y) const;
  /// z = x - y; z is not y
  void subtract(const vector& x, const vector& y, vector& z) const;
  /// x += a p,  r -= a q:  a step of conjugate gradients.
  void descend(double a, const vector& p, const vector& q, vector& x, vector& r) const;
  /// r -= q,  p_i = a d_i r_i + b p_i,  x += p:  a Chebyshev iteration.
  void relax(double a, const vector& d, double b, const vector& q, vector& r, vector& p,
             vector& x) const;

 private:
  index unknowns_, size_;
};

}  // namespace fem
