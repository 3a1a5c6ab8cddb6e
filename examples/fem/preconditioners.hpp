#pragma once

/// Approximations of A^-1, A the diffusion operator for the unknowns of a discretization.

#include <memory>
#include <vector>

#include "discretization.hpp"
#include "vector.hpp"

namespace fem {

/// The diagonal alone.
class jacobi {
 public:
  explicit jacobi(const discretization& on);

  /// z = diag(A)^-1 r
  void operator()(const vector& r, vector& z) const;

  /// 1 / A_ii for the unknowns.
  const vector& inverse() const { return inverse_; }

 private:
  index unknowns_;
  vector inverse_;
};

/// A polynomial of the operator: iterations of Chebyshev's for the eigenvalues that diag(A)^-1 A
/// has between a twentieth of the largest one and that (Adams, Brezina, Hu and Tuminaro, J. Comput.
/// Phys. 188, 2003), which is estimated by a few iterations of conjugate gradients.
class chebyshev {
 public:
  /// `on` must outlive this.
  explicit chebyshev(const discretization& on, int iterations = 4);

  /// z = P(diag(A)^-1 A) diag(A)^-1 r. Applies A one time less than there are iterations.
  void operator()(const vector& r, vector& z);
  /// x = x + what the above gives for b - A x.
  void improve(const vector& b, vector& x);

  double largest_eigenvalue() const { return largest_; }

 private:
  void iterate(vector& x);  // residual_ is b - A x

  const discretization& on_;
  jacobi diagonal_;
  int iterations_;
  double largest_;
  vector residual_, direction_, image_;
};

/// One V-cycle over the degrees p, p / 2, ..., 1 on the same elements. What is rough is left to
/// Chebyshev iterations on each level, before and behind the next one; the problem of degree 1 is
/// solved by conjugate gradients until its residual has fallen by the factor 1000. Transfers are
/// expressions: a polynomial seen at the nodes of a higher degree, and the transpose of that.
class multigrid {
 public:
  /// `on` must outlive this.
  explicit multigrid(const discretization& on);

  /// z = one cycle for A z = r, from z = 0.
  void operator()(const vector& r, vector& z) { cycle(0, r, z); }

 private:
  /// A degree above 1, and the way to the next lower one.
  struct level {
    const discretization &on, &below;
    chebyshev smoother;
    matrix up, down;  // (l, i) to the nodes l of this level from those of the one below; transposed
    vector weights;   // 1 / the elements that have an entry of this level
    vector residual, residual_below, correction_below;

    level(const discretization& fine, const discretization& coarse);
  };

  void cycle(std::size_t depth, const vector& r, vector& z);

  std::vector<std::unique_ptr<discretization>> lower_;  // degrees p / 2, ..., 1
  std::vector<std::unique_ptr<level>> levels_;          // degrees p, p / 2, ..., without 1
  const discretization& coarsest_;
  jacobi on_coarsest_;
};

}  // namespace fem
