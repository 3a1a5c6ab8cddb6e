#pragma once

#include <doctest/doctest.h>

#include <planned.hpp>
#include <tenfold/dsel/einsum.hpp>

/// One expression in every form in which it can be written, against the reference.
namespace tenfold::testing {

/// The extents of an operand; run-time ones in braces: shape<dyn, 8, 8>{1000}.
template <index... E>
struct shape {
  std::array<index, (std::size_t{0} + ... + std::size_t{E == dyn})> dynamic{};

  template <class T>
  tensor<T, E...> make() const {
    if constexpr (((E == dyn) || ...)) {
      return std::apply([](auto... n) { return tensor<T, E...>(n...); }, dynamic);
    } else {
      return {};
    }
  }
};

template <index>
inline constexpr index always_dyn = dyn;

/// The same tensor with no extent in the type.
template <class T, index... E>
tensor<T, always_dyn<E>...> without_static_extents(const tensor<T, E...>& x) {
  if constexpr (sizeof...(E) == 0) {
    return x;
  } else {
    std::array<index, sizeof...(E)> all{};
    for (int i = 0; i < x.rank(); ++i) all[static_cast<std::size_t>(i)] = x.extent(i);
    tensor<T, always_dyn<E>...> y{extents<always_dyn<E>...>(all)};
    std::copy(x.data(), x.data() + x.size(), y.data());
    return y;
  }
}

/// What is to be compared with, computed once for all forms of one expression.
template <class T>
class judge {
 public:
  judge(std::string_view text, entries_kind kind, const std::vector<seen_operand<T>>& operands)
      : want_(expect(text, operands)),
        work_(kind == entries_kind::exact ? 0 : work_of<T>(text, operands)) {}

  index size() const { return want_.size(); }
  const std::vector<index>& extents() const { return want_.extents; }

  template <class Y>
  void check(const Y& y, const std::vector<T>& before = {}, double alpha = 1,
             double beta = 0) const {
    const auto s = seen(y);
    CHECK(residual(want_, s.shape, s.data, before, alpha, beta, work_) <= 1);
  }

 private:
  expectation want_;
  double work_;
};

/// By value, and into a destination with alpha and beta, for subscripts in the type and at run
/// time.
template <literal S, class T, class... X>
void check_by_value(const judge<T>& right, const X&... x) {
  right.check(einsum<S>(x...));
}
template <literal S, class T, class... X>
void check_in_place(const judge<T>& right, const std::vector<T>& before, const X&... x) {
  decltype(einsum<S>(x...)) y = einsum<S>(x...);
  y.fill(std::numeric_limits<T>::quiet_NaN());
  einsum<S>(into(y), x..., alpha(2));
  right.check(y, {}, 2);
  std::copy(before.begin(), before.end(), y.data());
  einsum<S>(into(y), x..., alpha(-1), beta(2));
  right.check(y, before, -1, 2);
}
template <class T, class... X>
void check_run_time(std::string_view text, const judge<T>& right, const std::vector<T>& before,
                    const X&... x) {
  dynamic_tensor<T> y = einsum(text, x...);
  right.check(y);
  std::vector<run_time_operand> inputs{run_time_operand_of(x)...};
  std::copy(before.begin(), before.end(), y.data());
  evaluate(text, inputs.data(), static_cast<int>(inputs.size()), y.shape(), y.data(),
           {{-1}, {2}});
  right.check(y, before, -1, 2);
}

/// Which forms of an expression a test compiles beside `einsum<S>` by value and the run-time string;
/// each costs the compiler time.
enum class forms : unsigned char { few, in_place, dynamic, all };

template <literal S, class T = double, forms Which = forms::few, class... Shapes>
void check_expression(const Shapes&... shapes) {
  for (const auto kind : {entries_kind::exact, entries_kind::random}) {
    CAPTURE(S.view());
    CAPTURE(static_cast<int>(kind));
    generator g(sizeof...(shapes));
    [&](auto... x) {
      (fill(x.data(), x.size(), g, kind), ...);
      const judge<T> right(S.view(), kind, {seen(x)...});
      std::vector<T> before(static_cast<std::size_t>(right.size()));
      fill(before.data(), right.size(), g, kind);
      check_by_value<S>(right, x...);
      check_run_time(S.view(), right, before, x...);
      if constexpr (Which == forms::in_place || Which == forms::all) {
        check_in_place<S>(right, before, x...);
      }
      if constexpr (Which == forms::dynamic || Which == forms::all) {
        check_by_value<S>(right, without_static_extents(x)...);
      }
    }(shapes.template make<T>()...);
  }
}

/// The extents of each operand of a run-time expression.
using extents_list = std::vector<std::vector<index>>;

/// Only as a run-time string: for shapes that are many.
template <class T = double>
void check_run_time_expression(std::string_view text, const extents_list& extents) {
  for (const auto kind : {entries_kind::exact, entries_kind::random}) {
    CAPTURE(text);
    CAPTURE(static_cast<int>(kind));
    generator g(extents.size());
    std::vector<sample<T>> x;
    std::vector<seen_operand<T>> seen_x;
    std::vector<run_time_operand> inputs;
    for (const auto& e : extents) x.emplace_back(e);
    for (auto& s : x) {
      s.fill(g, kind);
      seen_x.push_back(seen(s));
      inputs.push_back({s.shape(), s.data()});
    }
    const judge<T> right(text, kind, seen_x);
    dynamic_tensor<T> y(result_shape(text, inputs.data(), static_cast<int>(inputs.size()), {}));
    evaluate(text, inputs.data(), static_cast<int>(inputs.size()), y.shape(), y.data(), {});
    right.check(y);
  }
}

}  // namespace tenfold::testing
