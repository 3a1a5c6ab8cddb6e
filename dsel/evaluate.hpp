#pragma once

#include <cstdint>
#include <tenfold/dsel/batched_product.hpp>
#include <tenfold/dsel/call_form.hpp>
#include <tenfold/dsel/canonical.hpp>
#include <tenfold/dsel/diagnose.hpp>
#include <tenfold/dsel/expression.hpp>
#include <tenfold/dsel/run_time.hpp>
#include <tenfold/dsel/strided_copies.hpp>

/// One call of a literal: what only the call tells is learnt and checked, then the program runs.
namespace tenfold::evaluating {

/// Whether the operands that look alike are the same.
template <class Twins, class... X>
[[gnu::always_inline]] inline bool twins_are_one(const X&... x) {
  const void* const data[] = {operand_traits_of<const X>::data(x)...};
  bool one = true;
  for (int o = 0; o < Twins::bound.value.input_count; ++o) {
    one = one && data[o] == data[Twins::bound.value.twin[o]];
  }
  if (!one || form_of_call<Twins, false, X...>::data.number_count == 0) return one;
  const run_time_operand given[] = {run_time_operand_of(x)...};
  for (int o = 0; o < Twins::bound.value.input_count; ++o) {
    one = one && given[o].shape == given[Twins::bound.value.twin[o]].shape;
  }
  return one;
}

/// Whether an operand whose type tells its extents has entries, but a null address.
template <class X>
[[gnu::always_inline]] inline bool lacks_memory(const X& x) {
  using traits = operand_traits_of<const X>;
  constexpr bool may_lack = !is_held<X> && [] {
    for (const index n : traits::static_extents) {
      if (n == 0) return false;
    }
    return true;
  }();
  return may_lack && traits::data(x) == nullptr;
}
template <class... Lacks>
[[noreturn, gnu::noinline, gnu::cold]] void throw_null(std::string_view text, Lacks... lacks) {
  const bool of[] = {lacks...};
  int o = 0;
  while (!of[o]) ++o;
  throw_diagnostic({diagnosis::null_operand, -1, 0, {o}}, text);
}

/// Whether x, operand O, whose type tells all, touches bytes of the output y behind the N inputs.
/// Of two objects that hold their entries that is one comparison, and none of two types (2 x 2
/// times 2 x 2, Emerald Rapids: 1.7 times the rate that comparing spans and asking for null
/// leaves).
template <class Form, std::size_t O, std::size_t N, class X, class Y>
[[gnu::always_inline]] inline bool meets(const X& x, const Y& y) {
  constexpr const byte_span &from = Form::data.operands[O].span, &to = Form::data.operands[N].span;
  const auto in = reinterpret_cast<std::uintptr_t>(operand_traits_of<const X>::data(x)),
             out = reinterpret_cast<std::uintptr_t>(operand_traits_of<const Y>::data(y));
  if constexpr (from.empty || to.empty) {
    return false;
  } else if constexpr (is_held<X> && is_held<Y>) {
    return std::is_same_v<X, Y> && in == out;
  } else {
    // [in + from.low, in + from.high) and [out + to.low, out + to.high) meet: 0 < end of one -
    // begin of the other < both lengths.
    constexpr auto lengths = static_cast<std::uintptr_t>(from.high - from.low + to.high - to.low);
    return in - out + static_cast<std::uintptr_t>(from.high - to.low) - 1 < lengths - 1;
  }
}

/// y := alpha * S(x...) + beta * y for operands that have been admitted. `as_planned`: no operand
/// is repeated where the compiler did not know.
template <class E, class Call, class Y>
[[gnu::always_inline]] inline void run(const call_form& form, std::string_view text,
                                       const call_numbers& numbers, const index* extents,
                                       bool as_planned, Y& y, alpha_factor alpha,
                                       beta_factor beta) {
  using T = typename E::scalar_type;
  if constexpr (Call::scaled) {
    if (!is_complex(scalar_of<T>) && (alpha.im != 0 || beta.im != 0)) {
      throw_diagnostic({diagnosis::complex_factor}, text);
    }
    if (is_zero(alpha)) {
      // What only the library can check, it checks where nothing is computed, too.
      if constexpr (!E::is_empty) {
        if constexpr (!E::value.feasible || E::stretchable != 0) {
          return evaluate_admitted(form, text, numbers, shape_of<max_rank>(y),
                                   operand_traits_of<Y>::data(y),
                                   {alpha, beta, Call::binding, Call::path});
        }
      }
      return scale(shape_of<max_rank>(y), operand_traits_of<Y>::data(y), beta);
    }
  }
  if constexpr (E::is_empty) {
    return scale(shape_of<max_rank>(y), operand_traits_of<Y>::data(y), beta);
  } else {
    if constexpr (E::value.feasible) {
      if (E::stretchable == 0 || as_planned) [[likely]] {
        const program_arguments<T> args{numbers.data, operand_traits_of<Y>::data(y), extents,
                                        factor_as<T>(alpha), factor_as<T>(beta)};
        return cpu::run_static<program_of<E>, Call::scaled>(args);
      }
    }
    if constexpr (!E::value.feasible || E::stretchable != 0) {
      evaluate_admitted(form, text, numbers, shape_of<max_rank>(y), operand_traits_of<Y>::data(y),
                        {alpha, beta, Call::binding, Call::path});
    }
  }
}

/// Admits a call whose types tell all. The addresses come by value: were their array handed over,
/// the smallest products, inline in the caller, would wait for its stores.
template <class E, class Form, class... Data>
[[gnu::noinline, gnu::cold]] void admit_closed(std::string_view text, Data... x) {
  const void* const data[] = {x...};
  index extents[E::bounds.labels];
  admit(Form::value, text, {data, nullptr}, extents);
}

/// Into y, the last operand.
template <class E, class Call, class Y, class... X>
[[gnu::always_inline]] inline void in_place(std::string_view text, Y& y, alpha_factor alpha,
                                            beta_factor beta, const X&... x) {
  using form = form_of_call<E, true, X..., Y>;
  constexpr std::size_t n = sizeof...(X);
  const void* const data[] = {operand_traits_of<const X>::data(x)...,
                              operand_traits_of<Y>::data(y)};
  index open[form::data.number_count + 1];
  index extents[E::bounds.labels];
  label_set stretched = 0;
  [&]<std::size_t... O>(std::index_sequence<O...>) __attribute__((always_inline)) {
    if constexpr (form::data.open_count == 0) {
      if ((lacks_memory(y) || ... || (lacks_memory(x) || meets<form, O, n>(x, y)))) [[unlikely]] {
        admit_closed<E, form>(text, data[O]..., data[n]);
      }
    } else {
      index* at = open;
      ((at = form::template tell<O>(x, at)), ...);
      form::template tell<n>(y, at);
      stretched = admit(form::value, text, {data, open}, extents);
    }
  }
  (std::index_sequence_for<X...>{});
  run<E, Call>(form::value, text, {data, open}, extents, stretched == 0, y, alpha, beta);
}

/// The type of the result: static extents stay static.
template <class E, int... I>
auto result_type(std::integer_sequence<int, I...>)
    -> tensor<typename E::scalar_type, E::bound.value.extent[E::text::result[I]]...>;

template <class E, class Call, class... X>
[[gnu::always_inline]] inline auto by_value(std::string_view text, alpha_factor alpha,
                                            const X&... x) {
  constexpr const auto& list = E::text::result;
  using result = decltype(result_type<E>(std::make_integer_sequence<int, list.count>{}));
  using form = form_of_call<E, false, X...>;
  const void* const data[] = {operand_traits_of<const X>::data(x)...};
  index open[form::data.number_count + 1];
  [&]<std::size_t... O>(std::index_sequence<O...>) __attribute__((always_inline)) {
    index* at = open;
    ((at = form::template tell<O>(x, at)), ...);
  }
  (std::index_sequence_for<X...>{});
  if constexpr (E::is_static) {
    if ((lacks_memory(x) || ...)) [[unlikely]]
      throw_null(text, lacks_memory(x)...);
    result y;
    run<E, Call>(form::value, text, {data, open}, nullptr, true, y, alpha, {0});
    return y;
  } else {
    index extents[E::bounds.labels];
    const label_set stretched = admit(form::value, text, {data, open}, extents);
    auto y = [&]<int... I>(std::integer_sequence<int, I...>) {
      std::array<index, sizeof...(I)> shape{extents[list[I]]...};
      return result(typename result::extents_type(shape));
    }
    (std::make_integer_sequence<int, list.count>{});
    run<E, Call>(form::value, text, {data, open}, extents, stretched == 0, y, alpha, {0});
    return y;
  }
}

/// What is wrong with the arguments of a call of S, before their types are looked into: with their
/// kinds and places, or that there is no operand.
template <literal S, bool Into, class... A>
constexpr diagnostic check_call() {
  diagnostic wrong = check_arguments<Into, A...>();
  if constexpr (!(tensor_like<A> || ...)) {
    if (!wrong) wrong = subscripts<S>::error;
    if (!wrong) wrong = {diagnosis::operand_count, -1, 0, {subscripts<S>::said.input_count, 0}};
  }
  return wrong;
}

/// Argument number I.
template <int I, class A, class... Rest>
[[gnu::always_inline]] constexpr const auto& pick(const A& a, const Rest&... rest) {
  if constexpr (I == 0) {
    return a;
  } else {
    return pick<I - 1>(rest...);
  }
}

/// Passes the operands among `args` to f.
template <class... A, class F>
[[gnu::always_inline]] inline auto with_operands(F f, const A&... args) {
  constexpr int n = (static_cast<int>(tensor_like<A>) + ...);
  return [&]<int... I>(std::integer_sequence<int, I...>) { return f(pick<I>(args...)...); }
  (std::make_integer_sequence<int, n>{});
}

/// Whether the call runs as gemm() does. What is wrong in the types is told of the expression: for
/// that its operands count as tensors that have strides.
template <literal S, class Call, class Y, class... X>
constexpr bool is_one_product() {
  using text = subscripts_over<S, X...>;
  if constexpr (std::is_void_v<Y>) {
    if constexpr (is_batched_product<text, Call, X...>)
      return expression<S, Call, void, strided_type<X>...>::error.code == diagnosis::none;
  } else {
    if constexpr (is_batched_product<text, Call, X..., Y>)
      return expression<S, Call, std::remove_const_t<strided_type<Y>>, strided_type<X>...>::error
                 .code == diagnosis::none;
  }
  return false;
}

template <literal S, class Call, class... X>
[[gnu::always_inline]] inline auto checked_by_value(alpha_factor alpha, const X&... x) {
  using text = subscripts_over<S, X...>;
  if constexpr (text::error.code != diagnosis::none) {
    return diagnose<text, text::error>();
  } else if constexpr (is_one_product<S, Call, void, const X...>()) {
    return product_of_batches<text>(alpha, x...);
  } else if constexpr (!all_strided<const X...> && all_on_host<const X...>) {
    require_operand_memory(S.view(), x...);
    return checked_by_value<S, Call>(alpha, with_strides(x)...);
  } else {
    constexpr literal same = canonical<S, subscripts<S>>();
    using e = expression<same, Call, void, const X...>;
    if constexpr (e::error.code != diagnosis::none) {
      return diagnose<text, expression<S, Call, void, const X...>::error>();
    } else {
      if constexpr (e::may_have_twins) {
        using twins = expression<same, with_twins<Call>, void, const X...>;
        if constexpr (twins::error.code == diagnosis::none) {
          if (twins_are_one<twins>(x...)) return by_value<twins, Call>(S.view(), alpha, x...);
        }
      }
      return by_value<e, Call>(S.view(), alpha, x...);
    }
  }
}
template <literal S, class Call, class Y, class... X>
[[gnu::always_inline]] inline void checked_in_place(Y& y, alpha_factor alpha, beta_factor beta,
                                                    const X&... x) {
  using text = subscripts_over<S, X...>;
  if constexpr (text::error.code != diagnosis::none) {
    diagnose<text, text::error>();
  } else if constexpr (is_one_product<S, Call, Y, const X...>()) {
    multiply_batches<text>(y, alpha, beta, x...);
  } else if constexpr (lacks_strides<Y>) {
    require_real_beta<Y>(text::text, beta);
    require_operand_memory(S.view(), x...);
    require_output_memory(S.view(), y);
    by_way_of_strides(y, beta, [&](auto& z, beta_factor b) {
      checked_in_place<S, Call>(z, alpha, b, with_strides(x)...);
    });
  } else if constexpr (!all_strided<const X...> && all_on_host<const X...>) {
    require_operand_memory(S.view(), x...);
    checked_in_place<S, Call>(y, alpha, beta, with_strides(x)...);
  } else {
    constexpr literal same = canonical<S, subscripts<S>>();
    using e = expression<same, Call, Y, const X...>;
    if constexpr (e::error.code != diagnosis::none) {
      diagnose<text, expression<S, Call, Y, const X...>::error>();
    } else {
      if constexpr (e::may_have_twins) {
        using twins = expression<same, with_twins<Call>, Y, const X...>;
        if constexpr (twins::error.code == diagnosis::none) {
          if (twins_are_one<twins>(x...))
            return in_place<twins, Call>(S.view(), y, alpha, beta, x...);
        }
      }
      in_place<e, Call>(S.view(), y, alpha, beta, x...);
    }
  }
}

/// What the options among the arguments are to the compiler; operands leave no trace.
template <class... A>
using call_of = std::conditional_t<(is_setting<A> || ...),
                                   call_with<((is_option<A> && !is_setting<A>) || ...),
                                             std::conditional_t<is_setting<A>, A, void>...>,
                                   scaled_call>;

}  // namespace tenfold::evaluating
