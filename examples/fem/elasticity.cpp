#include "elasticity.hpp"

#include <utility>

namespace fem {

elasticity::elasticity(const mesh& shape, int p, double lambda, double mu)
    : tables_(p, gauss_legendre(p + 2)),
      all_(shape, p, 3),
      M_(std::move(geometry(shape, tables_.rule, all_.blocks(), true, false,
                            [mu](const point&) { return mu; })
                       .M)),
      K_(inverse_jacobians(shape, tables_.rule, all_.blocks())),
      ratio_(lambda / mu) {}

void elasticity::apply(const vector& x, vector& y) const {
  namespace names = on_element;
  using tenfold::identity, tenfold::view;
  const index Q = tables_.Q1D();
  tensor<double, 3, 3> unit;
  unit.fill(0);
  for (int a = 0; a < 3; ++a) unit(a, a) = 1;
  add_up(all_, y, [&](const slab& on) {
    const view<const double, dyn, dyn, dyn, dyn, W> M(&M_(on.first, 0, 0, 0, 0), on.count, Q, Q, Q);
    const view<const double, dyn, 3, 3, dyn, dyn, dyn, W> K(&K_(on.first, 0, 0, 0, 0, 0, 0),
                                                            on.count, Q, Q, Q);
    auto v = on.of<3>(y.data());
    names::elasticity(names::V = v, names::U = on.of<3>(x.data()), names::B = tables_.B,
                      names::H = tables_.H, names::One = identity, names::K = K, names::M = M,
                      names::Unit = unit, names::Ratio = ratio_);
  });
}

}  // namespace fem
