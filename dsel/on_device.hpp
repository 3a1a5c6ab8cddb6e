#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <tenfold/backend/cuda/device_queue.hpp>
#include <tenfold/backend/cuda/device_tensor.hpp>
#include <tenfold/dsel/diagnose.hpp>
#include <tenfold/dsel/einsum.hpp>
#include <tenfold/dsel/require_on_device.hpp>
#include <tenfold/dsel/run_time.hpp>

/// Expressions on a device: the same subscripts, the same planner, and a program of C++ text.
namespace tenfold {

/// As evaluate, on the stream of `where`, of operands in that device's memory. Returns when it is
/// started. Once the text of a call is loaded another like it neither plans, waits nor allocates on
/// the device; what one program keeps between its launches is one for each stream.
void evaluate_on(const device_queue& where, std::string_view text, const run_time_operand* inputs,
                 int count, const operand_shape<max_rank>& y_shape, void* y,
                 const call_settings& settings);

/// As result_shape, of operands in a device's memory.
operand_shape<max_rank> result_shape_on_device(std::string_view text,
                                               const run_time_operand* inputs, int count,
                                               const bind_options& options);

/// Throws backend_error if one of the operands is known to lie in the memory of another device;
/// what is no operand stands behind them.
template <class... X>
void require_operands_there(const device_queue& where, std::string_view text, const X&... x) {
  int o = 0;
  const auto subject = [&] {
    return "tenfold: \"" + std::string(text) + "\": operand " + std::to_string(o);
  };
  ((require_memory(where, x, subject), ++o), ...);
}
/// The same of the result.
template <class Y>
void require_output_there(const device_queue& where, std::string_view text, const Y& y) {
  require_memory(where, y, [&] { return "tenfold: \"" + std::string(text) + "\": the output"; });
}

namespace evaluating {

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

/// f<E>(operands...) of the operands among `args`, E being the expression, if all of it is right.
template <literal S, bool Into, class... A, class F>
auto with_expression(const F& f, const A&... args) {
  constexpr diagnostic wrong = check_call<S, Into, A...>();
  if constexpr (wrong.code != diagnosis::none) {
    return diagnose<subscripts<S>, wrong>();
  } else if constexpr (!(has_strides_on_device<A>() && ...)) {
    return no_result{};  // the caller has told
  } else {
    return with_operands(
        [&]<class... X>(const X&... x) {
          using e = expression_on_device<S, call_of<A...>, const X...>;
          if constexpr (e::text::error.code != diagnosis::none) {
            return diagnose<typename e::text, e::text::error>();
          } else if constexpr (e::bound.error.code != diagnosis::none) {
            return diagnose<typename e::text, e::bound.error>();
          } else {
            return f.template operator()<e>(x...);
          }
        },
        args...);
  }
}

}  // namespace evaluating

/// Einstein summation on a device; see einsum without a place.
///
///   auto K = einsum<"qi,qj,eq->eij">(on(device::cuda), G, G, D);
///   einsum<"eij,ej->ei">(on(device::cuda, stream), into(y), A, u, alpha(2.0), beta(1.0));
///
/// Operands are device_tensor or device_view, with strides; one of the host does not compile.
/// Returns when the work is started on the stream; by value a device_tensor, whose memory is
/// allocated. Throws as einsum does, before anything is started, and backend_error for what the
/// device cannot do, and for a device_tensor of another one; a view does not know whose its
/// addresses are.
template <literal S, class... A>
auto einsum(const device_queue& where, const A&... args) {
  evaluating::require_on_device<A...>();
  evaluating::require_strides_on_device<A...>();
  return evaluating::with_expression<S, false>(
      [&]<class E>(const auto&... x) {
        constexpr const auto& list = E::text::result;
        using result = decltype(evaluating::device_result_type<E>(
            std::make_integer_sequence<int, list.count>{}));
        using call = evaluating::call_of<A...>;
        require_operands_there(where, S.view(), x...);
        const run_time_operand inputs[] = {run_time_operand_of(x)...};
        const auto shape = result_shape_on_device(S.view(), inputs, sizeof...(x), call::binding);
        std::array<index, static_cast<std::size_t>(list.count)> extents{};
        std::copy_n(shape.extents.begin(), extents.size(), extents.begin());
        result y(where, typename result::extents_type(extents));
        evaluate_on(where, S.view(), inputs, sizeof...(x), shape_of<max_rank>(y), y.data(),
                    {evaluating::alpha_of(args...), {0}, call::binding, call::path});
        return y;
      },
      args...);
}
template <literal S, class Y, class... A>
void einsum(const device_queue& where, destination<Y> y, const A&... args) {
  evaluating::require_on_device<Y, A...>();
  evaluating::require_strides_on_device<Y, A...>();
  evaluating::with_expression<S, true>(
      [&]<class E>(const auto&... x) {
        using call = evaluating::call_of<A...>;
        require_operands_there(where, S.view(), x...);
        require_output_there(where, S.view(), y.tensor);
        const run_time_operand inputs[] = {run_time_operand_of(x)...};
        evaluate_on(where, S.view(), inputs, sizeof...(x), shape_of<max_rank>(y.tensor),
                    run_time_address(y.tensor),
                    {evaluating::alpha_of(args...), evaluating::beta_of(args...), call::binding,
                     call::path});
      },
      args...);
}

/// The same with subscripts that are known only when the program runs.
template <class Y, class... A>
void einsum(std::string_view text, const device_queue& where, destination<Y> y, const A&... args) {
  evaluating::require_on_device<Y, A...>();
  evaluating::require_strides_on_device<Y, A...>();
  evaluating::check_run_time_arguments<true, false, A...>(text);
  require_operands_there(where, text, args...);
  require_output_there(where, text, y.tensor);
  const evaluating::run_time_call<A...> call(args...);
  evaluate_on(where, text, call.inputs, call.count, run_time_shape(y.tensor),
              run_time_address(y.tensor), call.settings);
}
template <literal S, class... A>
void einsum(const device_queue&, evaluating::no_destination, const A&...) {}
template <class... A>
void einsum(std::string_view, const device_queue&, evaluating::no_destination, const A&...) {}

/// By value there is none.
template <class... A>
void einsum(std::string_view, const device_queue&, const A&...) {
  evaluating::require_result_of_string<A...>();
}

}  // namespace tenfold
