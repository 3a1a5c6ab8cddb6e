#pragma once

#include <tenfold/backend/cpu/run_static.hpp>
#include <tenfold/contraction/bind.hpp>
#include <tenfold/contraction/lower.hpp>
#include <tenfold/contraction/make_plan.hpp>
#include <tenfold/dsel/diagnose.hpp>
#include <tenfold/dsel/literal.hpp>
#include <tenfold/dsel/options.hpp>
#include <tenfold/dsel/parse.hpp>
#include <tenfold/dsel/run_time.hpp>

/// einsum<"ij,jk->ik">(A, B): the subscripts are read, planned and lowered by the compiler.
namespace tenfold {

/// Subscripts as read; a type, so that each text is parsed once.
template <literal S>
struct subscripts {
  static constexpr std::string_view text = S.view();
  static constexpr limits bounds = limits_of(S.view());
  static constexpr parse_result<bounds> parsed = parse<bounds>(S.view());
  static constexpr const statement<bounds>& list = parsed.value.list[0];
};

/// Subscripts over operands of the types X..., into a Y (void: into a new tensor). All of planning
/// happens in the initialisers; a member that is not used costs nothing.
template <literal S, bool Scaled, class Y, class... X>
class expression {
  template <class Z>
  static constexpr bool all_static() {
    if constexpr (!std::is_void_v<Z>) {
      for (const index e : operand_traits_of<Z>::static_extents) {
        if (e == dyn) return false;
      }
    }
    return true;
  }
  template <class Z>
  static constexpr int rank_of() {
    if constexpr (std::is_void_v<Z>) {
      return 0;
    } else {
      return operand_traits_of<Z>::rank;
    }
  }

 public:
  using text = subscripts<S>;
  static constexpr limits bounds = text::bounds;
  /// The highest rank that is given, right or wrong: to be told, it must first be held.
  static constexpr int rank = [] {
    int highest = bounds.rank;
    for (const int given : {rank_of<Y>(), rank_of<X>()...}) {
      if (given > highest) highest = given;
    }
    return highest;
  }();

  static constexpr bind_result<bounds> bound = [] {
    const operand_shape<rank> shapes[] = {static_shape_of<X, rank>()...};
    if constexpr (std::is_void_v<Y>) {
      return bind<bounds, rank>(text::parsed.value, text::parsed.names, shapes,
                                static_cast<int>(sizeof...(X)));
    } else {
      const operand_shape<rank> y = static_shape_of<Y, rank>();
      return bind<bounds, rank>(text::parsed.value, text::parsed.names, shapes,
                                static_cast<int>(sizeof...(X)), &y);
    }
  }();
  static constexpr contraction_plan<bounds> plan = make_plan<bounds>(bound.value);
  /// The program; also what run_static asks of its type.
  static constexpr static_program<bounds> value =
      lower<static_program<bounds>>(bound.value, plan, cpu::static_capabilities, !Scaled);

  /// Whether every extent is part of a type.
  static constexpr bool is_static =
      !some_extent_is(bound.value, dyn) && (all_static<X>() && ...) && all_static<Y>();

