#pragma once

/// One degree on one mesh, from the mesh to the error.

#include <functional>
#include <optional>
#include <tenfold/backend/cuda/device_queue.hpp>
#include <tenfold/tensor/extents.hpp>

#include "mesh.hpp"

namespace fem {

class output_file;

/// What conjugate gradients are told of the inverse; see preconditioners.hpp.
enum class preconditioning { jacobi, chebyshev, multigrid };

struct request {
  const mesh& shape;         ///< must outlive the call
  double tolerance = 1e-12;  ///< of conjugate gradients
  preconditioning by = preconditioning::multigrid;
  /// The GPU on which conjugate gradients run, preconditioner and all; nothing: here.
  std::optional<tenfold::device_queue> where{};
  output_file* output = nullptr;  ///< nullptr: no file
  /// Told what is being done, and how far it is; called often.
  std::function<void(const char* stage, int iteration, double residual)> progress =
      [](const char*, int, double) {};
};

/// A run of conjugate gradients.
struct solve_cost {
  int iterations = 0;
  double seconds = 0;  ///< without what the preconditioner needs to be set up
};

/// What was solved, how well, and how fast. Rates are per iteration with Jacobi's preconditioner.
struct outcome {
  tenfold::index unknowns = 0;
  double l2_error = 0;
  double setup_seconds = 0;
  solve_cost jacobi, chosen;  ///< with the diagonal; with the preconditioner asked for
  double flops = 0;           ///< of one iteration
  double bytes = 0;           ///< that one iteration must at least move
  double bandwidth = 0;       ///< measured reading the operator's data: bytes per second
};

/// Solves the problem of solution.hpp with functions of degree p, with Jacobi's preconditioner and
/// with the one asked for; both start from 0. Throws
/// problem_error if an element is inverted, if the output cannot be written or if conjugate
/// gradients do not converge.
outcome solve(int p, const request& what);

}  // namespace fem
