#pragma once

#include <tenfold/contraction/make_explanation.hpp>
#include <tenfold/dsel/einsum.hpp>
#include <tenfold/dsel/explain_operands.hpp>
#include <tenfold/dsel/print_explanation.hpp>

/// explain<"ij,jk->ik">(A, B): what einsum<"ij,jk->ik">(A, B) would do, as data and as a table.
namespace tenfold {

namespace explaining_front {

/// The expression of the types of explain<S, X...>(), where a destination may come first.
template <literal S, class Call, class... X>
struct typed {
  using result = void;
  using text = subscripts_over<S, X...>;
  using expression_type = expression<S, Call, void, const X...>;
};
template <literal S, class Call, class Y, class... X>
struct typed<S, Call, destination<Y>, X...> {
  using result = Y;
  using text = subscripts_over<S, X...>;
  using expression_type = expression<S, Call, Y, const X...>;
};

/// What a call with these arguments is to the compiler.
template <class... A>
using call_with_any =
    std::conditional_t<(evaluating::is_option<A> || ...), evaluating::call_of<A...>, plain_call>;

/// Whether the result, returned by value, takes memory from the heap.
template <class Types>
constexpr bool allocates_result() {
  if constexpr (std::is_void_v<typename Types::result>) {
    using e = typename Types::expression_type;
    using result = decltype(evaluating::result_type<e>(
        std::make_integer_sequence<int, e::text::result.count>{}));
    return !result::is_inline;
  } else {
    return false;
  }
}

/// The explanation of types alone: their open extents stay open.
template <class Types>
constexpr auto of_types(const capabilities& machine) {
  using e = typename Types::expression_type;
  using text = typename e::text;
  using program = std::remove_const_t<decltype(e::value)>;
  const problem<e::bounds>& p = e::planned();
  const auto lowered = lower<program>(p, e::plan, machine, true);
  auto out = explaining<e::bounds, e::bounds, program>(
                 text::said, text::names, text::text, p, e::plan,
                 lowered.feasible ? &lowered : nullptr, machine, e::bound.value.extent, true, true)
                 .run();
  if (lowered.feasible) {
    out.allocations = allocations_of(out, allocates_result<Types>());
  } else {
    out.when = planned::at_the_call_for_shape;
    out.allocations = -1;
  }
  return out;
}

/// Calls f<Types>() if the expression of S over the types is right, else stops the compiler.
template <literal S, class Call, class... X, class F>
constexpr auto checked(F f) {
  using types = typed<S, Call, X...>;
  using text = typename types::text;
  if constexpr (text::error.code != diagnosis::none) {
    diagnose<text, text::error>();
    return explanation<text::bounds>{};
  } else {
    using e = typename types::expression_type;
    if constexpr (e::error.code != diagnosis::none) {
      diagnose<text, e::error>();
      return explanation<text::bounds>{};
    } else {
      return f.template operator()<types>();
    }
  }
}

template <class A>
inline constexpr bool is_machine = std::is_same_v<A, capabilities>;
/// Stands for the machine where the kinds of arguments are looked at.
struct machine_option {};

template <class A>
inline constexpr bool may_follow_text =
    evaluating::is_option<A> || is_machine<A> || std::is_same_v<A, path_options>;

/// As check_call, of the arguments of explain<S>.
template <literal S, bool Into, class... A>
constexpr diagnostic check_call() {
  return evaluating::check_call<S, Into, std::conditional_t<is_machine<A>, machine_option, A>...>();
}

/// The machine among the arguments, or `otherwise`.
template <class... A>
constexpr capabilities machine_of(const capabilities& otherwise, const A&... args) {
  capabilities found = otherwise;
  (
      [&] {
        if constexpr (is_machine<A>) found = args;
      }(),
      ...);
  return found;
}

/// The operands among the arguments; returns how many.
template <class... A>
int list_operands(run_time_operand* to, const A&... args) {
  int count = 0;
  (
      [&] {
        if constexpr (run_time_tensor<A>) tell_operand(to[count++], args);
      }(),
      ...);
  return count;
}

/// Explains a call whose subscripts are a string.
template <bool Into, class... A>
explanation<large_limits> of_string(std::string_view text, const operand_shape<max_rank>* output,
                                    const A&... args) {
  static_assert(((run_time_tensor<A> || may_follow_text<A>)&&...),
                "tenfold: explain takes what einsum takes, and the capabilities of a machine: an "
                "argument is none of that; into(y) comes first");
  evaluating::check_run_time_arguments<Into, false,
                                       std::conditional_t<is_machine<A>, machine_option, A>...>(
      text);
  run_time_operand inputs[sizeof...(A) + 1];
  explained_call call{text, inputs};
  call.count = list_operands(inputs, args...);
  call.output = output;
  call.settings = {evaluating::alpha_of(args...), evaluating::beta_of(args...),
                   evaluating::bind_options_of<A...>(), evaluating::path_options_of<A...>()};
  (
      [&] {
        if constexpr (std::is_same_v<A, path_options>) call.settings.path = args;
      }(),
      ...);
  if constexpr ((is_machine<A> || ...)) {
    return explain_operands(call, machine_of({}, args...));
  } else {
    return explain_operands(call);
  }
}

/// Explains a call whose subscripts are a literal; X... are the types of the operands in `args`.
template <class Types, class Call, class... X, class... A>
explanation<large_limits> of_literal(const operand_shape<max_rank>* output, const A&... args) {
  using e = typename Types::expression_type;
  run_time_operand inputs[sizeof...(A)];
  const operand_shape<max_rank> typed_inputs[] = {static_shape_of<const X, max_rank>()...};
  operand_shape<max_rank> typed_output;
  if constexpr (!std::is_void_v<typename Types::result>) {
    typed_output = static_shape_of<typename Types::result, max_rank>();
  }
  explained_call call{e::text::text, inputs};
  call.count = list_operands(inputs, args...);
  call.output = output;
  call.settings = {evaluating::alpha_of(args...), evaluating::beta_of(args...),
                   evaluating::bind_options_of<A...>(), evaluating::path_options_of<A...>()};
  call.scaled = Call::scaled;
  call.typed_inputs = typed_inputs;
  call.typed_output = output == nullptr ? nullptr : &typed_output;
  call.allocates_result = allocates_result<Types>();
  return explain_operands(call, machine_of(cpu::static_capabilities, args...));
}

}  // namespace explaining_front

template <>
inline constexpr evaluating::argument_kind
    evaluating::kind_of_argument<explaining_front::machine_option> =
        evaluating::argument_kind::machine;

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
  return explaining_front::checked<S, plain_call, X...>(
      [&]<class Types>() { return explaining_front::of_types<Types>(machine); });
}

