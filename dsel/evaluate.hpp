#pragma once

#include <tenfold/dsel/canonical.hpp>
#include <tenfold/dsel/diagnose.hpp>
#include <tenfold/dsel/expression.hpp>
#include <tenfold/dsel/run_time.hpp>

/// One call of a literal: what only the call tells is learnt and checked, then the program runs.
namespace tenfold::evaluating {

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

}  // namespace tenfold::evaluating
