#include "preconditioners.hpp"

#include <cmath>
#include <functional>

namespace fem {
namespace {

/// The largest eigenvalue of D^-1 A, from below and nearly: that of the tridiagonal matrix of a few
/// iterations of conjugate gradients, by bisection.
template <class Space>
double estimate_largest(const Space& on, const jacobi<Space>& diagonal) {
  constexpr int iterations = 12;
  const discretization& here = on.discretized();
  // Any vector that has some of each eigenvector.
  vector start = zeros(here.nodes());
  for_each_entry(here.unknowns(),
                 [&](index i) { start(i) = 1 + static_cast<double>(i * 7919 % 101) / 101; });
  auto r = on.vectors().copied(start), x = on.vectors().zeros();
  std::vector<double> alphas, betas;
  conjugate_gradients(on.vectors())
      .solve(action_of(on), std::cref(diagonal), x, r, 1e-8, iterations, [&](const iteration& now) {
        if (!std::isfinite(now.alpha)) return;
        alphas.push_back(now.alpha);
        betas.push_back(now.beta);
      });
  // T has 1 / alpha_k + beta_(k-1) / alpha_(k-1) on its diagonal and sqrt(beta_k) / alpha_k beside
  // it; a bound x of all its eigenvalues leaves every pivot of x - T positive.
  const auto is_above = [&](double bound) {
    double pivot = 1;
    for (std::size_t k = 0; k < alphas.size(); ++k) {
      const double coupling = k == 0 ? 0 : betas[k - 1] / (alphas[k - 1] * alphas[k - 1]);
      const double own = 1 / alphas[k] + (k == 0 ? 0 : betas[k - 1] / alphas[k - 1]);
      pivot = bound - own - (k == 0 ? 0 : coupling / pivot);
      if (!(pivot > 0)) return false;
    }
    return true;
  };
  double high = 1;
  while (!is_above(high)) high *= 2;
  double low = 0;
  for (int k = 0; k < 40; ++k) {
    const double middle = (low + high) / 2;
    (is_above(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

template <class Space>
jacobi<Space>::jacobi(const Space& on)
    : on_(on), inverse_([&on] {
        fem::vector d = on.discretized().diffusion_diagonal();
        for_each_entry(d.size(), [&](index i) { d(i) = 1 / d(i); });
        return on.vectors().copied(d);
      }()) {}

template <class Space>
chebyshev<Space>::chebyshev(const Space& on, int iterations)
    : on_(on),
      diagonal_(on),
      iterations_(iterations),
      largest_(estimate_largest(on, diagonal_)),
      residual_(on.vectors().zeros()),
      direction_(on.vectors().zeros()),
      image_(on.vectors().zeros()) {}

template <class Space>
void chebyshev<Space>::operator()(const vector& r, vector& z) {
  on_.vectors().add(1, r, 0, residual_);
  iterate(0, z);
}

template <class Space>
void chebyshev<Space>::improve(const vector& b, vector& x) {
  on_.apply(x, image_);
  on_.vectors().subtract(b, image_, residual_);
  iterate(1, x);
}

template <class Space>
void chebyshev<Space>::iterate(double keep, vector& x) {
  const auto& with = on_.vectors();
  // A little more than the estimate, which is from below.
  const double high = 1.1 * largest_, low = high / 20;
  const double centre = (high + low) / 2, radius = (high - low) / 2;
  with.add(1 / centre, diagonal_.inverse(), residual_, 0, direction_);
  with.add(1, direction_, keep, x);
  double ratio = radius / centre;
  for (int k = 1; k < iterations_; ++k) {
    on_.apply(direction_, image_);
    const double next = 1 / (2 * centre / radius - ratio);
    with.relax(2 * next / radius, diagonal_.inverse(), next * ratio, image_, residual_, direction_,
               x);
    ratio = next;
  }
}

template <class Space>
multigrid<Space>::coarser::coarser(const Space& fine, int p)
    : discretized(fine.discretized().shape(), p,
                  fine.discretized().nodes_of_elements().slabs().front().count),
      on(fine.over(discretized)) {}

namespace {

matrix transposed(const matrix& T) {
  matrix made(T.extent(1), T.extent(0));
  for (index l = 0; l < T.extent(0); ++l) {
    for (index i = 0; i < T.extent(1); ++i) made(i, l) = T(l, i);
  }
  return made;
}

/// From the nodes of one discretization to those of another.
matrix table_between(const discretization& from, const discretization& to) {
  return interpolation(from.tables().nodes.points, to.tables().nodes.points);
}

/// 1 / the elements that have an entry.
vector weights_of(const restriction& all) {
  vector weights = zeros(all.size());
  for (index e = 0; e < all.elements(); ++e) {
    for (index l = 0; l < all.per_element(); ++l) weights(all.entries(e)[l]) += 1;
  }
  for_each_entry(all.size(), [&](index i) { weights(i) = 1 / weights(i); });
  return weights;
}

}  // namespace

template <class Space>
multigrid<Space>::level::level(const Space& fine, const Space& coarse)
    : on(fine),
      below(coarse),
      smoother(fine),
      up(fine.copied(table_between(coarse.discretized(), fine.discretized()))),
      down(fine.copied(transposed(table_between(coarse.discretized(), fine.discretized())))),
      weights(fine.vectors().copied(weights_of(fine.discretized().nodes_of_elements()))),
      image(fine.vectors().zeros()),
      residual(fine.vectors().zeros()),
      residual_below(coarse.vectors().zeros()),
      correction_below(coarse.vectors().zeros()) {}

template <class Space>
multigrid<Space>::multigrid(const Space& on)
    : lower_([&on] {
        std::vector<std::unique_ptr<coarser>> made;
        for (int p = on.discretized().degree() / 2; p >= 1; p /= 2) {
          made.push_back(std::make_unique<coarser>(on, p));
        }
        return made;
      }()),
      coarsest_(lower_.empty() ? on : lower_.back()->on),
      on_coarsest_(coarsest_),
      residual_on_coarsest_(coarsest_.vectors().zeros()),
      solver_on_coarsest_(coarsest_.vectors()) {
  const Space* fine = &on;
  for (const auto& below : lower_) {
    levels_.push_back(std::make_unique<level>(*fine, below->on));
    fine = &below->on;
  }
}

template <class Space>
void multigrid<Space>::cycle(std::size_t depth, const vector& r, vector& z) {
  if (depth == levels_.size()) {
    coarsest_.vectors().add(1, r, 0, residual_on_coarsest_);
    solver_on_coarsest_.solve(action_of(coarsest_), std::cref(on_coarsest_), z,
                              residual_on_coarsest_, 1e-2, 1000, [](const iteration&) {});
    return;
  }
  level& here = *levels_[depth];
  const auto& with = here.on.vectors();
  here.smoother(r, z);
  here.on.apply(z, here.image);
  with.add(1, here.weights, r, 0, here.residual);
  with.add(-1, here.weights, here.image, 1, here.residual);
  here.below.transfer(here.down, here.on, here.residual, here.residual_below);
  cycle(depth + 1, here.residual_below, here.correction_below);
  here.on.transfer(here.up, here.below, here.correction_below, here.image);
  with.add(1, here.weights, here.image, 1, z);
  here.smoother.improve(r, z);
}

template class jacobi<host_space>;
template class jacobi<device_space>;
template class chebyshev<host_space>;
template class chebyshev<device_space>;
template class multigrid<host_space>;
template class multigrid<device_space>;

}  // namespace fem