  /// Whether a label is known to have no values: the sum is empty, or so is the result.
  static constexpr bool is_empty = some_extent_is(bound.value, 0);
};

namespace evaluating {

/// Compares the extents of one operand with those of its labels, learning the unknown ones.
template <class X, int MaxRank>
[[gnu::always_inline]] constexpr bool learn(index* extents, const label_list<MaxRank>& labels,
                                            const X& x) {
  bool fits = true;
  for (int i = 0; i < operand_traits_of<const X>::rank; ++i) {
    const index given = operand_traits_of<const X>::extent(x, i);
    index& known = extents[labels[i]];
    if (known == dyn) known = given;
    fits = fits && known == given;
  }
  return fits;
}

/// First and last byte that an operand may touch.
struct address_range {
  const char* first;
  const char* last;
};
template <class X>
[[gnu::always_inline]] inline address_range range_of(const X& x) {
  using traits = operand_traits_of<const X>;
  index low = 0, high = 1;
  for (int i = 0; i < traits::rank; ++i) {
    const index reach = (traits::extent(x, i) - 1) * traits::stride(x, i);
    if (traits::extent(x, i) == 0) high = low = 0;
    (reach < 0 ? low : high) += reach;
  }
  const auto* data = reinterpret_cast<const char*>(traits::data(x));
  constexpr auto size = static_cast<index>(sizeof(typename traits::scalar_t));
  return {data + low * size, data + high * size};
}

/// Throws the sentence of a call whose operands do not fit together.
template <class... X>
[[gnu::noinline, gnu::cold]] void complain(std::string_view text, const operand_shape<max_rank>* y,
                                           const X&... x) {
  const run_time_operand inputs[] = {run_time_operand_of(x)...};
  check(text, inputs, static_cast<int>(sizeof...(X)), y);
}

/// y := alpha * S(x...) + beta * y for operands that have been checked.
template <class E, bool Scaled, class Y, class... X>
[[gnu::always_inline]] inline void run(const index* extents, Y& y, double alpha, double beta,
                                       const X&... x) {
  using T = typename operand_traits_of<Y>::scalar_t;
  if constexpr (Scaled) {
    if (alpha == 0) return scale(shape_of<max_rank>(y), operand_traits_of<Y>::data(y), beta);
  }
  if constexpr (E::is_empty) {
    scale(shape_of<max_rank>(y), operand_traits_of<Y>::data(y), beta);
  } else if constexpr (E::value.feasible) {
    const void* const inputs[] = {operand_traits_of<const X>::data(x)...};
    const program_arguments<T> args{inputs, operand_traits_of<Y>::data(y), extents,
                                    static_cast<T>(alpha), static_cast<T>(beta)};
    cpu::run_static<E, Scaled>(args);
  } else {
    const run_time_operand inputs[] = {run_time_operand_of(x)...};
    evaluate(E::text::text, inputs, sizeof...(X), shape_of<max_rank>(y),
             operand_traits_of<Y>::data(y), alpha, beta);
  }
}

/// The type of the result: static extents stay static.
template <class E, class T, int... I>
auto result_type(std::integer_sequence<int, I...>)
    -> tensor<T, E::bound.value.extent[E::text::list.result[I]]...>;

template <class E, class T, bool Scaled, class... X>
[[gnu::always_inline]] inline auto by_value(double alpha, const X&... x) {
  constexpr const auto& p = E::bound.value;
  constexpr const auto& list = E::text::list;
  using result = decltype(result_type<E, T>(std::make_integer_sequence<int, list.result.count>{}));
  index extents[E::bounds.labels] = {};
  if constexpr (E::is_static) {
    result y;
    run<E, Scaled>(extents, y, alpha, 0, x...);
    return y;
  } else {
    for (int l = 0; l < p.label_count; ++l) extents[l] = p.extent[l];
    int o = 0;
    bool fits = true;
    ((fits &= learn(extents, list.factors[o++].labels, x)), ...);
    if (!fits) complain<X...>(E::text::text, nullptr, x...);
    auto y = [&]<int... I>(std::integer_sequence<int, I...>) {
      std::array<index, sizeof...(I)> shape{extents[list.result[I]]...};
      return result(typename result::extents_type(shape));
    }(std::make_integer_sequence<int, list.result.count>{});
    run<E, Scaled>(extents, y, alpha, 0, x...);
    return y;
  }
}

template <class E, bool Scaled, class Y, class... X>
[[gnu::always_inline]] inline void in_place(Y& y, double alpha, double beta, const X&... x) {
  constexpr const auto& p = E::bound.value;
  constexpr const auto& list = E::text::list;
  index extents[E::bounds.labels] = {};
  if constexpr (!E::is_static) {
    for (int l = 0; l < p.label_count; ++l) extents[l] = p.extent[l];
    int o = 0;
    bool fits = true;
    ((fits &= learn(extents, list.factors[o++].labels, x)), ...);
    if (!learn(extents, list.result, y) || !fits) {
      const auto shape = shape_of<max_rank>(y);
      complain<X...>(E::text::text, &shape, x...);
    }
  }
  const address_range out = range_of(y);
  const auto meets = [&](const address_range& in) -> int {
    return in.first < out.last && out.first < in.last;
  };
  if ((meets(range_of(x)) | ...)) [[unlikely]] {
    const run_time_operand inputs[] = {run_time_operand_of(x)...};
    require_disjoint(E::text::text, inputs, sizeof...(X), shape_of<max_rank>(y),
                     operand_traits_of<Y>::data(y));
  }
  run<E, Scaled>(extents, y, alpha, beta, x...);
}

template <class X>
struct entry_of {
  using type = typename operand_traits_of<X>::scalar_t;
};
template <class T>
struct entry_of<dynamic_tensor<T>> {
  using type = T;
};
/// The scalar type of an operand's entries.
template <class X>
using entry = typename entry_of<X>::type;

template <class X, class...>
struct first {
  using scalar_t = entry<X>;
};

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
  return [&]<int... I>(std::integer_sequence<int, I...>) {
    return f(pick<I>(args...)...);
  }(std::make_integer_sequence<int, n>{});
}

template <literal S, bool Scaled, class... X>
[[gnu::always_inline]] inline auto checked_by_value(double alpha, const X&... x) {
  using text = subscripts<S>;
  if constexpr (text::parsed.error.code != diagnosis::none) {
    return diagnose<text, text::parsed.error>();
  } else {
    using e = expression<S, Scaled, void, const X...>;
    if constexpr (e::bound.error.code != diagnosis::none) {
      return diagnose<text, e::bound.error>();
    } else {
      return by_value<e, typename first<X...>::scalar_t, Scaled>(alpha, x...);
    }
  }
}
template <literal S, bool Scaled, class Y, class... X>
[[gnu::always_inline]] inline void checked_in_place(Y& y, double alpha, double beta,
                                                    const X&... x) {
  using text = subscripts<S>;
  if constexpr (text::parsed.error.code != diagnosis::none) {
    diagnose<text, text::parsed.error>();
  } else {
    using e = expression<S, Scaled, Y, const X...>;
    if constexpr (e::bound.error.code != diagnosis::none) {
      diagnose<text, e::bound.error>();
    } else {
      in_place<e, Scaled>(y, alpha, beta, x...);
    }
  }
}

}  // namespace evaluating

