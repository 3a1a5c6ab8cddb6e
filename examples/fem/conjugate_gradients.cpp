// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

#include "conjugate_gradients.hpp"

#include <cmath>

namespace fem {

convergence conjugate_gradients(const std::function<void(const vector&, vector&)>& A,
                                const vector& diagonal_inverse, vector& x, vector& r,
                                tenfold::index n, double tolerance, int most,
                                const std::function<void(int, double)>& tell) {
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
