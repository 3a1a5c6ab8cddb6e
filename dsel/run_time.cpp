#include <memory>
#include <numeric>
#include <string>
#include <tenfold/backend/launch.hpp>
#include <tenfold/backend/reference/contract.hpp>
#include <tenfold/contraction/bind.hpp>
#include <tenfold/contraction/lower.hpp>
#include <tenfold/contraction/make_explanation.hpp>
#include <tenfold/contraction/make_plan.hpp>
#include <tenfold/dsel/explain_operands.hpp>
#include <tenfold/dsel/parse.hpp>
#include <tenfold/dsel/run_time.hpp>
#include <tenfold/tensor/error.hpp>

namespace tenfold {

namespace {

/// Calls f with the smallest limits that hold the text as a template argument.
template <class F>
void with_limits(std::string_view text, F f) {
  const limits l = limits_of(text);
  if (l == small_limits) {
    f.template operator()<small_limits>();
  } else if (l == medium_limits) {
    f.template operator()<medium_limits>();
  } else {
    f.template operator()<large_limits>();
  }
}

/// Parses and binds; throws what is wrong.
template <limits L>
problem<L> bind_or_throw(std::string_view text, const run_time_operand* inputs, int count,
                         const operand_shape<max_rank>* y) {
  const parse_result<L> parsed = parse<L>(text);
  if (parsed.error) throw_diagnostic(parsed.error, text);
  auto shapes = std::make_unique<operand_shape<max_rank>[]>(static_cast<std::size_t>(count + 1));
  for (int o = 0; o < count; ++o) shapes[static_cast<std::size_t>(o)] = inputs[o].shape;
  bind_result<L> bound =
      bind<L, max_rank>(parsed.value, parsed.names, shapes.get(), count, y);
  if (bound.error) throw_diagnostic(bound.error, text);
  return bound.value;
}

/// Whether two strided operands share an address, decided exactly where a cheap proof exists and
/// with "yes" elsewhere. All numbers in bytes.
///
/// The difference of two addresses is a sum of multiples of the strides plus the distance d of the
/// bases: if the greatest common divisor g of the strides leaves a remainder r = d mod g that keeps
/// both entries apart (size <= r <= g - size), no address is shared.
bool may_overlap(const operand_shape<max_rank>& x, const void* x_data,
                 const operand_shape<max_rank>& y, const void* y_data) {
  const auto size_x = static_cast<index>(bytes_of(x.type));
  const auto size_y = static_cast<index>(bytes_of(y.type));
  index g = 0;
  index low[2] = {}, high[2] = {size_x, size_y};
  const operand_shape<max_rank>* shapes[] = {&x, &y};
  const index sizes[] = {size_x, size_y};
  for (int s = 0; s < 2; ++s) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(shapes[s]->rank); ++i) {
      const index extent = shapes[s]->extents[i];
      if (extent == 0) return false;
      const index stride = shapes[s]->strides[i] * sizes[s];
      if (extent > 1) g = std::gcd(g, stride);
      (stride < 0 ? low : high)[s] += (extent - 1) * stride;
    }
  }
  const index d = static_cast<index>(reinterpret_cast<std::intptr_t>(x_data) -
                                     reinterpret_cast<std::intptr_t>(y_data));
  if (d + high[0] <= low[1] || high[1] <= d + low[0]) return false;
  if (g == 0) return true;
  const index r = ((d % g) + g) % g;
  return !(r >= size_y && r <= g - size_x);
}

template <class T, limits L>
void evaluate_with(std::string_view text, const run_time_operand* inputs, int count,
                   const operand_shape<max_rank>& y_shape, T* y, T alpha, T beta) {
  const problem<L> p = bind_or_throw<L>(text, inputs, count, &y_shape);
  require_disjoint(text, inputs, count, y_shape, y);
  if (alpha == T(0)) return scale(y_shape, y, static_cast<double>(beta));
  const auto plan = std::make_unique<contraction_plan<L>>(make_plan<L>(p));
  const instruction_set isa = best_instruction_set();
  const T* data[L.operands] = {};
  for (int o = 0; o < count; ++o) data[o] = static_cast<const T*>(inputs[o].data);
  const program_arguments<T> args{data, y, p.extent, alpha, beta};
  const auto run = [&]<class Program>() {
    const auto runnable = std::make_unique<Program>(
        lower<Program>(p, *plan, capabilities_of(isa), beta == T(0)));
    if (runnable->feasible) launch(*runnable, args, isa);
    return runnable->feasible;
  };
  // Most programs are short, and room costs time to clear.
  if (!run.template operator()<program<3, 12, 24>>()) {
    run.template operator()<dynamic_program<L>>();
  }
}

}  // namespace

void check(std::string_view text, const run_time_operand* inputs, int count,
           const operand_shape<max_rank>* y) {
  with_limits(text, [&]<limits L>() { bind_or_throw<L>(text, inputs, count, y); });
}

