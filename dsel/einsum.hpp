#pragma once

#include <tenfold/backend/cpu/run_static.hpp>
#include <tenfold/contraction/bind.hpp>
#include <tenfold/contraction/expand.hpp>
#include <tenfold/contraction/lower.hpp>
#include <tenfold/contraction/make_plan.hpp>
#include <tenfold/dsel/canonical.hpp>
#include <tenfold/dsel/diagnose.hpp>
#include <tenfold/dsel/literal.hpp>
#include <tenfold/dsel/options.hpp>
#include <tenfold/dsel/parse.hpp>
#include <tenfold/dsel/run_time.hpp>

/// einsum<"ij,jk->ik">(A, B): the subscripts are read, planned and lowered by the compiler.
namespace tenfold {

/// Subscripts as read; a type, so that each text is read once. With an ellipsis, for operands of the
/// given ranks; without, no ranks are given.
template <literal S, int... Ranks>
class subscripts {
  static constexpr int ranks[sizeof...(Ranks) + 1] = {Ranks...};

 public:
  static constexpr std::string_view text = S.view();
  static constexpr limits bounds = limits_of(S.view(), ranks, static_cast<int>(sizeof...(Ranks)));

 private:
  static constexpr auto read = [] {
    const parse_result<bounds> parsed = parse<bounds>(S.view());
    expand_result<bounds> result{parsed.value, parsed.names, parsed.error};
    if (!parsed.error && parsed.value.has_ellipsis && sizeof...(Ranks) > 0) {
      result = expand<bounds>(parsed.value, parsed.names, ranks, static_cast<int>(sizeof...(Ranks)));
    }
    return result;
  }();

 public:
  static constexpr const statements<bounds>& said = read.value;
  static constexpr const label_names<bounds>& names = read.names;
  static constexpr const diagnostic& error = read.error;
  static constexpr const label_list<bounds.rank>& result = said.list[said.count - 1].result;

  /// The labels of the operands.
  static constexpr auto operands = [] {
    std::array<label_list<bounds.rank>, static_cast<std::size_t>(bounds.operands)> labels{};
    for (int s = 0; s < said.count; ++s) {
      for (int f = 0; f < said.list[s].factor_count; ++f) {
        const auto& factor = said.list[s].factors[f];
        if (factor.source < said.input_count) {
          labels[static_cast<std::size_t>(factor.source)] = factor.labels;
        }
      }
    }
    return labels;
  }();
};

namespace evaluating {

template <literal S, class... X>
constexpr auto text_for() {
  if constexpr (subscripts<S>::said.has_ellipsis) {
    return subscripts<S, operand_traits_of<X>::rank...>{};
  } else {
    return subscripts<S>{};
  }
}

}  // namespace evaluating

/// What is read of S over operands of the types X....
template <literal S, class... X>
using subscripts_over = decltype(evaluating::text_for<S, X...>());

/// What the options of a call are to the compiler.
struct plain_call {
  static constexpr bool scaled = false;  ///< alpha or beta is given
  static constexpr bool twins = false;   ///< operands that look like one are one
  static constexpr bind_options binding{};
  static constexpr path_options path{};
};
struct scaled_call : plain_call {
  static constexpr bool scaled = true;
};
template <bool Scaled, class... Options>
struct call_with {
  static constexpr bool scaled = Scaled;
  static constexpr bool twins = false;
  static constexpr bind_options binding = evaluating::bind_options_of<Options...>();
  static constexpr path_options path = evaluating::path_options_of<Options...>();
};

/// The same call where every operand that could be an earlier one is it.
template <class Call>
struct with_twins : Call {
  static constexpr bool twins = true;
};

/// Subscripts over operands of the types X..., into a Y (void: into a new tensor). All of planning
/// happens in the initialisers; a member that is not used costs nothing.
template <literal S, class Call, class Y, class... X>
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

  /// Operands alike in all that is known of them, under the same labels.
  template <class Problem>
  static constexpr void mark_twins(Problem& p) {
    for (std::uint8_t o = 1; o < p.input_count; ++o) {
      for (std::uint8_t before = 0; before < o && p.twin[o] == o; ++before) {
        if (p.inputs[o] == p.inputs[before]) p.twin[o] = before;
      }
    }
  }

