#pragma once

#include <tenfold/backend/cuda/device_queue.hpp>
#include <tenfold/backend/cuda/device_tensor.hpp>
#include <tenfold/dsel/diagnose.hpp>
#include <tenfold/dsel/einsum.hpp>
#include <tenfold/dsel/run_time.hpp>

/// Expressions on a device: the same subscripts, the same planner, and a program of C++ text.
namespace tenfold {

/// As evaluate, on the stream of `where`, of operands in that device's memory. Returns when it is
/// started. Once the text of a call is loaded another like it neither plans, waits nor allocates on
/// the device; what one program keeps between its launches is one for each stream.
void evaluate_on(const device_queue& where, std::string_view text, const run_time_operand* inputs,
                 int count, const operand_shape<max_rank>& y_shape, void* y,
                 const call_settings& settings);

namespace evaluating {

template <class X>
constexpr bool lies_on_device() {
  if constexpr (tensor_like<X>) {
    return operand_traits_of<X>::space == device::cuda;
  } else {
    return !run_time_tensor<X>;  // a dynamic_tensor lies in the memory of the host
  }
}
template <class... X>
constexpr void require_on_device() {
  static_assert((lies_on_device<X>() && ...),
                "tenfold: every operand of a call on a device must lie in its memory: a "
                "device_tensor, or a view that in_memory_of marks");
}

/// What the types of the operands tell of a literal on a device: where they lie changes nothing.
template <literal S, class Call, class... X>
struct expression_on_device {
  using text = subscripts_over<S, X...>;
  static constexpr limits bounds = text::bounds;
  static constexpr int rank = std::max({bounds.rank, operand_traits_of<X>::rank...});
  static constexpr bind_result<bounds> bound = [] {
    operand_shape<rank> shapes[] = {static_shape_of<X, rank>()...};
    for (auto& shape : shapes) shape.space = device::cpu;
    return bind<bounds, rank>(text::said, text::names, shapes, sizeof...(X), nullptr,
                              Call::binding);
  }();
  using scalar_type = cpu::entry_type<bound.value.output.type>;
};

template <class E, int... I>
auto device_result_type(std::integer_sequence<int, I...>)
    -> device_tensor<typename E::scalar_type, E::bound.value.extent[E::text::result[I]]...>;

}  // namespace evaluating

/// Einstein summation on a device; see einsum without a place.
///
///   auto K = einsum<"qi,qj,eq->eij">(on(device::cuda), G, G, D);
///   einsum<"eij,ej->ei">(on(device::cuda, stream), into(y), A, u, alpha(2.0), beta(1.0));
///
/// Operands are device_tensor or device_view; one of the host does not compile. Returns when the
/// work is started on the stream; by value a device_tensor, whose memory is allocated.
template <literal S, class... A>
auto einsum(const device_queue& where, const A&... args) {
  evaluating::require_on_device<A...>();
  constexpr diagnostic wrong = evaluating::check_arguments<false, A...>();
  if constexpr (wrong.code != diagnosis::none) {
    return diagnose<subscripts<S>, wrong>();
  } else {
    using call = evaluating::call_of<A...>;
    return evaluating::with_operands(
        [&]<class... X>(const X&... x) {
          using e = evaluating::expression_on_device<S, call, const X...>;
          if constexpr (e::text::error.code != diagnosis::none) {
            return diagnose<typename e::text, e::text::error>();
          } else if constexpr (e::bound.error.code != diagnosis::none) {
            return diagnose<typename e::text, e::bound.error>();
          } else {
            constexpr const auto& list = e::text::result;
            using result = decltype(evaluating::device_result_type<e>(
                std::make_integer_sequence<int, list.count>{}));
            const run_time_operand inputs[] = {run_time_operand_of(x)...};
            run_time_operand of_host[] = {inputs[0], run_time_operand_of(x)...};
            for (auto& one : of_host) one.shape.space = device::cpu;
            const auto shape = result_shape(S.view(), of_host + 1, sizeof...(X), call::binding);
            std::array<index, static_cast<std::size_t>(list.count)> extents{};
            for (std::size_t i = 0; i < extents.size(); ++i) extents[i] = shape.extents[i];
            result y(where, typename result::extents_type(extents));
            evaluate_on(where, S.view(), inputs, sizeof...(X), shape_of<max_rank>(y), y.data(),
                        {evaluating::alpha_of(args...), {0}, call::binding, call::path});
            return y;
          }
        },
        args...);
  }
}
template <literal S, class Y, class... A>
void einsum(const device_queue& where, destination<Y> y, const A&... args) {
  evaluating::require_on_device<Y, A...>();
  constexpr diagnostic wrong = evaluating::check_arguments<true, A...>();
  if constexpr (wrong.code != diagnosis::none) {
    diagnose<subscripts<S>, wrong>();
  } else {
    using call = evaluating::call_of<A...>;
    evaluating::with_operands(
        [&]<class... X>(const X&... x) {
          using e = evaluating::expression_on_device<S, call, const X...>;
          if constexpr (e::text::error.code != diagnosis::none) {
            diagnose<typename e::text, e::text::error>();
          } else if constexpr (e::bound.error.code != diagnosis::none) {
            diagnose<typename e::text, e::bound.error>();
          } else {
            const run_time_operand inputs[] = {run_time_operand_of(x)...};
            evaluate_on(where, S.view(), inputs, sizeof...(X), shape_of<max_rank>(y.tensor),
                        run_time_address(y.tensor),
                        {evaluating::alpha_of(args...), evaluating::beta_of(args...), call::binding,
                         call::path});
          }
        },
        args...);
  }
}

/// The same with subscripts that are known only when the program runs.
template <class Y, class... A>
void einsum(std::string_view text, const device_queue& where, destination<Y> y, const A&... args) {
  evaluating::require_on_device<Y, A...>();
  evaluating::check_run_time_arguments<true, false, A...>(text);
  const evaluating::run_time_call<A...> call(args...);
  evaluate_on(where, text, call.inputs, call.count, run_time_shape(y.tensor),
              run_time_address(y.tensor), call.settings);
}

}  // namespace tenfold
