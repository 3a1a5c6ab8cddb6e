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
        const call_settings& settings = {});

  index size() const { return want_.size(); }
  const std::vector<index>& extents() const { return want_.extents; }

  template <class Y>
  void check(const Y& y, const std::vector<T>& before = {}, std::complex<double> alpha = 1,
             std::complex<double> beta = 0) const {
    check(seen(y), before, alpha, beta);
  }
  void check(const run_time_operand& y, const std::vector<T>& before, std::complex<double> alpha,
             std::complex<double> beta) const;
  void check(const operand_shape<max_rank>& shape, const T* y, const std::vector<T>& before,
             std::complex<double> alpha, std::complex<double> beta) const;

 private:
  expectation want_;
  double work_;
  scalar computed_;
};

extern template class judge<float>;
extern template class judge<double>;
extern template class judge<std::complex<float>>;
extern template class judge<std::complex<double>>;

/// Whether two tensors hold the same bits, in row-major order; NaNs of one kind are the same.
bool same_bits(const run_time_operand& a, const run_time_operand& b);
template <class X, class Y>
bool same_bits(const X& x, const Y& y) {
  return same_bits(seen(x), seen(y));
}

/// What a function is handed that calls back before it returns: what differs from expression to
/// expression is compiled for each, the rest once.
template <class... A>
class callback {
 public:
  template <class F>
  callback(const F& f)
      : object_(&f), call_([](const void* o, A... a) { (*static_cast<const F*>(o))(a...); }) {}

  void operator()(A... a) const { call_(object_, a...); }

 private:
  const void* object_;
  void (*call_)(const void*, A...);
};

/// Calls f; a failure in it tells the expression and the kind of entries.
void captured(std::string_view text, entries_kind kind, callback<> f);

/// The entries of an operand, to be filled.
template <class T>
struct to_fill {
  T* data;
  index size;
};

/// For exact entries and for random ones: fills the operands, and checks the string with operands
/// that are data, by value and with alpha and beta, and its plan, whose bits are those of the
/// string; then calls f with the reference and with entries to add to.
template <class T>
void check_filled(std::string_view text, const to_fill<T>* entries, const run_time_operand* inputs,
                  int count, callback<const judge<T>&, const std::vector<T>&> f);

extern template void check_filled(std::string_view, const to_fill<float>*, const run_time_operand*,
                                  int, callback<const judge<float>&, const std::vector<float>&>);
extern template void check_filled(std::string_view, const to_fill<double>*, const run_time_operand*,
                                  int, callback<const judge<double>&, const std::vector<double>&>);

template <class T, class F, class... X>
void check_filled(std::string_view text, const F& f, X&... x) {
  const to_fill<T> entries[] = {{x.data(), x.size()}...};
  const run_time_operand inputs[] = {seen(x)...};
  check_filled<T>(text, entries, inputs, static_cast<int>(sizeof...(X)), f);
}

/// Into a destination with alpha and beta.
template <literal S, class T, class... X>
void check_in_place(const judge<T>& right, const std::vector<T>& before, const X&... x) {
  auto y = einsum<S>(x...);
  y.fill(std::numeric_limits<T>::quiet_NaN());
  einsum<S>(into(y), x..., alpha(2));
  right.check(y, {}, 2);
  std::copy(before.begin(), before.end(), y.data());
  einsum<S>(into(y), x..., alpha(-1), beta(2));
  right.check(y, before, -1, 2);
}
/// As a string over operands of types, and through its plan.
template <class T, class... X>
void check_text(std::string_view text, const judge<T>& right, const X&... x) {
  const dynamic_tensor<T> y = einsum(text, x...);
  right.check(y);
  CHECK(same_bits(plan(text, like(x)...)(x...), y));
}

/// Which forms of an expression a test compiles beside `einsum<S>` by value; each costs the
/// compiler time.
enum class forms : unsigned char { few, in_place, dynamic, all };

template <literal S, class T = double, forms Which = forms::few, class... Shapes>
void check_expression(const Shapes&... shapes) {
  [](auto... x) {
    const auto check = [&](const judge<T>& right, const std::vector<T>& before) {
      right.check(einsum<S>(x...));
      if constexpr (Which == forms::in_place || Which == forms::all) {
        check_in_place<S>(right, before, x...);
      }
      if constexpr (Which == forms::dynamic || Which == forms::all) {
        right.check(einsum<S>(without_static_extents(x)...));
      }
      if constexpr (Which == forms::all) check_text(S.view(), right, x...);
      static_cast<void>(before);
    };
    check_filled<T>(S.view(), check, x...);
  }(shapes.template make<T>()...);
}

/// The extents of each operand of a run-time expression.
using extents_list = std::vector<std::vector<index>>;

/// Only as a run-time string: for shapes that are many.
template <class T = double>
void check_run_time_expression(std::string_view text, const extents_list& extents);

extern template void check_run_time_expression<float>(std::string_view, const extents_list&);
extern template void check_run_time_expression<double>(std::string_view, const extents_list&);

}  // namespace tenfold::testing
