#pragma once

/// How the mass operator is planned.

#include "operators.hpp"
#include "static_sizes.hpp"

namespace fem {

/// For P nodes and Q points along an axis, dyn: told when it runs; of as many components, if any.
template <index P, index Q, index... Components>
element_operator planned_mass(const basis& tables, const restriction& all) {
  const auto on_slab = [&tables](const slab& on, const double* at_points, const double* x,
                                 double* y, auto kernel) {
    using tenfold::gathered, tenfold::view;
    const index q = tables.Q1D();
    gathered<double, W, Components..., P, P, P> v(on.of<Components...>(y));
    const gathered<const double, W, Components..., P, P, P> u(on.of<Components...>(x));
    const view<const double, Q, P> B(view<const double, dyn, dyn>(tables.B.data(), q, on.D1D));
    const view<const double, dyn, Q, Q, Q, W> m(
        view<const double, dyn, dyn, dyn, dyn, W>(at_points, on.count, q, q, q));
    return kernel(on_element::V = v, on_element::U = u, on_element::M = m,
                  on_element::B = tenfold::reflection_symmetric(B));
  };
  const auto in_front = [&](auto ask) {
    return on_slab(all.slabs().front(), nullptr, nullptr, nullptr, ask);
  };
  const auto plan = in_front([](auto... x) { return on_element::mass<Components...>.plan(x...); });
  const auto told =
      in_front([](auto... x) { return on_element::mass<Components...>.explain(x...); });
  return {[=](const slab& on, const double* at_points, const double* x, double* y) {
            on_slab(on, at_points, x, y, plan);
          },
          told.flops.factor_of(told.flops.unknown())};
}

/// For fields of so many components; none: scalar ones.
template <index... Components>
element_operator plan_mass(const basis& tables, const restriction& all) {
  const index P = tables.D1D();
  if (tables.Q1D() != P + 1) return planned_mass<dyn, dyn, Components...>(tables, all);
  return for_static_nodes(P, [&](auto nodes) {
    constexpr index points = nodes == dyn ? dyn : nodes + 1;
    return planned_mass<nodes, points, Components...>(tables, all);
  });
}

}  // namespace fem