 public:
  using text = subscripts_over<S, X...>;
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
    constexpr int count = sizeof...(X);
    const auto bound_to = [&](const operand_shape<rank>* y) {
      auto result =
          bind<bounds, rank>(text::said, text::names, shapes, count, y, Call::binding);
      if (Call::twins) mark_twins(result.value);
      return result;
    };
    if constexpr (std::is_void_v<Y>) {
      return bound_to(nullptr);
    } else {
      const operand_shape<rank> y = static_shape_of<Y, rank>();
      return bound_to(&y);
    }
  }();
  static constexpr contraction_plan<bounds> plan = make_plan<bounds>(bound.value, Call::path);
  /// The program; also what run_static asks of its type.
  static constexpr static_program<bounds> value =
      lower<static_program<bounds>>(bound.value, plan, cpu::static_capabilities, !Call::scaled);

  /// What is wrong, if anything is.
  static constexpr diagnostic error = [] {
    if constexpr (bound.error.code != diagnosis::none) {
      return bound.error;
    } else {
      return plan.found ? diagnostic{} : diagnostic{diagnosis::no_path};
    }
  }();

  /// In what everything is computed.
  using scalar_type = cpu::entry_type<bound.value.type>;

  /// Whether every extent is part of a type.
  static constexpr bool is_static =
      !some_extent_is(bound.value, dyn) && (all_static<X>() && ...) && all_static<Y>();

  /// Whether a label is known to have no values: the sum is empty, or so is the result.
  static constexpr bool is_empty = tenfold::is_empty(bound.value);

  /// Whether sub-contractions might be shared between the terms of a sum, were operands that look
  /// alike the same.
  static constexpr bool may_have_twins = [] {
    if constexpr (text::said.count == 1 || Call::twins) {
      return false;
    } else {
      problem<bounds> p = bound.value;
      mark_twins(p);
      return !(p == bound.value);
    }
  }();

  /// Labels along which an operand of one entry may be repeated.
  static constexpr label_set stretchable =
      Call::binding.numpy_semantics ? ~label_set{0} : text::said.stretchable;
};

namespace evaluating {

/// The extents of the labels in one call.
template <class E>
struct known_extents {
  index of[E::bounds.labels] = {};
  bool fits = true;
  label_set ones = 0;       ///< stretchable labels along which some operand has one entry
  label_set stretched = 0;  ///< of these, those where the compiler did not know

  [[gnu::always_inline]] known_extents() {
    for (int l = 0; l < E::bound.value.label_count; ++l) of[l] = E::bound.value.extent[l];
  }

  /// Compares the extents of one operand with those of its labels, learning the unknown ones.
  template <class X>
  [[gnu::always_inline]] void learn(const label_list<E::bounds.rank>& labels, const X& x,
                                    bool is_result = false) {
    using traits = operand_traits_of<const X>;
    for (int i = 0; i < traits::rank; ++i) {
      const index given = traits::extent(x, i);
      const int label = labels[i];
      if constexpr (E::stretchable != 0) {
        if (!is_result && given == 1 && contains(E::stretchable, label)) {
          ones |= bit(label);
          for (int j = 0; j < traits::rank; ++j) {  // a diagonal has one extent
            fits = fits && (labels[j] != label || traits::extent(x, j) == 1);
          }
          const bool known = traits::static_extents[static_cast<std::size_t>(i)] != dyn;
          if (!known) stretched |= bit(label);
          continue;
        }
      }
      if (of[label] == dyn) of[label] = given;
      fits = fits && of[label] == given;
    }
  }

