// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

/// One degree on one mesh, from the mesh to the error.
#ifndef TENFOLD_EXAMPLES_FEM_SOLVE_HPP
#define TENFOLD_EXAMPLES_FEM_SOLVE_HPP

#include <functional>
#include <tenfold/tensor/extents.hpp>

#include "mesh.hpp"

namespace fem {

class output_file;

struct request {
  const mesh& shape;              ///< must outlive the call
  double tolerance = 1e-12;       ///< of conjugate gradients
  output_file* output = nullptr;  ///< nullptr: no file
  /// Told what is being done, and how far it is; called often.
  std::function<void(const char* stage, int iteration, double residual)> progress =
      [](const char*, int, double) {};
};

/// What was solved, how well, and how fast. Rates are per iteration of conjugate gradients.
struct outcome {
  tenfold::index unknowns = 0;
  int iterations = 0;
  double l2_error = 0;
  double setup_seconds = 0, solve_seconds = 0;
  double flops = 0;      ///< of one iteration
  double bytes = 0;      ///< that one iteration must at least move
  double bandwidth = 0;  ///< measured reading the operator's data: bytes per second
};

/// Solves the problem of solution.hpp with functions of degree p in 1..max_degree. Throws
/// problem_error if an element is inverted, if the output cannot be written or if conjugate
/// gradients do not converge.
outcome solve(int p, const request& what);

}  // namespace fem

#endif  // TENFOLD_EXAMPLES_FEM_SOLVE_HPP