/// Explains einsum<S>(args...): the operands, and behind them, in any order, what einsum takes
/// there and the capabilities of the machine (by default, what this file is compiled for).
///
///   std::cout << explain<"eij,ej->ei">(A, u);
///
/// Throws as einsum.
template <literal S, class... A>
auto explain(const A&... args) {
  constexpr diagnostic wrong = explaining_front::check_call<S, false, A...>();
  if constexpr (wrong.code != diagnosis::none) {
    diagnose<subscripts<S>, wrong>();
    return explanation<large_limits>{};
  } else {
    using call = explaining_front::call_with_any<A...>;
    return evaluating::with_operands(
        [&]<class... Operand>(const Operand&...) {
          return explaining_front::checked<S, call, Operand...>([&]<class Types>() {
            return explaining_front::of_literal<Types, call, Operand...>(nullptr, args...);
          });
        },
        args...);
  }
}
template <literal S, class Y, class... A>
auto explain(destination<Y> y, const A&... args) {
  constexpr diagnostic wrong = explaining_front::check_call<S, true, A...>();
  if constexpr (wrong.code != diagnosis::none) {
    diagnose<subscripts<S>, wrong>();
    return explanation<large_limits>{};
  } else {
    using call = explaining_front::call_with_any<A...>;
    const auto output = shape_of<max_rank>(y.tensor);
    return evaluating::with_operands(
        [&]<class... Operand>(const Operand&...) {
          return explaining_front::checked<S, call, destination<Y>, Operand...>([&]<class Types>() {
            return explaining_front::of_literal<Types, call, Operand...>(&output, args...);
          });
        },
        args...);
  }
}

/// Explains einsum(text, args...), whose plan is made at the call, on the best instruction set of
/// the CPU if no machine is given. Throws as einsum.
template <class... A>
explanation<large_limits> explain(std::string_view text, const A&... args) {
  return explaining_front::of_string<false>(text, nullptr, args...);
}
template <class Y, class... A>
explanation<large_limits> explain(std::string_view text, destination<Y> y, const A&... args) {
  const auto output = run_time_shape(y.tensor);
  return explaining_front::of_string<true>(text, &output, args...);
}

}  // namespace tenfold
