#pragma once

#include <check_expression.hpp>

/// One expression of a list in all front ends: subscripts in the type and as a string, by value and
/// through plans, and index notation.
namespace tenfold::testing {

/// Stands where an expression is not written in index notation.
struct only_subscripts {};

/// Compares what the front ends make of `S` over operands of these shapes with the reference:
/// static extents, then none in the type. `indexed(y, x...)` writes the same in index notation:
/// every front end must give the bits of the literal.
template <literal S, class T = double, class Indexed, class... Shapes>
void check_notation(const Indexed& indexed, const Shapes&... shapes) {
  const auto check = [&](const judge<T>& right, const auto&... x) {
    const auto y = einsum<S>(x...);
    right.check(y);
    CHECK(same_bits(plan<S>(like(x)...)(x...), y));
    if constexpr (!std::is_same_v<Indexed, only_subscripts>) {
      auto z = y;
      z.fill(T(std::numeric_limits<double>::quiet_NaN()));
      indexed(z, x...);
      CHECK(same_bits(z, y));
    }
  };
  for (const auto kind : {entries_kind::exact, entries_kind::random}) {
    CAPTURE(S.view());
    CAPTURE(static_cast<int>(kind));
    generator g(sizeof...(shapes));
    [&](auto... x) {
      (fill(x.data(), x.size(), g, kind), ...);
      const judge<T> right(S.view(), kind, {seen(x)...});
      std::vector<T> before(static_cast<std::size_t>(right.size()));
      fill(before.data(), right.size(), g, kind);
      check(right, x...);
      check(right, without_static_extents(x)...);
      check_run_time(S.view(), right, before, x...);
    }(shapes.template make<T>()...);
  }
}

/// The same where index notation, which has no ellipsis, cannot follow.
template <literal S, class T = double, index... E, class... Shapes>
void check_notation(const shape<E...>& first, const Shapes&... shapes) {
  static_assert(subscripts<S>::said.has_ellipsis,
                "an expression without an ellipsis is checked in index notation too");
  check_notation<S, T>(only_subscripts{}, first, shapes...);
}

}  // namespace tenfold::testing
