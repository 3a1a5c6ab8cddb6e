// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

/// Conjugate gradients with Jacobi's preconditioner.
#ifndef TENFOLD_EXAMPLES_FEM_CONJUGATE_GRADIENTS_HPP
#define TENFOLD_EXAMPLES_FEM_CONJUGATE_GRADIENTS_HPP

#include <functional>

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
convergence conjugate_gradients(const std::function<void(const vector&, vector&)>& A,
                                const vector& diagonal_inverse, vector& x, vector& r,
                                tenfold::index n, double tolerance, int most,
                                const std::function<void(int, double)>& tell);

}  // namespace fem

#endif  // TENFOLD_EXAMPLES_FEM_CONJUGATE_GRADIENTS_HPP
