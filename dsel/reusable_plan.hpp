#pragma once

#include <iosfwd>
#include <memory>
#include <tenfold/dsel/einsum.hpp>
#include <tenfold/dsel/explain.hpp>

/// Plans that are made once and run often.
namespace tenfold {

/// What a plan asks of an operand: everything but its entries.
template <class X>
struct operand_like {
  operand_shape<max_rank> shape;
};

/// The shape of an operand, to plan for.
template <tensor_like X>
operand_like<X> like(const X& x) {
  return {shape_of<max_rank>(x)};
}
template <class T>
operand_like<dynamic_tensor<T>> like(const dynamic_tensor<T>& x) {
  return {x.shape()};
}

/// An expression planned at run time: immutable, cheap to copy, safe to share between threads. Two
/// plans are equal when they do the same: the same subscripts, shapes, settings and machine.
class run_time_plan {
 public:
  /// Plans `text` for operands of these shapes and a result like `y` (null: a new row-major one).
  /// Throws as result_shape.
  run_time_plan(std::string_view text, const run_time_operand* inputs, int count,
                const operand_shape<max_rank>* y, const call_settings& settings);
  /// A move copies: what was moved from is still the plan.
  run_time_plan(const run_time_plan&) = default;
  run_time_plan& operator=(const run_time_plan&) = default;

  std::string_view text() const;
  /// Floating-point operations of one run.
  double flops() const;
  /// Memory that one run uses beside operands and result: what crosses phases, and the scratch of
  /// one thread.
  index workspace_bytes() const;
  /// What the result must be like.
  const operand_shape<max_rank>& result() const;

  /// y := alpha * expression + beta * y for operands with the planned extents and strides.
  ///   p(into(y), A, u, alpha(2.0), beta(1.0));
  /// Throws shape_error when an operand is not like the one that was planned for, overlap_error
  /// when y overlaps one.
  template <class Y, class... A>
  void operator()(destination<Y> y, const A&... args) const {
    check_arguments<true, A...>();
    const evaluating::run_time_call<A...> call(args...);
    run(call.inputs, call.count, run_time_shape(y.tensor), run_time_address(y.tensor),
        call.settings);
  }
  /// The same into a new tensor, of the scalar of the operands: a plan whose result has another one
  /// (accumulate, into(like(y))) wants into(y).
  template <class X, class... A>
  requires run_time_tensor<X>
  auto operator()(const X& x, const A&... args) const {
    check_arguments<false, X, A...>();
    dynamic_tensor<cpu::entry_type<evaluating::result_scalar<X, A...>()>> y(result());
    const evaluating::run_time_call<X, A...> call(x, args...);
    run(call.inputs, call.count, y.shape(), y.data(), call.settings);
    return y;
  }

  void run(const run_time_operand* inputs, int count, const operand_shape<max_rank>& y_shape,
           void* y, const call_settings& settings) const;

  friend bool operator==(const run_time_plan& p, const run_time_plan& q);
  /// The table of `explain`.
  friend std::ostream& operator<<(std::ostream& out, const run_time_plan& p);

 private:
  template <bool Into, class... A>
  void check_arguments() const {
    static_assert(((!evaluating::is_setting<A> && !std::is_same_v<A, path_options>)&&...),
                  "tenfold: settings are given when a plan is made, not when it runs");
    evaluating::check_run_time_arguments<Into, false, A...>(text());
  }

