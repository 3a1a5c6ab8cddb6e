#pragma once

#include <doctest/doctest.h>

#include <planned.hpp>
#include <tenfold/dsel/reusable_plan.hpp>

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
  judge(std::string_view text, entries_kind kind, const operand_list& operands,
        const call_settings& settings = {})
      : want_(expect(text, operands)),
        work_(kind == entries_kind::exact ? 0 : work_of(text, operands, settings)),
        computed_(settings.binding.accumulates ? with(settings.binding.accumulate) : scalar_of<T>) {
  }

  index size() const { return want_.size(); }
  const std::vector<index>& extents() const { return want_.extents; }

  template <class Y>
  void check(const Y& y, const std::vector<T>& before = {}, std::complex<double> alpha = 1,
             std::complex<double> beta = 0) const {
    const run_time_operand s = seen(y);
    CHECK(s.shape.type == scalar_of<T>);
    check(s.shape, static_cast<const T*>(s.data), before, alpha, beta);
  }
  void check(const operand_shape<max_rank>& shape, const T* y, const std::vector<T>& before,
             std::complex<double> alpha, std::complex<double> beta) const {
    CHECK(std::equal(want_.extents.begin(), want_.extents.end(), shape.extents.begin(),
                     shape.extents.begin() + shape.rank));
    CHECK(residual(want_, shape, y, before, alpha, beta, work_, computed_) <= 1);
  }

 private:
  static scalar with(scalar precision) {
    return binding::with_precision(precision, is_complex(scalar_of<T>));
  }

  expectation want_;
  double work_;
  scalar computed_;
};

/// Whether two tensors hold the same bits, in row-major order; NaNs of one kind are the same.
template <class X, class Y>
bool same_bits(const X& x, const Y& y) {
  const run_time_operand a = seen(x), b = seen(y);
  if (a.shape.type != b.shape.type || a.shape.rank != b.shape.rank || x.size() != y.size()) {
    return false;
  }
  return x.size() == 0 ||
         __builtin_memcmp(a.data, b.data,
                          static_cast<std::size_t>(x.size()) * bytes_of(a.shape.type)) == 0;
}

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
/// As a string, and through a plan, whose bits are those of the string.
template <class T, class... X>
void check_run_time(std::string_view text, const judge<T>& right, const std::vector<T>& before,
                    const X&... x) {
  dynamic_tensor<T> y = einsum(text, x...);
  right.check(y);
  const run_time_plan planned = plan(text, like(x)...);
  CHECK(same_bits(planned(x...), y));
  const operand_list inputs{run_time_operand_of(x)...};
  const auto count = static_cast<int>(inputs.size());
  std::copy(before.begin(), before.end(), y.data());
  evaluate(text, inputs.data(), count, y.shape(), y.data(), {{-1}, {2}});
  right.check(y, before, -1, 2);
  dynamic_tensor<T> again(y.shape());
  std::copy(before.begin(), before.end(), again.data());
  planned.run(inputs.data(), count, again.shape(), again.data(), {{-1}, {2}});
  CHECK(same_bits(again, y));
}

/// Which forms of an expression a test compiles beside `einsum<S>` by value and the run-time
/// string; each costs the compiler time.
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
    operand_list inputs;
    for (const auto& e : extents) x.emplace_back(e);
    for (auto& s : x) {
      s.fill(g, kind);
      inputs.push_back(seen(s));
    }
    const judge<T> right(text, kind, inputs);
    dynamic_tensor<T> y(result_shape(text, inputs.data(), static_cast<int>(inputs.size()), {}));
    evaluate(text, inputs.data(), static_cast<int>(inputs.size()), y.shape(), y.data(), {});
    right.check(y);
  }
}

}  // namespace tenfold::testing
