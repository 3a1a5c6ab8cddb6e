#pragma once

#include <tenfold/dsel/evaluate.hpp>
#include <tenfold/dsel/run_time.hpp>

/// einsum<"ij,jk->ik">(A, B): the subscripts are read, planned and lowered by the compiler.
namespace tenfold {

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
requires(sizeof...(X) > 0) [[gnu::always_inline]] inline auto einsum(const X&... x) {
  return evaluating::checked_by_value<S, plain_call>({1}, x...);
}
template <literal S, class Machine = cpu::this_machine, class... A>
requires(sizeof...(A) == 0 || !(tensor_like<A> && ...)) auto einsum(const A&... args) {
  constexpr diagnostic wrong = evaluating::check_call<S, false, A...>();
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
/// overlap_error when y is seen to overlap an operand it reads in place; y is then untouched.
template <literal S, class Y, tensor_like... X>
requires(sizeof...(X) > 0)
    [[gnu::always_inline]] inline void einsum(destination<Y> y, const X&... x) {
  evaluating::checked_in_place<S, plain_call>(y.tensor, {1}, {0}, x...);
}
template <literal S, class Machine = cpu::this_machine, class Y, class... A>
requires(sizeof...(A) == 0 || !(tensor_like<A> && ...)) void einsum(destination<Y> y,
                                                                    const A&... args) {
  constexpr diagnostic wrong = evaluating::check_call<S, true, A...>();
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

/// A literal is compiled for a rank, which only the call tells of a dynamic_tensor.
template <literal S, scalar_type T, class... A>
void einsum(destination<dynamic_tensor<T>>, const A&...) {
  static_assert(sizeof(T) == 0,
                "tenfold: the result of a literal has a rank that the compiler knows; into a "
                "dynamic_tensor goes the result of a string: einsum(\"...\", into(C), A, B)");
}

/// What can stand as an operand of a call with run-time subscripts.
template <class X>
concept run_time_tensor = requires(const X& x) {
  run_time_operand_of(x);
};

namespace evaluating {

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

/// The arguments of a call with run-time subscripts, sorted.
template <class... A>
struct run_time_call {
  static_assert(((run_time_tensor<A> || is_option<A> || std::is_same_v<A, path_options> ||
                  std::is_same_v<A, sublist>)&&...),
                "tenfold: an argument is neither an operand, whose entries are float, double or "
                "complex numbers, nor an option; into(y) comes first");

  run_time_operand inputs[sizeof...(A) + 1];
  int count = 0;
  call_settings settings;

  explicit run_time_call(const A&... args)
      : settings{alpha_of(args...), beta_of(args...), bind_options_of<A...>(),
                 path_options_of<A...>()} {
    (
        [&] {
          if constexpr (run_time_tensor<A>) tell_operand(inputs[count++], args);
          if constexpr (std::is_same_v<A, path_options>) settings.path = args;
        }(),
        ...);
  }
};

/// Throws what is wrong with the arguments behind run-time subscripts. In NumPy's interleaved form
/// a sublist stands behind each operand.
template <bool Into, bool Interleaved, class... A>
void check_run_time_arguments(std::string_view text) {
  [[maybe_unused]] constexpr auto kind = []<class X>(const X*) {
    if (std::is_same_v<X, path_options>) return argument_kind::path;
    if (run_time_tensor<X> || (Interleaved && std::is_same_v<X, sublist>)) {
      return argument_kind::operand;
    }
    return kind_of_argument<X>;
  };
  constexpr diagnostic wrong = check_kinds<Into>({kind(static_cast<const A*>(nullptr))...});
  if constexpr (wrong.code != diagnosis::none) throw_diagnostic(wrong, text);
}

/// The scalar of a result by value.
template <class... A>
constexpr scalar result_scalar() {
  constexpr bind_options asked = bind_options_of<A...>();
  bool complex = false, wide = asked.accumulates && asked.accumulate == scalar::f64;
  (
      [&] {
        if constexpr (run_time_tensor<A>) {
          complex = complex || is_complex(scalar_of<entry<A>>);
          wide = wide || real_of(scalar_of<entry<A>>) == scalar::f64;
        }
      }(),
      ...);
  return binding::with_precision(wide ? scalar::f64 : scalar::f32, complex);
}

template <bool Interleaved = false, class... A>
auto by_text(std::string_view text, const A&... args) {
  if constexpr ((lacks_strides<A> || ...)) {
    require_operand_memory(text, args...);
    return by_text<Interleaved>(text, with_strides(args)...);
  } else {
    check_run_time_arguments<false, Interleaved, A...>(text);
    const run_time_call<A...> call(args...);
    dynamic_tensor<cpu::entry_type<result_scalar<A...>()>> y(
        result_shape(text, call.inputs, call.count, call.settings.binding));
    evaluate(text, call.inputs, call.count, y.shape(), y.data(), call.settings);
    return y;
  }
}

/// y := what text and arguments say, but for beta, which stands here.
template <class Y, class... A>
void evaluate_into(std::string_view text, Y& y, beta_factor beta, const A&... args) {
  if constexpr (lacks_strides<Y>) {
    require_real_beta<Y>(text, beta);
    require_output_memory(text, y);
    by_way_of_strides(y, beta, [&](auto& z, beta_factor b) { evaluate_into(text, z, b, args...); });
  } else if constexpr ((lacks_strides<A> || ...)) {
    require_operand_memory(text, args...);
    evaluate_into(text, y, beta, with_strides(args)...);
  } else {
    run_time_call<A...> call(args...);
    call.settings.beta = beta;
    evaluate(text, call.inputs, call.count, run_time_shape(y), run_time_address(y), call.settings);
  }
}
template <bool Interleaved = false, class Y, class... A>
void by_text_into(std::string_view text, destination<Y> y, const A&... args) {
  check_run_time_arguments<true, Interleaved, A...>(text);
  evaluate_into(text, y.tensor, beta_of(args...), args...);
}

}  // namespace evaluating

/// Einstein summation with subscripts that are known only when the program runs; the same parser,
/// planner and programs, planned at the call. A thread keeps the plans of its last sixteen calls,
/// `plan` keeps one for good. Returns a tensor of run-time rank.
///
///   auto C = einsum("ij,jk->ik", A, B);   double s = C(0, 1);   auto view = C.as<dyn, dyn>();
///
/// Behind the operands as for a literal; a path_options is an option too. Throws subscript_error or
/// shape_error with one sentence that names label and position.
template <class... A>
auto einsum(std::string_view text, const A&... args) {
  return evaluating::by_text(text, args...);
}

/// The same into a destination, with alpha and beta behind the operands:
///   einsum("eij,ej->ei", into(y), A, u, alpha(2.0), beta(1.0));
/// Throws overlap_error, too, when y is seen to overlap itself or an operand, and backend_error
/// when no order of multiplication is found; y is then untouched.
template <class Y, class... A>
void einsum(std::string_view text, destination<Y> y, const A&... args) {
  evaluating::by_text_into(text, y, args...);
}

/// What into(...) refused: it has said why.
template <literal S, class... A>
void einsum(evaluating::no_destination, const A&...) {}
template <class... A>
void einsum(std::string_view, evaluating::no_destination, const A&...) {}

}  // namespace tenfold
