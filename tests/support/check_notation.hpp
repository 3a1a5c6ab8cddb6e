#pragma once

#include <check_expression.hpp>

/// One expression of a list in all front ends: subscripts in the type and as a string, by value and
/// through plans, and index notation.
namespace tenfold::testing {

/// Stands where an expression is not written in index notation.
struct only_subscripts {};

/// A tensor of these extents.
template <class Y>
Y with_extents(const std::vector<index>& all) {
  std::array<index, static_cast<std::size_t>(Y::rank())> e{};
  for (std::size_t i = 0; i < e.size(); ++i) e[i] = all[i];
  return Y(typename Y::extents_type(e));
}

/// Compares what the front ends make of `S` over operands of these shapes with the reference: the
/// literal in place, with static extents; by value and as a plan, with none in the type; the
/// string. `indexed(y, x...)` writes the same in index notation and must give the bits of the
/// literal.
template <literal S, class T = double, class Indexed, class... Shapes>
void check_notation(const Indexed& indexed, const Shapes&... shapes) {
  [&](auto... x) {
    const auto check = [&](const judge<T>& right, const std::vector<T>&) {
      using Y = decltype(einsum<S>(x...));
      auto y = with_extents<Y>(right.extents());
      y.fill(T(std::numeric_limits<double>::quiet_NaN()));
      auto z = y;
      einsum<S>(into(y), x...);
      right.check(y);
      if constexpr (!std::is_same_v<Indexed, only_subscripts>) {
        indexed(z, x...);
        CHECK(same_bits(z, y));
      }
      const auto check_dynamic = [&](const auto&... d) {
        const auto same = einsum<S>(d...);
        right.check(same);
        CHECK(same_bits(plan<S>(like(d)...)(d...), same));
      };
      check_dynamic(without_static_extents(x)...);
    };
    check_filled<T>(S.view(), check, x...);
  }(shapes.template make<T>()...);
}

/// The same where index notation, which has no ellipsis, cannot follow.
template <literal S, class T = double, index... E, class... Shapes>
void check_notation(const shape<E...>& first, const Shapes&... shapes) {
  static_assert(subscripts<S>::said.has_ellipsis,
                "an expression without an ellipsis is checked in index notation too");
  check_notation<S, T>(only_subscripts{}, first, shapes...);
}

}  // namespace tenfold::testing