  /// When all inputs have been seen: where every operand has one entry, nothing is repeated.
  [[gnu::always_inline]] void settle() {
    if constexpr (E::stretchable != 0) {
      for (int l = 0; l < E::bound.value.label_count; ++l) {
        if (!contains(ones, l)) continue;
        if (of[l] == dyn) of[l] = 1;
        if (of[l] == 1) stretched &= ~bit(l);
      }
    }
  }
};

/// Whether the operands that look alike are the same.
template <class Twins, class... X>
[[gnu::always_inline]] inline bool twins_are_one(const X&... x) {
  const void* const data[] = {operand_traits_of<const X>::data(x)...};
  bool one = true;
  for (int o = 0; o < Twins::bound.value.input_count; ++o) {
    one = one && data[o] == data[Twins::bound.value.twin[o]];
  }
  if (!one || Twins::is_static) return one;
  const run_time_operand given[] = {run_time_operand_of(x)...};
  for (int o = 0; o < Twins::bound.value.input_count; ++o) {
    one = one && given[o].shape == given[Twins::bound.value.twin[o]].shape;
  }
  return one;
}

template <class E, class... X>
[[gnu::always_inline]] inline known_extents<E> learn_all(const X&... x) {
  known_extents<E> known;
  std::size_t o = 0;
  (known.learn(E::text::operands[o++], x), ...);
  known.settle();
  return known;
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
    if (traits::extent(x, i) == 0) {
      low = high = 0;
      break;
    }
    const index reach = (traits::extent(x, i) - 1) * traits::stride(x, i);
    (reach < 0 ? low : high) += reach;
  }
  const auto* data = reinterpret_cast<const char*>(traits::data(x));
  constexpr auto size = static_cast<index>(sizeof(typename traits::scalar_t));
  return {data + low * size, data + high * size};
}

/// Throws the sentence of a call whose operands do not fit together.
template <class Call, class... X>
[[gnu::noinline, gnu::cold]] void complain(std::string_view text, const operand_shape<max_rank>* y,
                                           const X&... x) {
  const run_time_operand inputs[] = {run_time_operand_of(x)...};
  check(text, inputs, static_cast<int>(sizeof...(X)), y, Call::binding);
}

/// Throws overlap_error unless the operands are proved to lie apart from y.
template <class Y, class... X>
[[gnu::noinline, gnu::cold]] void look_for_overlap(std::string_view text, const Y& y,
                                                   const X&... x) {
  const run_time_operand inputs[] = {run_time_operand_of(x)...};
  require_disjoint(text, inputs, sizeof...(X), shape_of<max_rank>(y),
                   operand_traits_of<const Y>::data(y));
}

/// Evaluates what only the call tells enough of.
template <class Y, class... X>
[[gnu::noinline]] void evaluate_operands(std::string_view text, const call_settings& settings, Y& y,
                                         const X&... x) {
  const run_time_operand inputs[] = {run_time_operand_of(x)...};
  evaluate(text, inputs, sizeof...(X), shape_of<max_rank>(y), operand_traits_of<Y>::data(y),
           settings);
}

template <class T, class Factor>
[[gnu::always_inline]] inline T factor_as(Factor f) {
  if constexpr (is_complex(scalar_of<T>)) {
    using real = typename T::value_type;
    return T(static_cast<real>(f.re), static_cast<real>(f.im));
  } else {
    return static_cast<T>(f.re);
  }
}

/// y := alpha * S(x...) + beta * y for operands that have been checked. `as_planned`: no operand is
/// repeated where the compiler did not know.
template <class E, class Call, class Y, class... X>
[[gnu::always_inline]] inline void run(std::string_view text, const index* extents,
                                       bool as_planned, Y& y, alpha_factor alpha, beta_factor beta,
                                       const X&... x) {
  using T = typename E::scalar_type;
  if constexpr (Call::scaled) {
    if (!is_complex(scalar_of<T>) && (alpha.im != 0 || beta.im != 0)) {
      throw_diagnostic({diagnosis::complex_factor}, text);
    }
    if (is_zero(alpha)) return scale(shape_of<max_rank>(y), operand_traits_of<Y>::data(y), beta);
  }
  if constexpr (E::is_empty) {
    return scale(shape_of<max_rank>(y), operand_traits_of<Y>::data(y), beta);
  } else {
    if constexpr (E::value.feasible) {
      if (E::stretchable == 0 || as_planned) [[likely]] {
        const void* const inputs[] = {operand_traits_of<const X>::data(x)...};
        const program_arguments<T> args{inputs, operand_traits_of<Y>::data(y), extents,
                                        factor_as<T>(alpha), factor_as<T>(beta)};
        return cpu::run_static<E, Call::scaled>(args);
      }
    }
    if constexpr (!E::value.feasible || E::stretchable != 0) {
      evaluate_operands(text, {alpha, beta, Call::binding, Call::path}, y, x...);
    }
  }
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
  if constexpr (E::is_static) {
    result y;
    run<E, Call>(text, nullptr, true, y, alpha, {0}, x...);
    return y;
  } else {
    const known_extents<E> known = learn_all<E>(x...);
    if (!known.fits) complain<Call>(text, nullptr, x...);
    auto y = [&]<int... I>(std::integer_sequence<int, I...>) {
      std::array<index, sizeof...(I)> shape{known.of[list[I]]...};
      return result(typename result::extents_type(shape));
    }(std::make_integer_sequence<int, list.count>{});
    run<E, Call>(text, known.of, known.stretched == 0, y, alpha, {0}, x...);
    return y;
  }
}