operand_shape<max_rank> result_shape(std::string_view text, const run_time_operand* inputs,
                                     int count) {
  operand_shape<max_rank> shape;
  with_limits(text, [&]<limits L>() {
    const problem<L> p = bind_or_throw<L>(text, inputs, count, nullptr);
    shape.type = p.type;
    shape.rank = p.output.order.count;
    for (int i = 0; i < shape.rank; ++i) {
      const auto at = static_cast<std::size_t>(i);
      shape.extents[at] = p.extent[p.output.order[i]];
      shape.strides[at] = p.output.stride[p.output.order[i]];
    }
  });
  return shape;
}

void require_disjoint(std::string_view text, const run_time_operand* inputs, int count,
                      const operand_shape<max_rank>& y_shape, const void* y) {
  for (int o = 0; o < count; ++o) {
    if (may_overlap(inputs[o].shape, inputs[o].data, y_shape, y)) {
      throw_diagnostic({diagnosis::overlap, -1, 0, {o}}, text);
    }
  }
}

void evaluate(std::string_view text, const run_time_operand* inputs, int count,
              const operand_shape<max_rank>& y_shape, void* y, double alpha, double beta) {
  with_limits(text, [&]<limits L>() {
    if (y_shape.type == scalar::f32) {
      evaluate_with<float, L>(text, inputs, count, y_shape, static_cast<float*>(y),
                              static_cast<float>(alpha), static_cast<float>(beta));
    } else {
      evaluate_with<double, L>(text, inputs, count, y_shape, static_cast<double*>(y), alpha, beta);
    }
  });
}

void scale(const operand_shape<max_rank>& y_shape, void* y, double beta) {
  if (y_shape.type == scalar::f32) {
    reference::scale(y_shape, static_cast<float*>(y), static_cast<float>(beta));
  } else {
    reference::scale(y_shape, static_cast<double*>(y), beta);
  }
}

explanation<large_limits> explain_operands(const explained_call& call,
                                           const capabilities& machine) {
  explanation<large_limits> out;
  with_limits(call.text, [&]<limits L>() {
    const parse_result<L> parsed = parse<L>(call.text);
    const problem<L> p = bind_or_throw<L>(call.text, call.inputs, call.count, call.output);
    const auto explain_program = [&]<class Program>(const problem<L>& planned_from,
                                                    planned when) {
      const bool compiled = when == planned::by_the_compiler;
      const bool overwrites = compiled ? !call.scaled : call.overwrites;
      const auto plan = std::make_unique<contraction_plan<L>>(make_plan<L>(planned_from));
      const auto runnable =
          std::make_unique<Program>(lower<Program>(planned_from, *plan, machine, overwrites));
      if (!runnable->feasible) return false;
      out = explaining<large_limits, L, Program>(parsed.value.list[0], parsed.names, call.text,
                                                 planned_from, *plan, runnable.get(), machine,
                                                 p.extent, overwrites, compiled)
                .run();
      out.when = when;
      return true;
    };
    if (call.typed_inputs != nullptr) {
      const bind_result<L> typed = bind<L, max_rank>(parsed.value, parsed.names, call.typed_inputs,
                                                     call.count, call.typed_output);
      const bool runs = explain_program.template operator()<static_program<L>>(
          typed.value, planned::by_the_compiler);
      out.allocations = allocations_of(out, call.allocates_result);
      if (runs) return;
    }
    explain_program.template operator()<dynamic_program<L>>(
        p, call.typed_inputs == nullptr ? planned::at_the_call_for_text
                                        : planned::at_the_call_for_shape);
    out.allocations = -1;
  });
  return out;
}

explanation<large_limits> explain_operands(const explained_call& call) {
  return explain_operands(call, capabilities_of(best_instruction_set()));
}

void throw_diagnostic(const diagnostic& error, std::string_view text) {
  const auto fill = [&](std::string_view place) -> std::string {
    if (place == "label") {
      return std::string(text.substr(static_cast<std::size_t>(error.position),
                                     static_cast<std::size_t>(error.length)));
    }
    if (place == "position") return std::to_string(error.position);
    return std::to_string(error.numbers[static_cast<std::size_t>(place[0] - '0')]);
  };
  std::string message = "tenfold: \"" + std::string(text) + "\": ";
  std::string_view rest = sentence_of(error.code);
  for (auto open = rest.find('{'); open != rest.npos; open = rest.find('{')) {
    const auto close = rest.find('}', open);
    message += rest.substr(0, open);
    message += fill(rest.substr(open + 1, close - open - 1));
    rest.remove_prefix(close + 1);
  }
  message += rest;
  switch (error.code) {
    case diagnosis::overlap: throw overlap_error(message);
    case diagnosis::operand_count:
    case diagnosis::operand_rank:
    case diagnosis::output_rank:
    case diagnosis::extent_mismatch:
    case diagnosis::output_extent:
    case diagnosis::mixed_scalars:
    case diagnosis::zero_stride_output: throw shape_error(message);
    case diagnosis::unsupported_scalar:
    case diagnosis::unsupported_layout: throw backend_error(message);
    default: throw subscript_error(message);
  }
}

}  // namespace tenfold
