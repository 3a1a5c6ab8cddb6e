#pragma once

/// Conjugate gradients.

#include <functional>
#include <optional>

#include "restriction.hpp"
#include "vector.hpp"

namespace fem {

struct convergence {
  int iterations = 0;
  double residual = 1;  ///< |r| / |r at the start|, in the norm sqrt(r^T z), z that of r
  bool reached = false;
};

/// What an iteration did: x += alpha p, and the next p is z + beta p.
struct iteration {
  int number;       ///< from 1 on
  double residual;  ///< as in convergence
  double alpha, beta;
};

/// Solves systems for the unknowns of vectors as `with` has them, host_vectors or device_vectors,
/// which must outlive it. The vectors that it works with are its own: to solve again takes no
/// memory.
template <class Vectors>
class conjugate_gradients {
 public:
  using vector = typename Vectors::vector;

  explicit conjugate_gradients(const Vectors& with);

  /// Solves A x = b; A is symmetric and positive definite.
  ///     A(p, q)          q = A p; p is 0 behind the unknowns, what q is there is ignored
  ///     precondition     z(r), an approximation of A^-1 r, symmetric and positive definite or
  ///                      nearly so: directions are made conjugate to the last one whatever z is
  ///                      (Golub and Ye, SIAM J. Sci. Comput. 21, 1999); what r and z are behind
  ///                      the unknowns is ignored; empty: z = r
  ///     x                out: the solution, 0 behind the unknowns
  ///     r                in: b; out: b - A x
  /// Starts from x = 0. Stops when the residual has fallen by the factor `tolerance`, or after
  /// `most` iterations; calls `tell` after each. What is left once r has fallen by 1e16 is
  /// rounding: iterations from there on change nothing. On a device the host waits twice in an
  /// iteration, and once before the first, for sums.
  convergence solve(const matrix_action<vector>& A, const matrix_action<vector>& precondition,
                    vector& x, vector& r, double tolerance, int most,
                    const std::function<void(const iteration&)>& tell);

 private:
  const Vectors& with_;
  vector direction_, image_;              // p, A p
  std::optional<vector> preconditioned_;  // z, once there is a preconditioner
};

/// A matrix over the mesh for the first n entries of vectors: what `add` adds, slab by slab.
struct slab_matrix {
  const restriction& all;
  std::function<void(const slab&, const double* x, double* y)> add;
  tenfold::index n;
};

/// So many iterations without a preconditioner for A x = b, from x = 0, whatever the residual is;
/// those behind the one that leaves nothing of r but rounding change nothing.
///     r    in: b; out: b - A x; 0 behind the first n entries
/// The updates of the vectors and all products are part of the operator's loop: an entry is brought
/// up to date before the first slab that has it, and goes into the products behind the last one, so
/// that between these it stays in a cache. r^T r of the next iteration follows from products of r
/// and q = A p of this one, and x is written in every other iteration, when the direction before
/// this one follows from r and p (Kronbichler, Sashko and Munch, Int. J. High Perform. Comput.
/// Appl. 37, 2023). Returns x.
vector merged_conjugate_gradients(const slab_matrix& A, vector& r, int iterations);

}  // namespace fem
