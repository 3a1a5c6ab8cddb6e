#include "preconditioners.hpp"

#include <algorithm>
#include <cmath>

#include "conjugate_gradients.hpp"

namespace fem {
namespace {

/// The largest eigenvalue of D^-1 A, from below and nearly: that of the tridiagonal matrix of a few
/// iterations of conjugate gradients, by bisection.
double largest_eigenvalue(const discretization& on, const jacobi& diagonal) {
  constexpr index iterations = 12;
  const index n = on.unknowns();
  vector r = zeros(on.nodes()), z = zeros(on.nodes()), p = zeros(on.nodes()), q(on.nodes());
  // Any vector that has some of each eigenvector.
  for_each_entry(n, [&](index i) { r(i) = 1 + static_cast<double>(i * 7919 % 101) / 101; });
  std::vector<double> alphas, betas;
  double rz = 0;
  for (index k = 0; k < std::min(iterations, n); ++k) {
    diagonal(r, z);
    const double before = rz;
    rz = sum_over_entries(n, [&](index i) { return r(i) * z(i); });
    if (k > 0) betas.push_back(rz / before);
    const double beta = k > 0 ? betas.back() : 0;
    for_each_entry(n, [&](index i) { p(i) = z(i) + beta * p(i); });
    on.apply_diffusion(p, q);
    const double alpha = rz / sum_over_entries(n, [&](index i) { return p(i) * q(i); });
    if (!std::isfinite(alpha)) break;
    alphas.push_back(alpha);
    for_each_entry(n, [&](index i) { r(i) -= alpha * q(i); });
  }
  // T has 1 / alpha_k + beta_(k-1) / alpha_(k-1) on its diagonal and sqrt(beta_k) / alpha_k beside
  // it; an x above all its eigenvalues leaves every pivot of x - T positive.
  const auto is_above = [&](double x) {
    double pivot = 1;
    for (std::size_t k = 0; k < alphas.size(); ++k) {
      const double coupling = k == 0 ? 0 : betas[k - 1] / (alphas[k - 1] * alphas[k - 1]);
      const double own = 1 / alphas[k] + (k == 0 ? 0 : betas[k - 1] / alphas[k - 1]);
      pivot = x - own - (k == 0 ? 0 : coupling / pivot);
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

jacobi::jacobi(const discretization& on)
    : unknowns_(on.unknowns()), inverse_(on.diffusion_diagonal()) {
  for_each_entry(unknowns_, [d = inverse_.data()](index i) { d[i] = 1 / d[i]; });
}

void jacobi::operator()(const vector& r, vector& z) const {
  for_each_entry(unknowns_, [&](index i) { z(i) = inverse_(i) * r(i); });
}

chebyshev::chebyshev(const discretization& on, int iterations)
    : on_(on),
      diagonal_(on),
      iterations_(iterations),
      largest_(fem::largest_eigenvalue(on, diagonal_)),
      residual_(zeros(on.nodes())),
      direction_(zeros(on.nodes())),
      image_(zeros(on.nodes())) {}

void chebyshev::operator()(const vector& r, vector& z) {
  for_each_entry(z.size(), [&](index i) {
    z(i) = 0;
    residual_(i) = r(i);
  });
  iterate(z);
}

void chebyshev::improve(const vector& b, vector& x) {
  on_.apply_diffusion(x, image_);
  for_each_entry(on_.unknowns(), [&](index i) { residual_(i) = b(i) - image_(i); });
  iterate(x);
}

void chebyshev::iterate(vector& x) {
  // A little more than the estimate, which is from below.
  const double high = 1.1 * largest_, low = high / 20;
  const double centre = (high + low) / 2, radius = (high - low) / 2;
  double keep = 0, take = 1 / centre, ratio = radius / centre;
  for (int k = 0; k < iterations_; ++k) {
    if (k > 0) {
      on_.apply_diffusion(direction_, image_);
      const double next = 1 / (2 * centre / radius - ratio);
      keep = next * ratio;
      take = 2 * next / radius;
      ratio = next;
    }
    for_each_entry(on_.unknowns(), [&](index i) {
      if (k > 0) residual_(i) -= image_(i);
      direction_(i) =
          take * diagonal_.inverse()(i) * residual_(i) + (k > 0 ? keep * direction_(i) : 0);
      x(i) += direction_(i);
    });
  }
}

namespace {

/// y = sum_e R_e^T (T u along each axis) R'_e x, from the entries of one discretization to those of
/// another, whose slabs are the same.
void transfer(const matrix& T, const restriction& from, const vector& x, const restriction& to,
              vector& y) {
  using on_element::U, on_element::V;
  add_up(to, y, [&](const slab& on) {
    auto v = on.of(y.data());
    on_element::transfer(V = v, on_element::T = T,
                         U = from.slabs()[static_cast<std::size_t>(on.number)].of(x.data()));
  });
}

}  // namespace

multigrid::level::level(const discretization& fine, const discretization& coarse)
    : on(fine),
      below(coarse),
      smoother(fine),
      up(interpolation(coarse.tables().nodes.points, fine.tables().nodes.points)),
      down(up.extent(1), up.extent(0)),
      weights(zeros(fine.nodes())),
      residual(zeros(fine.nodes())),
      residual_below(zeros(coarse.nodes())),
      correction_below(zeros(coarse.nodes())) {
  for (index l = 0; l < up.extent(0); ++l) {
    for (index i = 0; i < up.extent(1); ++i) down(i, l) = up(l, i);
  }
  const restriction& all = fine.nodes_of_elements();
  for (index e = 0; e < all.elements(); ++e) {
    for (index l = 0; l < all.per_element(); ++l) weights(all.entries(e)[l]) += 1;
  }
  for_each_entry(fine.nodes(), [&](index i) { weights(i) = 1 / weights(i); });
}

multigrid::multigrid(const discretization& on)
    : lower_([&on] {
        std::vector<std::unique_ptr<discretization>> made;
        const index blocks = on.nodes_of_elements().slabs().front().count;
        for (int p = on.degree() / 2; p >= 1; p /= 2) {
          made.push_back(std::make_unique<discretization>(on.shape(), p, blocks));
        }
        return made;
      }()),
      coarsest_(lower_.empty() ? on : *lower_.back()),
      on_coarsest_(coarsest_) {
  const discretization* fine = &on;
  for (const auto& below : lower_) {
    levels_.push_back(std::make_unique<level>(*fine, *below));
    fine = below.get();
  }
}

void multigrid::cycle(std::size_t depth, const vector& r, vector& z) {
  if (depth == levels_.size()) {
    for_each_entry(z.size(), [&](index i) { z(i) = 0; });
    vector residual = r;
    conjugate_gradients([this](const vector& x, vector& y) { coarsest_.apply_diffusion(x, y); },
                        [this](const vector& x, vector& y) { on_coarsest_(x, y); }, z, residual,
                        coarsest_.unknowns(), 1e-2, 1000, [](int, double) {});
    return;
  }
  level& here = *levels_[depth];
  const restriction& entries = here.on.nodes_of_elements();
  const restriction& below = here.below.nodes_of_elements();
  here.smoother(r, z);
  here.on.apply_diffusion(z, here.residual);
  for_each_entry(z.size(), [&](index i) {
    here.residual(i) = i < here.on.unknowns() ? here.weights(i) * (r(i) - here.residual(i)) : 0;
  });
  transfer(here.down, entries, here.residual, below, here.residual_below);
  for (index i = below.unknowns(); i < below.size(); ++i) here.residual_below(i) = 0;
  cycle(depth + 1, here.residual_below, here.correction_below);
  transfer(here.up, below, here.correction_below, entries, here.residual);
  for_each_entry(here.on.unknowns(), [&](index i) { z(i) += here.weights(i) * here.residual(i); });
  here.smoother.improve(r, z);
}

}  // namespace fem
