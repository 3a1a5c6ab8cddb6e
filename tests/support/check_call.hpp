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

/// Into y with alpha and beta, which is 0 and is not: `call`, and with operands that are data the
/// string and its plan. Factors are complex where the result is. `out` is what sees y.
template <class T>
void check_places(std::string_view text, entries_kind kind, const operand_list& inputs, T* y,
                  const run_time_operand& out, callback<alpha_factor, beta_factor> call);

/// By value and into a destination, as a literal, a string and a plan. Entries are of `kind`.
template <literal S, class... X>
void check_call(entries_kind kind, const X&... x) {
  const auto check = [&] {
    auto y = einsum<S>(x...);
    using T = typename decltype(y)::value_type;
    const operand_list inputs{seen(x)...};
    const judge<T> right(S.view(), kind, inputs);
    right.check(y);
    right.check(einsum(S.view(), x...));
    CHECK(same_bits(plan<S>(like(x)...)(x...), y));
    const auto call = [&](alpha_factor a, beta_factor b) { einsum<S>(into(y), x..., a, b); };
    check_places<T>(S.view(), kind, inputs, y.data(), seen(y), call);
  };
  captured(S.view(), kind, check);
}

/// For exact entries and random ones: `f(kind, seed...)` makes the operands.
template <class F>
void for_all_kinds(F f) {
  for (const auto kind : {entries_kind::exact, entries_kind::random}) f(kind);
}

/// A string over dense operands on every instruction set, with alpha and beta and without, planned
/// for an L2 cache of so many bytes, or for the usual one.
template <class T>
void check_on_all_sets(std::string_view text, const extents_list& extents, index l2_bytes = 0) {
  for_all_kinds([&](entries_kind kind) {
    CAPTURE(text);
    generator g(1);
    std::vector<sample<T>> x;
    for (const auto& e : extents) x.emplace_back(e);
    operand_list inputs;
    for (auto& s : x) {
      s.fill(g, kind);
      inputs.push_back(seen(s));
    }
    const judge<T> right(text, kind, inputs);
    dynamic_tensor<T> y(result_shape(text, inputs.data(), static_cast<int>(inputs.size()), {}));
    for (const instruction_set isa : instruction_sets()) {
      std::fill(y.data(), y.data() + y.size(), not_a_number<T>());
      evaluate_on(isa, text, inputs, y.shape(), y.data(), {}, l2_bytes);
      right.check(y);
      std::vector<T> before(static_cast<std::size_t>(y.size()));
      fill(before.data(), y.size(), g, kind);
      std::copy(before.begin(), before.end(), y.data());
      evaluate_on(isa, text, inputs, y.shape(), y.data(), {{-2}, {3}}, l2_bytes);
      right.check(y, before, -2, 3);
    }
  });
}

}  // namespace tenfold::testing
