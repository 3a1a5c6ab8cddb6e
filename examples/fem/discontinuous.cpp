#include "discontinuous.hpp"

#include <utility>

namespace fem {

discontinuous_mass::discontinuous_mass(const mesh& shape, int p)
    : tables_(p, gauss_legendre(p + 1)), to_points_(p + 1, p + 1) {
  const matrix inverse = interpolation(tables_.rule.points, tables_.nodes.points);
  for (int q = 0; q <= p; ++q) {
    for (int i = 0; i <= p; ++i) to_points_(q, i) = inverse(i, q);
  }
  const index blocks = (shape.elements() + W - 1) / W;
  M_ = std::move(geometry(shape, tables_.rule, blocks, true, false).M);
  M_inverse_ = M_;
  for (index l = 0; l < M_.size(); ++l) M_inverse_.data()[l] = 1 / M_.data()[l];
}

discontinuous_mass::numbers discontinuous_mass::zeros() const {
  const index P = tables_.D1D();
  numbers u(M_.extent(0), P, P, P);
  u.fill(0);
  return u;
}

void discontinuous_mass::run(const matrix& B, const scalars_at_points& M, const numbers& u,
                             numbers& v) {
  v.fill(0);
  on_element::mass<>(on_element::V = v, on_element::U = u, on_element::B = B, on_element::M = M);
}

}  // namespace fem
