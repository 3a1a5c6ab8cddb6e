#include "conjugate_gradients.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "device_vectors.hpp"
#include "host_vectors.hpp"

namespace fem {

namespace {

/// Whether nothing is left of r but what rounding left: r^T r, and that of the start. To go on from
/// there would end in 0 / 0.
bool is_rounding(double rr, double start) { return rr <= 1e-32 * start; }

}  // namespace

template <class Vectors>
conjugate_gradients<Vectors>::conjugate_gradients(const Vectors& with)
    : with_(with), direction_(with.zeros()), image_(with.zeros()) {}

template <class Vectors>
convergence conjugate_gradients<Vectors>::solve(const matrix_action<vector>& A,
                                                const matrix_action<vector>& precondition,
                                                vector& x, vector& r, double tolerance, int most,
                                                const std::function<void(const iteration&)>& tell) {
  if (precondition && !preconditioned_) preconditioned_ = with_.zeros();
  vector &p = direction_, &q = image_;
  const vector& z = precondition ? *preconditioned_ : r;

  with_.clear(x);
  if (precondition) precondition(r, *preconditioned_);
  with_.add(1, z, 0, p);
  double rz = with_.dot(r, z);
  const double start = std::sqrt(rz);

  convergence state;
  if (start == 0) state = {0, 0, true};
  while (!state.reached && state.iterations < most) {
    A(p, q);
    const bool done = is_rounding(rz, start * start);
    const double before = rz, alpha = done ? 0 : rz / with_.dot(p, q);
    with_.descend(alpha, p, q, x, r);
    double beta = 0;
    if (precondition) {
      precondition(r, *preconditioned_);
      const auto [zr, zq] = with_.dots(z, r, q);
      rz = zr;
      beta = done ? 0 : -alpha * zq / before;
    } else {
      rz = with_.dot(r, r);
      beta = done ? 0 : rz / before;
    }
    with_.add(1, z, beta, p);
    ++state.iterations;
    state.residual = std::sqrt(rz) / start;
    state.reached = state.residual <= tolerance;
    tell({state.iterations, state.residual, alpha, beta});
    if (!std::isfinite(state.residual)) break;
  }
  return state;
}

template class conjugate_gradients<host_vectors>;
template class conjugate_gradients<device_vectors>;

namespace {

/// p^T q, r^T r, r^T q and q^T q over some entries, each in 8 running sums.
struct products {
  double pq = 0, rr = 0, rq = 0, qq = 0;

  products() = default;
  products(const double* p, const double* q, const double* r, const range& of) {
    double sums[4][8] = {};
    const auto add = [&](index i, int w) {
      sums[0][w] += p[i] * q[i];
      sums[1][w] += r[i] * r[i];
      sums[2][w] += r[i] * q[i];
      sums[3][w] += q[i] * q[i];
    };
    index i = of.first;
    for (; i + 8 <= of.last; i += 8) {
      for (int w = 0; w < 8; ++w) add(i + w, w);
    }
    for (int w = 0; i < of.last; ++i, ++w) add(i, w);
    double* const results[] = {&pq, &rr, &rq, &qq};
    for (int s = 0; s < 4; ++s) {
      for (const double part : sums[s]) *results[s] += part;
    }
  }
  void operator+=(const products& other) {
    pq += other.pq;
    rr += other.rr;
    rq += other.rq;
    qq += other.qq;
  }
};

}  // namespace

vector merged_conjugate_gradients(const slab_matrix& A, vector& residual, int iterations) {
  vector solution = zeros(residual.size()), direction = zeros(residual.size()),
         image = zeros(residual.size());
  double* const x = solution.data();
  double* const r = residual.data();
  double* const p = direction.data();
  double* const q = image.data();

  // Of the iteration before, k - 1: r -= alpha q, p = r + beta p. Of the one before that: its
  // alpha, and the beta by which its p follows, (p - r) / beta_before. By beta = 0 it is lost: then
  // x is written at once.
  double alpha = 0, beta = 0, alpha_before = 0, beta_before = 0;
  const auto begin = [&](const range& of, int k) {
    const index last = std::min(of.last, A.n);
    const double a = alpha, b = beta;
    if (k % 2 == 0 || k == iterations || b == 0) {
      const double a_before = k % 2 == 0 && beta_before != 0 ? alpha_before / beta_before : 0;
      for (index i = of.first; i < last; ++i) x[i] += a * p[i] + a_before * (p[i] - r[i]);
    }
    for (index i = of.first; i < last; ++i) {
      r[i] -= a * q[i];
      p[i] = r[i] + b * p[i];
    }
    std::fill(q + of.first, q + of.last, 0.0);
  };

  std::vector<products> of_slab(A.all.slabs().size());
  double start = 0;  // r^T r
  for (int k = 0; k < iterations; ++k) {
    for_each_slab(A.all, [&](const slab& on) {
      for (const range& of : on.begins) begin(of, k);
      A.add(on, p, q);
      products sum;
      for (const range& of : on.ends) sum += products(p, q, r, {of.first, std::min(of.last, A.n)});
      of_slab[static_cast<std::size_t>(on.number)] = sum;
    });
    products sum;
    for (const products& part : of_slab) sum += part;
    alpha_before = alpha;
    beta_before = beta;
    if (k == 0) start = sum.rr;
    const bool done = is_rounding(sum.rr, start);
    alpha = done ? 0 : sum.rr / sum.pq;
    // Of a difference that rounding makes up directions begin anew.
    const double next = sum.rr - 2 * alpha * sum.rq + alpha * alpha * sum.qq;
    beta = done || next <= 1e-12 * sum.rr ? 0 : next / sum.rr;
  }
  for_each_slab(A.all, [&](const slab& on) {
    for (const range& of : on.begins) begin(of, iterations);
  });
  return solution;
}

}  // namespace fem
