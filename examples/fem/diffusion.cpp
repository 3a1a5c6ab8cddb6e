// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

#include "operators.hpp"
#include "static_sizes.hpp"

namespace fem {
namespace {

/// For fields of C components, P nodes and Q points along an axis; dyn: told when it runs.
template <index C, index P, index Q, bool IsCollocated>
element_operator planned(const basis& tables, const symmetric_at_points& D,
                         const restriction& all) {
  const auto on_slab = [&tables, &D](const slab& on, const double* x, double* y, auto kernel) {
    using tenfold::gathered, tenfold::view, tenfold::identity;
    namespace names = on_element;
    const index q = tables.Q1D();
    gathered<double, W, C, P, P, P> v(on.of(y));
    const gathered<const double, W, C, P, P, P> u(on.of(x));
    const view<const double, Q, P> B(view<const double, dyn, dyn>(tables.B.data(), q, on.D1D));
    const view<const double, Q, Q> H(view<const double, dyn, dyn>(tables.H.data(), q, q));
    const view<const double, dyn, 6, Q, Q, Q, W> d(view<const double, dyn, 6, dyn, dyn, dyn, W>(
        &D(on.first, 0, 0, 0, 0, 0), on.count, q, q, q));
    if constexpr (IsCollocated) {
      return kernel(names::V = v, names::U = u, names::B = identity, names::One = identity,
                    names::H = H, names::D = d);
    } else {
      return kernel(names::V = v, names::U = u, names::B = B, names::One = identity, names::H = H,
                    names::D = d);
    }
  };
  const auto in_front = [&](auto ask) {
    return on_slab(all.slabs().front(), nullptr, nullptr, ask);
  };
  const auto plan = in_front([](auto... x) { return on_element::diffusion.plan(x...); });
  const auto told = in_front([](auto... x) { return on_element::diffusion.explain(x...); });
  return {[=](const slab& on, const double* x, double* y) { on_slab(on, x, y, plan); },
          told.flops.factor_of(told.flops.unknown())};
}

template <index C>
element_operator planned(const basis& tables, const symmetric_at_points& D,
                         const restriction& all) {
  const index P = tables.D1D();
  if (tables.is_collocated()) {
    return for_static_nodes(
        P, [&](auto nodes) { return planned<C, nodes, nodes, true>(tables, D, all); });
  }
  if (tables.Q1D() != P + 1) return planned<C, dyn, dyn, false>(tables, D, all);
  return for_static_nodes(P, [&](auto nodes) {
    constexpr index points = nodes == dyn ? dyn : nodes + 1;
    return planned<C, nodes, points, false>(tables, D, all);
  });
}

}  // namespace

element_operator diffusion_operator(const basis& tables, const symmetric_at_points& D,
                                    const restriction& all) {
  return all.slabs().front().components == 1 ? planned<1>(tables, D, all)
                                             : planned<3>(tables, D, all);
}

}  // namespace fem