  struct planned_call;
  std::shared_ptr<const planned_call> call_;
};

namespace planning_front {

template <class A>
inline constexpr bool is_like = false;
template <class X>
inline constexpr bool is_like<operand_like<X>> = true;
template <class A>
inline constexpr bool is_result_like = false;
template <class X>
inline constexpr bool is_result_like<destination<const operand_like<X>>> = true;

/// What is wrong with the kinds of what stands behind the text, and behind into(like(...)), if that
/// is there: settings stand once each, behind all like(...).
template <bool Into, class... A>
constexpr diagnostic wrong_kind() {
  using evaluating::argument_kind;
  return evaluating::check_kinds<Into>(
      {(is_like<A>                        ? argument_kind::operand
        : std::is_same_v<A, path_options> ? argument_kind::path
                                          : evaluating::kind_of_argument<A>)...});
}
template <class... A>
struct kinds_behind {
  static constexpr diagnostic wrong = wrong_kind<false, A...>();
};
template <class X, class... A>
struct kinds_behind<destination<const operand_like<X>>, A...> {
  static constexpr diagnostic wrong = wrong_kind<true, A...>();
};

template <class... A>
run_time_plan at_run_time(std::string_view text, const A&... args) {
  static_assert(((is_like<A> || is_result_like<A> || evaluating::is_setting<A> ||
                  std::is_same_v<A, path_options>)&&...),
                "tenfold: a plan takes like(...) for operands, into(like(...)) for the result, and "
                "settings; alpha and beta are given when it runs");
  constexpr diagnostic wrong = kinds_behind<A...>::wrong;
  if constexpr (wrong.code != diagnosis::none) throw_diagnostic(wrong, text);
  run_time_operand inputs[sizeof...(A)];
  int count = 0;
  call_settings settings{
      {1}, {0}, evaluating::bind_options_of<A...>(), evaluating::path_options_of<A...>()};
  const operand_shape<max_rank>* y = nullptr;
  (
      [&] {
        if constexpr (is_like<A>) inputs[count++].shape = args.shape;
        if constexpr (is_result_like<A>) y = &args.tensor.shape;
        if constexpr (std::is_same_v<A, path_options>) settings.path = args;
      }(),
      ...);
  return {text, inputs, count, y, settings};
}

}  // namespace planning_front

/// The result of a plan, where it is not a new row-major tensor: plan(text, into(like(y)), ...).
template <class X>
destination<const operand_like<X>> into(const operand_like<X>& y) {
  return {y};
}

/// Plans an expression with run-time subscripts for operands like these; behind them
/// `numpy_semantics`, `accumulate<T>`, `optimize<...>` or a path_options.
///
///   auto p = plan("eij,ej->ei", like(A), like(u));   p(into(y), A, u);
template <class... A>
run_time_plan plan(std::string_view text, const A&... args) {
  return planning_front::at_run_time(text, args...);
}

/// A literal planned for operands of the types X...: the compiler has made the plan, this is a name
/// for it. Its runs are those of einsum<S>, whatever the destination.
template <literal S, class... X>
class literal_plan {
  using planned = expression<S, plain_call, void, const X...>;

 public:
  static constexpr std::string_view text() { return S.view(); }
  /// Floating-point operations of one run; per entry of the extents that only the call tells.
  static constexpr double flops() { return planned::plan.flops; }
  static constexpr index workspace_bytes() { return memory_bytes(planned::value); }

  template <class Y, class... A>
  [[gnu::always_inline]] void operator()(destination<Y> y, const A&... args) const {
    einsum<S>(y, args...);
  }
  template <tensor_like A, class... B>
  [[gnu::always_inline]] auto operator()(const A& x, const B&... args) const {
    return einsum<S>(x, args...);
  }

  friend constexpr bool operator==(const literal_plan&, const literal_plan&) { return true; }
  /// The table of `explain`, of the operands' types alone.
  friend std::ostream& operator<<(std::ostream& out, const literal_plan&) {
    return out << explain<S, X...>();
  }
};

/// Plans a literal for operands like these: by the compiler where their types tell enough, else
/// now.
///
///   auto p = plan<"eij,ej->ei">(like(A), like(u));   p(into(y), A, u);
template <literal S, class... X>
auto plan(const operand_like<X>&... x) {
  using text = subscripts_over<S, X...>;
  if constexpr (text::error.code != diagnosis::none) {
    return diagnose<text, text::error>();
  } else {
    using e = expression<S, plain_call, void, const X...>;
    if constexpr (e::error.code != diagnosis::none) {
      return diagnose<text, e::error>();
    } else if constexpr (e::value.feasible) {
      return literal_plan<S, X...>{};
    } else {
      return planning_front::at_run_time(S.view(), x...);
    }
  }
}
template <literal S, class... A>
requires(!(planning_front::is_like<A> && ...)) auto plan(const A&...) {
  static_assert((planning_front::is_like<A> && ...),
                "tenfold: the plan of a literal takes like(...) for each operand and nothing else; "
                "that of a string takes settings and into(like(y)), too: plan(\"...\", ...)");
  return no_result{};
}

}  // namespace tenfold
