#pragma once

#include <tenfold/contraction/make_explanation.hpp>
#include <tenfold/dsel/einsum.hpp>
#include <tenfold/dsel/explain_at_the_call.hpp>
#include <tenfold/dsel/print_explanation.hpp>

/// explain<"ij,jk->ik">(A, B): what einsum<"ij,jk->ik">(A, B) would do, as data and as a table.
namespace tenfold {

namespace explaining_front {

/// The expression of types as they stand in explain<S, X...>(): a destination first if there is
/// one.
template <literal S, class... X>
struct typed {
  using expression_type = expression<S, false, void, const X...>;
  using scalar_type = typename evaluating::first<X...>::scalar_t;
};
template <literal S, class Y, class... X>
struct typed<S, destination<Y>, X...> {
  using expression_type = expression<S, false, Y, const X...>;
  using scalar_type = typename operand_traits_of<Y>::scalar_t;
};

/// Whether the result, returned by value, takes memory from the heap.
template <class E, class T, bool ByValue>
constexpr bool allocates_result() {
  if constexpr (ByValue) {
    using result = decltype(evaluating::result_type<E, T>(
        std::make_integer_sequence<int, E::text::list.result.count>{}));
    return !result::is_inline;
  } else {
    return false;
  }
}

/// The explanation of an expression of types; `extents` are those of the call.
template <class E, class T, bool Scaled, bool ByValue>
constexpr explanation<E::bounds> of_types(const capabilities& machine, const index* extents) {
  using text = typename E::text;
  using program = std::remove_const_t<decltype(E::value)>;
  const auto lowered = lower<program>(E::bound.value, E::plan, machine, !Scaled);
  auto out = explaining<E::bounds, E::bounds, program>(
                 text::list, text::parsed.names, text::text, E::bound.value, E::plan,
                 lowered.feasible ? &lowered : nullptr, machine, extents, !Scaled, true)
                 .run();
  if (!lowered.feasible) {
    out.when = planned::at_the_call_for_shape;
    out.allocations = -1;
  } else {
    const bool large = out.workspace_bytes > static_cast<index>(cpu::scratch_block::kept_bytes);
    out.allocations = (allocates_result<E, T, ByValue>() ? 1 : 0) + (large ? 1 : 0);
  }
  return out;
}

template <literal S, class... X>
constexpr auto checked_types(const capabilities& machine) {
  using text = subscripts<S>;
  if constexpr (text::parsed.error.code != diagnosis::none) {
    return diagnose<text, text::parsed.error>();
  } else {
    using types = typed<S, X...>;
    using e = typename types::expression_type;
    if constexpr (e::bound.error.code != diagnosis::none) {
      return diagnose<text, e::bound.error>();
    } else {
      constexpr bool by_value = std::is_same_v<e, expression<S, false, void, const X...>>;
      return of_types<e, typename types::scalar_type, false, by_value>(machine,
                                                                       e::bound.value.extent);
    }
  }
}

/// The machine among the arguments, if it stands there.
template <class... A>
constexpr std::optional<capabilities> machine_of(const A&... args) {
  std::optional<capabilities> found;
  (
      [&] {
        if constexpr (std::is_same_v<A, capabilities>) found = args;
      }(),
      ...);
  return found;
}

/// `overwrites` where beta is 0; without options (not Scaled) it is.
template <class E, class T, bool Scaled, class Y, class... X>
auto of_operands(const std::optional<capabilities>& machine, bool overwrites, const Y* y,
                 const X&... x) {
  constexpr bool by_value = std::is_void_v<Y>;
  index extents[E::bounds.labels] = {};
  for (int l = 0; l < E::bound.value.label_count; ++l) extents[l] = E::bound.value.extent[l];
  int o = 0;
  bool fits = true;
  ((fits &= evaluating::learn(extents, E::text::list.factors[o++].labels, x)), ...);
  operand_shape<max_rank> shape;
  const operand_shape<max_rank>* given = nullptr;
  if constexpr (!by_value) {
    fits &= evaluating::learn(extents, E::text::list.result, *y);
    shape = shape_of<max_rank>(*y);
    given = &shape;
  }
  if (!fits) evaluating::complain<X...>(E::text::text, given, x...);
  if constexpr (E::value.feasible) {
    return of_types<E, T, Scaled, by_value>(machine.value_or(cpu::static_capabilities), extents);
  } else {
    const run_time_operand inputs[] = {run_time_operand_of(x)...};
    return explain_at_the_call(E::text::text, inputs, sizeof...(X), given, machine, overwrites,
                               planned::at_the_call_for_shape);
  }
}

template <literal S, bool Scaled, class Y, class... X>
auto checked_operands(const std::optional<capabilities>& machine, bool overwrites, const Y* y,
                      const X&... x) {
  using text = subscripts<S>;
  if constexpr (text::parsed.error.code != diagnosis::none) {
    return diagnose<text, text::parsed.error>();
  } else {
    using e = expression<S, Scaled, Y, const X...>;
    if constexpr (e::bound.error.code != diagnosis::none) {
      return diagnose<text, e::bound.error>();
    } else {
      using scalar_type = typename evaluating::first<X...>::scalar_t;
      return of_operands<e, scalar_type, Scaled, Y>(machine, overwrites, y, x...);
    }
  }
}

/// Passes the operands, which stand first, to f.
template <class F, class... A>
auto with_leading_operands(F f, const A&... args) {
  constexpr int n = (static_cast<int>(tensor_like<A>) + ...);
  return [&]<int... I>(std::integer_sequence<int, I...>) {
    return f(evaluating::pick<I>(args...)...);
  }
  (std::make_integer_sequence<int, n>{});
}

template <class A>
inline constexpr bool may_follow = evaluating::is_option<A> || std::is_same_v<A, capabilities>;

}  // namespace explaining_front

/// Explains einsum<S>(...) for operands of the types X..., at compile time if asked:
///
///   static_assert(explain<"ij,jk->ik", tensor<double, 3, 3>, tensor<double, 3, 3>>()
///                     .allocations == 0);
///
/// `destination<Y>` as the first type stands for into(y). Extents that the types leave open stay
/// open in every amount. `machine` is what the program is lowered for; by default, what this file
/// is compiled for.
template <literal S, class... X>
requires(sizeof...(X) >
         0) constexpr auto explain(const capabilities& machine = cpu::static_capabilities) {
  return explaining_front::checked_types<S, X...>(machine);
}

/// Explains einsum<S>(args...): the operands, and behind them, in any order, what einsum takes
/// there and the capabilities of the machine (by default, what this file is compiled for).
///
///   std::cout << explain<"eij,ej->ei">(A, u);
///
/// Throws as einsum.
template <literal S, class X, class... A>
requires(tensor_like<X> && ((tensor_like<A> || explaining_front::may_follow<A>)&&...)) auto explain(
    const X& x, const A&... args) {
  constexpr bool scaled = (evaluating::is_option<A> || ...);
  return explaining_front::with_leading_operands(
      [&](const auto&... operands) {
        return explaining_front::checked_operands<S, scaled>(
            explaining_front::machine_of(args...), true, static_cast<const void*>(nullptr),
            operands...);
      },
      x, args...);
}
template <literal S, class Y, class... A>
requires((tensor_like<A> || explaining_front::may_follow<A>)&&...) auto explain(destination<Y> y,
                                                                                const A&... args) {
  constexpr bool scaled = (evaluating::is_option<A> || ...);
  return explaining_front::with_leading_operands(
      [&](const auto&... operands) {
        return explaining_front::checked_operands<S, scaled, Y>(
            explaining_front::machine_of(args...), evaluating::beta_of(args...).value == 0,
            &y.tensor, operands...);
      },
      args...);
}

/// Explains einsum(text, args...), whose plan is made at the call. Throws as einsum.
template <run_time_tensor X, class... A>
requires((run_time_tensor<A> || explaining_front::may_follow<A>)&&...)
    explanation<large_limits> explain(std::string_view text, const X& x, const A&... args) {
  run_time_operand inputs[1 + sizeof...(A)] = {run_time_operand_of(x)};
  int count = 1;
  (
      [&] {
        if constexpr (run_time_tensor<A>) inputs[count++] = run_time_operand_of(args);
      }(),
      ...);
  return explain_at_the_call(text, inputs, count, nullptr, explaining_front::machine_of(args...),
                             true, planned::at_the_call_for_text);
}
template <class Y, class... A>
requires((run_time_tensor<A> || explaining_front::may_follow<A>)&&...)
    explanation<large_limits> explain(std::string_view text, destination<Y> y, const A&... args) {
  run_time_operand inputs[sizeof...(A)];
  int count = 0;
  (
      [&] {
        if constexpr (run_time_tensor<A>) inputs[count++] = run_time_operand_of(args);
      }(),
      ...);
  const auto shape = shape_of<max_rank>(y.tensor);
  return explain_at_the_call(text, inputs, count, &shape, explaining_front::machine_of(args...),
                             evaluating::beta_of(args...).value == 0,
                             planned::at_the_call_for_text);
}

}  // namespace tenfold