template <class E, class Call, class Y, class... X>
[[gnu::always_inline]] inline void in_place(std::string_view text, Y& y, alpha_factor alpha,
                                            beta_factor beta, const X&... x) {
  const auto separate = [&] {
    const address_range out = range_of(y);
    const auto meets = [&](const address_range& in) -> int {
      return in.first < out.last && out.first < in.last;
    };
    if ((meets(range_of(x)) | ...)) [[unlikely]] look_for_overlap(text, y, x...);
  };
  if constexpr (E::is_static) {
    separate();
    run<E, Call>(text, nullptr, true, y, alpha, beta, x...);
  } else {
    known_extents<E> known = learn_all<E>(x...);
    known.learn(E::text::result, y, true);
    if (!known.fits) {
      const auto shape = shape_of<max_rank>(y);
      complain<Call>(text, &shape, x...);
    }
    separate();
    run<E, Call>(text, known.of, known.stretched == 0, y, alpha, beta, x...);
  }
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

template <literal S, class Call, class... X>
[[gnu::always_inline]] inline auto checked_by_value(alpha_factor alpha, const X&... x) {
  using text = subscripts_over<S, X...>;
  if constexpr (text::error.code != diagnosis::none) {
    return diagnose<text, text::error>();
  } else {
    constexpr literal same = canonical<S, subscripts<S>>();
    using e = expression<same, Call, void, const X...>;
    if constexpr (e::error.code != diagnosis::none) {
      return diagnose<text, expression<S, Call, void, const X...>::error>();
    } else {
      if constexpr (e::may_have_twins) {
        using twins = expression<same, with_twins<Call>, void, const X...>;
        if (twins_are_one<twins>(x...)) return by_value<twins, Call>(S.view(), alpha, x...);
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
  } else {
    constexpr literal same = canonical<S, subscripts<S>>();
    using e = expression<same, Call, Y, const X...>;
    if constexpr (e::error.code != diagnosis::none) {
      diagnose<text, expression<S, Call, Y, const X...>::error>();
    } else {
      if constexpr (e::may_have_twins) {
        using twins = expression<same, with_twins<Call>, Y, const X...>;
        if (twins_are_one<twins>(x...)) {
          return in_place<twins, Call>(S.view(), y, alpha, beta, x...);
        }
      }
      in_place<e, Call>(S.view(), y, alpha, beta, x...);
    }
  }
}

/// What the options among the arguments are to the compiler; operands leave no trace.
template <class... A>
using call_of = std::conditional_t<
    (is_setting<A> || ...),
    call_with<((is_option<A> && !is_setting<A>) || ...),
              std::conditional_t<is_setting<A>, A, void>...>,
    scaled_call>;

}  // namespace evaluating

/// Einstein summation: y[output labels] = sum over all other labels of the product of the operands.
///
///   auto C = einsum<"ij,jk->ik">(A, B);
///   auto r = einsum<"ij,j - i -> i">(A, x, b);
///
/// Returns a new row-major tensor whose extents are static where the operands' are; without an
/// output label a tensor of rank 0, which converts to its entry. Operands: tensors, views and
/// whatever `tensor_like` knows, of one precision, real or complex; any strides. The result is
/// complex if an operand is. Behind the operands, in any order: `alpha(value)`, `numpy_semantics`,
/// `accumulate<T>`, `optimize<path_options>`. Throws shape_error when run-time extents of a label
/// differ; everything that the types tell is checked by the compiler.
template <literal S, tensor_like... X>
  requires(sizeof...(X) > 0)
auto einsum(const X&... x) {
  return evaluating::checked_by_value<S, plain_call>({1}, x...);
}
template <literal S, class... A>
  requires(!(tensor_like<A> && ...))
auto einsum(const A&... args) {
  constexpr diagnostic wrong = evaluating::check_arguments<false, A...>();
  if constexpr (wrong.code != diagnosis::none) {
    return diagnose<subscripts<S>, wrong>();
  } else {
    return evaluating::with_operands(
        [&](const auto&... x) {
          return evaluating::checked_by_value<S, evaluating::call_of<A...>>(
              evaluating::alpha_of(args...), x...);
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
  evaluating::checked_in_place<S, plain_call>(y.tensor, {1}, {0}, x...);
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
          evaluating::checked_in_place<S, evaluating::call_of<A...>>(
              y.tensor, evaluating::alpha_of(args...), evaluating::beta_of(args...), x...);
        },
        args...);
  }
}

/// What can stand as an operand of a call with run-time subscripts.
template <class X>
concept run_time_tensor = requires(const X& x) { run_time_operand_of(x); };

namespace evaluating {

/// The arguments of a call with run-time subscripts, sorted.
template <class... A>
struct run_time_call {
  static_assert(((run_time_tensor<A> || is_option<A> || std::is_same_v<A, path_options> ||
                  std::is_same_v<A, sublist>) &&
                 ...),
                "tenfold: an argument is neither an operand nor an option");

  run_time_operand inputs[sizeof...(A) + 1];
  int count = 0;
  call_settings settings;

  explicit run_time_call(const A&... args)
      : settings{alpha_of(args...), beta_of(args...), bind_options_of<A...>(),
                 path_options_of<A...>()} {
    ([&] {
      if constexpr (run_time_tensor<A>) inputs[count++] = run_time_operand_of(args);
      if constexpr (std::is_same_v<A, path_options>) settings.path = args;
    }(), ...);
  }
};

/// The scalar of a result by value.
template <class... A>
constexpr scalar result_scalar() {
  constexpr bind_options asked = bind_options_of<A...>();
  bool complex = false, wide = asked.accumulates && asked.accumulate == scalar::f64;
  ([&] {
    if constexpr (run_time_tensor<A>) {
      complex = complex || is_complex(scalar_of<entry<A>>);
      wide = wide || real_of(scalar_of<entry<A>>) == scalar::f64;
    }
  }(), ...);
  return binding::with_precision(wide ? scalar::f64 : scalar::f32, complex);
}

template <class... A>
auto by_text(std::string_view text, const A&... args) {
  const run_time_call<A...> call(args...);
  dynamic_tensor<cpu::entry_type<result_scalar<A...>()>> y(
      result_shape(text, call.inputs, call.count, call.settings.binding));
  evaluate(text, call.inputs, call.count, y.shape(), y.data(), call.settings);
  return y;
}
template <class Y, class... A>
void by_text_into(std::string_view text, destination<Y> y, const A&... args) {
  const run_time_call<A...> call(args...);
  evaluate(text, call.inputs, call.count, shape_of<max_rank>(y.tensor),
           operand_traits_of<Y>::data(y.tensor), call.settings);
}

}  // namespace evaluating

/// Einstein summation with subscripts that are known only when the program runs; the same parser,
/// planner and programs, planned anew in each call (`plan` keeps what was planned). Returns a tensor
/// of run-time rank.
///
///   auto C = einsum("ij,jk->ik", A, B);   double s = C(0, 1);   auto view = C.as<dyn, dyn>();
///
/// Behind the operands as for a literal; a path_options is an option too. Throws subscript_error or
/// shape_error with one sentence that names label and position.
template <run_time_tensor X, class... A>
auto einsum(std::string_view text, const X& x, const A&... args) {
  return evaluating::by_text(text, x, args...);
}

/// The same into a destination, with alpha and beta behind the operands:
///   einsum("eij,ej->ei", into(y), A, u, alpha(2.0), beta(1.0));
template <class Y, class... A>
void einsum(std::string_view text, destination<Y> y, const A&... args) {
  evaluating::by_text_into(text, y, args...);
}

}  // namespace tenfold
