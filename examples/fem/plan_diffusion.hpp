#pragma once

/// How the diffusion operator is planned. Of scalar fields and of vectors, at the nodes and at
/// other points, it is four sources, which compilers take side by side: its kernels for all degrees
/// are the most that there is to compile here.

#include "operators.hpp"
#include "static_sizes.hpp"

namespace fem {

/// For P nodes and Q points along an axis, dyn: told when it runs; of as many components, if any.
template <index P, index Q, bool IsCollocated, index... Components>
element_operator planned_diffusion(const basis& tables, const restriction& all) {
  const auto on_slab = [&tables](const slab& on, const double* at_points, const double* x,
                                 double* y, auto kernel) {
    using tenfold::gathered, tenfold::view, tenfold::identity;
    namespace names = on_element;
    const index q = tables.Q1D();
    gathered<double, W, Components..., P, P, P> v(on.of<Components...>(y));
    const gathered<const double, W, Components..., P, P, P> u(on.of<Components...>(x));
    const view<const double, Q, P> B(view<const double, dyn, dyn>(tables.B.data(), q, on.D1D));
    const view<const double, Q, Q> H(view<const double, dyn, dyn>(tables.H.data(), q, q));
    const view<const double, dyn, 6, Q, Q, Q, W> d(
        view<const double, dyn, 6, dyn, dyn, dyn, W>(at_points, on.count, q, q, q));
    if constexpr (IsCollocated) {
      return kernel(names::V = v, names::U = u, names::B = identity, names::One = identity,
                    names::H = tenfold::reflection_antisymmetric(H), names::D = d);
    } else {
      return kernel(names::V = v, names::U = u, names::B = tenfold::reflection_symmetric(B),
                    names::One = identity, names::H = tenfold::reflection_antisymmetric(H),
                    names::D = d);
    }
  };
  const auto in_front = [&](auto ask) {
    return on_slab(all.slabs().front(), nullptr, nullptr, nullptr, ask);
  };
  const auto plan =
      in_front([](auto... x) { return on_element::diffusion<Components...>.plan(x...); });
  const auto told =
      in_front([](auto... x) { return on_element::diffusion<Components...>.explain(x...); });
  return {[=](const slab& on, const double* at_points, const double* x, double* y) {
            on_slab(on, at_points, x, y, plan);
          },
          told.flops.factor_of(told.flops.unknown())};
}

/// For fields of so many components; none: scalar ones.
template <bool IsCollocated, index... Components>
element_operator plan_diffusion(const basis& tables, const restriction& all) {
  constexpr index more_points = IsCollocated ? 0 : 1;  // than nodes, as usual
  const index P = tables.D1D();
  if (tables.Q1D() != P + more_points)
    return planned_diffusion<dyn, dyn, IsCollocated, Components...>(tables, all);
  return for_static_nodes(P, [&](auto nodes) {
    constexpr index points = nodes == dyn ? dyn : nodes + more_points;
    return planned_diffusion<nodes, points, IsCollocated, Components...>(tables, all);
  });
}

}  // namespace fem
