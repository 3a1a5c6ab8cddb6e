// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

/// Conjugate gradients with Jacobi's preconditioner.
#ifndef TENFOLD_EXAMPLES_FEM_CONJUGATE_GRADIENTS_HPP
#define TENFOLD_EXAMPLES_FEM_CONJUGATE_GRADIENTS_HPP

#include <cmath>

#include "vector.hpp"

namespace fem {

struct convergence {
  int iterations = 0;
  double residual = 1;  ///< |r| / |r at the start|, in the norm sqrt(r^T diag(A)^-1 r)
  bool reached = false;
};

/// Solves A x = b for the first n entries of the vectors; A is symmetric and positive definite.
///     A(p, q)               q = A p; p is 0 behind the first n entries, what q is there is ignored
///     diagonal_inverse      1 / A_ii
///     x                     in: 0; out: the solution
///     r                     in: b; out: b - A x
/// Stops when the residual has fallen by the factor `tolerance`, or after `most` iterations;
/// calls tell(iteration, residual) after each.
///
/// Updates are merged into three loops, which move 12 vectors per iteration beside A's own.
template <class Operator, class Tell>
convergence conjugate_gradients(Operator A, const vector& diagonal_inverse, vector& x, vector& r,
                                tenfold::index n, double tolerance, int most, Tell tell) {
  vector direction = zeros(r.size()), image = zeros(r.size());
  double* const p = direction.data();
  double* const q = image.data();
  double* const xs = x.data();
  double* const rs = r.data();
  const double* const d = diagonal_inverse.data();

  for_each_entry(n, [=](tenfold::index i) { p[i] = d[i] * rs[i]; });
  double rz = sum_over_entries(n, [=](tenfold::index i) { return rs[i] * p[i]; });
  const double start = std::sqrt(rz);

  convergence state;
  if (start == 0) state = {0, 0, true};
  while (!state.reached && state.iterations < most) {
    A(direction, image);
    const double curvature = sum_over_entries(n, [=](tenfold::index i) { return p[i] * q[i]; });
    const double alpha = rz / curvature;
    const double rz_before = rz;
    rz = sum_over_entries(n, [=](tenfold::index i) {
      rs[i] -= alpha * q[i];
      return rs[i] * (d[i] * rs[i]);
    });
    const double beta = rz / rz_before;
    for_each_entry(n, [=](tenfold::index i) {
      xs[i] += alpha * p[i];
      p[i] = d[i] * rs[i] + beta * p[i];
    });
    ++state.iterations;
    state.residual = std::sqrt(rz) / start;
    state.reached = state.residual <= tolerance;
    tell(state.iterations, state.residual);
    if (!std::isfinite(state.residual)) break;
  }
  return state;
}

}  // namespace fem

#endif  // TENFOLD_EXAMPLES_FEM_CONJUGATE_GRADIENTS_HPP
