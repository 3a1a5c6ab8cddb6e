#pragma once

/// Approximations of A^-1, A the diffusion operator for the unknowns of a discretization. They are
/// written once for both spaces, host_space and device_space (spaces.hpp), which must outlive them.

#include <cstddef>
#include <memory>
#include <vector>

#include "conjugate_gradients.hpp"
#include "discretization.hpp"
#include "spaces.hpp"

namespace fem {

/// The diagonal alone.
template <class Space>
class jacobi {
 public:
  using vector = typename Space::vector;

  explicit jacobi(const Space& on);

  /// z = diag(A)^-1 r
  void operator()(const vector& r, vector& z) const { on_.vectors().add(1, inverse_, r, 0, z); }

  /// 1 / A_ii for the unknowns.
  const vector& inverse() const { return inverse_; }

 private:
  const Space& on_;
  vector inverse_;
};

/// A polynomial of the operator: iterations of Chebyshev's for the eigenvalues that diag(A)^-1 A
/// has between a twentieth of the largest one and that (Adams, Brezina, Hu and Tuminaro, J. Comput.
/// Phys. 188, 2003), which is estimated by a few iterations of conjugate gradients.
template <class Space>
class chebyshev {
 public:
  using vector = typename Space::vector;

  explicit chebyshev(const Space& on, int iterations = 4);

  /// z = P(diag(A)^-1 A) diag(A)^-1 r. Applies A one time less than there are iterations.
  void operator()(const vector& r, vector& z);
  /// x = x + what the above gives for b - A x.
  void improve(const vector& b, vector& x);

  double largest_eigenvalue() const { return largest_; }

 private:
  void iterate(double keep, vector& x);  // from keep x; residual_ is what is left there

  const Space& on_;
  jacobi<Space> diagonal_;
  int iterations_;
  double largest_;
  vector residual_, direction_, image_;
};

/// One V-cycle over the degrees p, p / 2, ..., 1 on the same elements. What is rough is left to
/// Chebyshev iterations on each level, before and behind the next one; the problem of degree 1 is
/// solved by conjugate gradients until its residual has fallen by the factor 100. Transfers are
/// expressions: a polynomial seen at the nodes of a higher degree, and the transpose of that.
template <class Space>
class multigrid {
 public:
  using vector = typename Space::vector;

  explicit multigrid(const Space& on);

  /// z = one cycle for A z = r, from z = 0.
  void operator()(const vector& r, vector& z) { cycle(0, r, z); }

 private:
  /// A degree below that of the problem.
  struct coarser {
    discretization discretized;
    Space on;

    coarser(const Space& fine, int p);
  };
  /// A degree above 1, and the way to the next lower one.
  struct level {
    const Space &on, &below;
    chebyshev<Space> smoother;
    typename Space::table up, down;  // (l, i) to the nodes l here from those below; transposed
    vector weights;                  // 1 / the elements that have an entry of this level
    vector image, residual, residual_below, correction_below;

    level(const Space& fine, const Space& coarse);
  };

  void cycle(std::size_t depth, const vector& r, vector& z);

  std::vector<std::unique_ptr<coarser>> lower_;  // degrees p / 2, ..., 1
  std::vector<std::unique_ptr<level>> levels_;   // degrees p, p / 2, ..., without 1
  const Space& coarsest_;
  jacobi<Space> on_coarsest_;
  vector residual_on_coarsest_;
  conjugate_gradients<typename Space::vector_operations> solver_on_coarsest_;
};

}  // namespace fem
