// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

#include "operators.hpp"
#include "static_sizes.hpp"

namespace fem {
namespace {

/// For fields of C components, P nodes and Q points along an axis; dyn: told when it runs.
template <index C, index P, index Q>
element_operator planned(const basis& tables, const scalars_at_points& M, const restriction& all) {
  const auto on_slab = [&tables, &M](const slab& on, const double* x, double* y, auto kernel) {
    using tenfold::gathered, tenfold::view;
    const index q = tables.Q1D();
    gathered<double, W, C, P, P, P> v(on.of(y));
    const gathered<const double, W, C, P, P, P> u(on.of(x));
    const view<const double, Q, P> B(view<const double, dyn, dyn>(tables.B.data(), q, on.D1D));
    const view<const double, dyn, Q, Q, Q, W> m(
        view<const double, dyn, dyn, dyn, dyn, W>(&M(on.first, 0, 0, 0, 0), on.count, q, q, q));
    return kernel(on_element::V = v, on_element::U = u, on_element::B = B, on_element::M = m);
  };
  const auto in_front = [&](auto ask) {
    return on_slab(all.slabs().front(), nullptr, nullptr, ask);
  };
  const auto plan = in_front([](auto... x) { return on_element::mass.plan(x...); });
  const auto told = in_front([](auto... x) { return on_element::mass.explain(x...); });
  return {[=](const slab& on, const double* x, double* y) { on_slab(on, x, y, plan); },
          told.flops.factor_of(told.flops.unknown())};
}

template <index C>
element_operator planned(const basis& tables, const scalars_at_points& M, const restriction& all) {
  const index P = tables.D1D();
  if (tables.Q1D() != P + 1) return planned<C, dyn, dyn>(tables, M, all);
  return for_static_nodes(P, [&](auto nodes) {
    constexpr index points = nodes == dyn ? dyn : nodes + 1;
    return planned<C, nodes, points>(tables, M, all);
  });
}

}  // namespace

element_operator mass_operator(const basis& tables, const scalars_at_points& M,
                               const restriction& all) {
  return all.slabs().front().components == 1 ? planned<1>(tables, M, all)
                                             : planned<3>(tables, M, all);
}

}  // namespace fem
