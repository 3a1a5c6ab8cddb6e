#pragma once

#include <tenfold/dsel/device_explanation.hpp>
#include <tenfold/dsel/explain.hpp>
#include <tenfold/dsel/on_device.hpp>

/// explain<"ij,jk->ik">(on(device::cuda), A, B): what the call on the device would do, as data and
/// as a table.
namespace tenfold {

/// Explains a call of evaluate_on; `y` is the shape of the destination, null: by value. Compiles
/// what would run. Throws as the call.
device_explanation<large_limits> explain_on_device(const device_queue& where, std::string_view text,
                                                   const run_time_operand* inputs, int count,
                                                   const operand_shape<max_rank>* y,
                                                   const call_settings& settings);

/// Explains einsum<S>(where, args...): its plan, its launches with their registers, shared memory
/// and occupancy, and what bounds each. Throws as einsum.
///
///   std::cout << explain<"qi,qj,eq->eij">(on(device::cuda), G, G, D);
template <literal S, class... A>
auto explain(const device_queue& where, const A&... args) {
  evaluating::require_on_device<A...>();
  evaluating::require_strides_on_device<A...>();
  return evaluating::with_expression<S, false>(
      [&]<class E>(const auto&... x) {
        using call = evaluating::call_of<A...>;
        require_operands_there(where, S.view(), x...);
        const run_time_operand inputs[] = {run_time_operand_of(x)...};
        return explain_on_device(where, S.view(), inputs, sizeof...(x), nullptr,
                                 {evaluating::alpha_of(args...), {0}, call::binding, call::path});
      },
      args...);
}
template <literal S, class Y, class... A>
auto explain(const device_queue& where, destination<Y> y, const A&... args) {
  evaluating::require_on_device<Y, A...>();
  evaluating::require_strides_on_device<Y, A...>();
  return evaluating::with_expression<S, true>(
      [&]<class E>(const auto&... x) {
        using call = evaluating::call_of<A...>;
        require_operands_there(where, S.view(), x...);
        require_output_there(where, S.view(), y.tensor);
        const run_time_operand inputs[] = {run_time_operand_of(x)...};
        const auto shape = shape_of<max_rank>(y.tensor);
        return explain_on_device(where, S.view(), inputs, sizeof...(x), &shape,
                                 {evaluating::alpha_of(args...), evaluating::beta_of(args...),
                                  call::binding, call::path});
      },
      args...);
}

/// The same with subscripts that are known only when the program runs.
template <class Y, class... A>
auto explain(std::string_view text, const device_queue& where, destination<Y> y, const A&... args) {
  evaluating::require_on_device<Y, A...>();
  evaluating::require_strides_on_device<Y, A...>();
  evaluating::check_run_time_arguments<true, false, A...>(text);
  require_operands_there(where, text, args...);
  require_output_there(where, text, y.tensor);
  const evaluating::run_time_call<A...> call(args...);
  const auto shape = run_time_shape(y.tensor);
  return explain_on_device(where, text, call.inputs, call.count, &shape, call.settings);
}

/// By value there is none.
template <class... A>
void explain(std::string_view, const device_queue&, const A&...) {
  evaluating::require_result_of_string<A...>();
}

}  // namespace tenfold