/// Einstein summation: y[output labels] = sum over all other labels of the product of the operands.
///
///   auto C = einsum<"ij,jk->ik">(A, B);
///
/// Returns a new row-major tensor whose extents are static where the operands' are; without an
/// output label a tensor of rank 0, which converts to its entry. `alpha` scales the result.
/// Operands: float or double, all alike; any strides. Throws shape_error when run-time extents of
/// a label differ; everything that the types tell is checked by the compiler.
template <literal S, tensor_like... X>
  requires(sizeof...(X) > 0)
auto einsum(const X&... x) {
  return evaluating::checked_by_value<S, false>(1, x...);
}
/// The same times alpha(value).
template <literal S, class... A>
  requires(!(tensor_like<A> && ...))
auto einsum(const A&... args) {
  constexpr diagnostic wrong = evaluating::check_arguments<false, A...>();
  if constexpr (wrong.code != diagnosis::none) {
    return diagnose<subscripts<S>, wrong>();
  } else {
    return evaluating::with_operands(
        [&](const auto&... x) {
          return evaluating::checked_by_value<S, true>(evaluating::alpha_of(args...).re, x...);
        },
        args...);
  }
}

/// The same into a destination: y = alpha * expression + beta * y.
///
///   einsum<"eij,ej->ei">(into(y), A, u, alpha(2.0), beta(1.0));
///
/// `beta` = 0 (the default) does not read y. Throws shape_error when run-time extents differ,
/// overlap_error when y overlaps an operand; y is then untouched.
template <literal S, class Y, tensor_like... X>
  requires(sizeof...(X) > 0)
void einsum(destination<Y> y, const X&... x) {
  evaluating::checked_in_place<S, false>(y.tensor, 1, 0, x...);
}
template <literal S, class Y, class... A>
  requires(!(tensor_like<A> && ...))
void einsum(destination<Y> y, const A&... args) {
  constexpr diagnostic wrong = evaluating::check_arguments<true, A...>();
  if constexpr (wrong.code != diagnosis::none) {
    diagnose<subscripts<S>, wrong>();
  } else {
    evaluating::with_operands(
        [&](const auto&... x) {
          evaluating::checked_in_place<S, true>(y.tensor, evaluating::alpha_of(args...).re,
                                                evaluating::beta_of(args...).re, x...);
        },
        args...);
  }
}

/// What can stand as an operand of a call with run-time subscripts.
template <class X>
concept run_time_tensor = requires(const X& x) { run_time_operand_of(x); };

/// Einstein summation with subscripts that are known only when the program runs; the same parser,
/// planner and programs, planned anew in each call. Returns a tensor of run-time rank.
///
///   auto C = einsum("ij,jk->ik", A, B);   double s = C(0, 1);   auto view = C.as<dyn, dyn>();
///
/// Throws subscript_error or shape_error with one sentence that names label and position.
template <run_time_tensor X, run_time_tensor... Rest>
auto einsum(std::string_view text, const X& x, const Rest&... rest) {
  const run_time_operand inputs[] = {run_time_operand_of(x), run_time_operand_of(rest)...};
  constexpr int count = 1 + static_cast<int>(sizeof...(Rest));
  using T = std::conditional_t<std::is_same_v<evaluating::entry<X>, float>, float, double>;
  dynamic_tensor<T> y(result_shape(text, inputs, count));
  evaluate(text, inputs, count, y.shape(), y.data(), 1, 0);
  return y;
}

/// The same into a destination, with alpha and beta behind the operands:
///   einsum("eij,ej->ei", into(y), A, u, alpha(2.0), beta(1.0));
template <class Y, class... A>
void einsum(std::string_view text, destination<Y> y, const A&... args) {
  static_assert(((run_time_tensor<A> || evaluating::is_option<A>) && ...),
                "tenfold: an argument is neither an operand nor an option");
  run_time_operand inputs[sizeof...(A)];
  int count = 0;
  ([&] {
    if constexpr (run_time_tensor<A>) inputs[count++] = run_time_operand_of(args);
  }(), ...);
  evaluate(text, inputs, count, shape_of<max_rank>(y.tensor), operand_traits_of<Y>::data(y.tensor),
           evaluating::alpha_of(args...).re, evaluating::beta_of(args...).re);
}

}  // namespace tenfold
