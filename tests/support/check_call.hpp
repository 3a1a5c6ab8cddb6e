#pragma once

#include <check_expression.hpp>
#include <complex>
#include <tenfold/tensor/conjugated.hpp>

/// One expression over given operands: of mixed scalars, conjugated, strided, one of them twice.
namespace tenfold::testing {

template <class T, index... E>
tensor<T, E...> made(const shape<E...>& s, std::uint64_t seed,
                     entries_kind kind = entries_kind::random) {
  generator g(seed);
  auto x = s.template make<T>();
  fill(x.data(), x.size(), g, kind);
  return x;
}

template <class T>
T not_a_number() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if constexpr (is_complex(scalar_of<T>)) {
    using real = typename T::value_type;
    return T(static_cast<real>(nan), static_cast<real>(nan));
  } else {
    return static_cast<T>(nan);
  }
}

/// By value and into a destination, as a literal, a string and a plan, with factors that are
/// complex where the result is. Entries are of `kind`.
template <literal S, class... X>
void check_call(entries_kind kind, const X&... x) {
  CAPTURE(S.view());
  CAPTURE(static_cast<int>(kind));
  auto y = einsum<S>(x...);
  using T = typename decltype(y)::value_type;
  const judge<T> right(S.view(), kind, {seen(x)...});
  right.check(y);
  const auto at_run_time = einsum(S.view(), x...);
  right.check(at_run_time);
  CHECK(same_bits(plan<S>(like(x)...)(x...), y));

  constexpr bool complex = is_complex(scalar_of<T>);
  const std::complex<double> a(-1, complex ? 2 : 0), b(2, complex ? 1 : 0);
  alpha_factor fa = alpha(a.real());
  beta_factor fb = beta(b.real());
  if constexpr (complex) {
    fa = alpha(a);
    fb = beta(b);
  }
  generator g(5);
  std::vector<T> before(static_cast<std::size_t>(y.size()));
  fill(before.data(), y.size(), g, kind);
  for (const bool keeps : {false, true}) {
    CAPTURE(keeps);
    const auto run = [&](auto call) {
      y.fill(not_a_number<T>());
      if (keeps) std::copy(before.begin(), before.end(), y.data());
      call(keeps ? fb : beta(0));
      right.check(y, before, a, keeps ? b : 0);
    };
    run([&](beta_factor factor) { einsum<S>(into(y), x..., fa, factor); });
    run([&](beta_factor factor) { einsum(S.view(), into(y), x..., fa, factor); });
    const run_time_plan planned = plan(S.view(), like(x)...);
    run([&](beta_factor factor) { planned(into(y), x..., fa, factor); });
  }
}

/// For exact entries and random ones: `f(kind, seed...)` makes the operands.
template <class F>
void for_all_kinds(F f) {
  for (const auto kind : {entries_kind::exact, entries_kind::random}) f(kind);
}

}  // namespace tenfold::testing
