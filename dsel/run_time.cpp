#include <memory>
#include <numeric>
#include <span>
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

/// Where the entries of a strided operand lie, in bytes: its axes that move, longest steps first.
struct extent_in_memory {
  struct axis {
    index step, extent;
  };
  axis axes[max_rank];
  int count = 0;
  index reach = 0;   ///< from the first to the last entry
  index before = 0;  ///< from the first entry to entry (0, 0, ...)
  bool empty = false;

  explicit extent_in_memory(const operand_shape<max_rank>& shape) {
    const auto size = static_cast<index>(bytes_of(shape.type));
    for (std::size_t i = 0; i < static_cast<std::size_t>(shape.rank); ++i) {
      const index extent = shape.extents[i], stride = shape.strides[i] * size;
      empty = empty || extent == 0;
      if (extent < 2 || stride == 0) continue;
      const index step = stride < 0 ? -stride : stride;
      reach += (extent - 1) * step;
      if (stride < 0) before += (extent - 1) * step;
      int at = count++;
      for (; at > 0 && step > axes[at - 1].step; --at) axes[at] = axes[at - 1];
      axes[at] = {step, extent};
    }
  }
};

/// Whether the entries of a strided operand are proved to lie apart: each axis steps over all that
/// the shorter steps reach.
bool entries_lie_apart(const operand_shape<max_rank>& shape) {
  const extent_in_memory y(shape);
  auto reach = static_cast<index>(bytes_of(shape.type));
  for (int i = y.count - 1; i >= 0 && !y.empty; --i) {
    if (y.axes[i].step < reach) return false;
    reach += (y.axes[i].extent - 1) * y.axes[i].step;
  }
  return true;
}

/// Whether two strided operands may share an address: no where a cheap proof exists, else yes.
///
/// The proof: let g be the greatest common divisor of the steps not shorter than some s. Modulo g
/// these axes stand still, and each operand stays in a window that its shorter steps reach. If the
/// windows are disjoint modulo g, so are the operands. With the shortest s this is the proof by
/// divisibility, with a longer one that of nested strides (two ranges of columns of one matrix);
/// before any step the windows are the ranges of addresses.
bool may_overlap(const operand_shape<max_rank>& x_shape, const void* x_data,
                 const operand_shape<max_rank>& y_shape, const void* y_data) {
  const extent_in_memory x(x_shape), y(y_shape);
  if (x.empty || y.empty) return false;
  index window_x = x.reach + static_cast<index>(bytes_of(x_shape.type));
  index window_y = y.reach + static_cast<index>(bytes_of(y_shape.type));
  const index d = static_cast<index>(reinterpret_cast<std::intptr_t>(x_data) - x.before -
                                     (reinterpret_cast<std::intptr_t>(y_data) - y.before));
  if (d >= window_y || -d >= window_x) return false;
  index g = 0;
  for (int i = 0, j = 0; i < x.count || j < y.count;) {
    const bool of_x = j == y.count || (i < x.count && x.axes[i].step >= y.axes[j].step);
    const auto& next = of_x ? x.axes[i++] : y.axes[j++];
    g = std::gcd(g, next.step);
    (of_x ? window_x : window_y) -= (next.extent - 1) * next.step;
    const index r = (d % g + g) % g;
    if (r >= window_y && r + window_x <= g) return false;
  }
  return true;
}

template <class T, limits L>
void evaluate_with(std::string_view text, const run_time_operand* inputs, int count,
                   const operand_shape<max_rank>& y_shape, T* y, T alpha, T beta) {
  const problem<L> p = bind_or_throw<L>(text, inputs, count, &y_shape);
  if (!entries_lie_apart(y_shape)) throw_diagnostic({diagnosis::output_coincides}, text);
  require_disjoint(text, inputs, count, y_shape, y);
  if (alpha == T(0) || some_extent_is(p, 0)) return scale(y_shape, y, static_cast<double>(beta));
  const auto plan = std::make_unique<contraction_plan<L>>(make_plan<L>(p));
  const instruction_set isa = best_instruction_set();
  const void* data[L.operands] = {};
  for (int o = 0; o < count; ++o) data[o] = inputs[o].data;
  const program_arguments<T> args{data, y, p.extent, alpha, beta};
  const auto run = [&]<class Program>() {
    const auto runnable = std::make_unique<Program>(
        lower<Program>(p, *plan, capabilities_of(isa), beta == T(0)));
    if (runnable->feasible) launch(*runnable, args, isa);
    return runnable->feasible;
  };
  // Most programs are short, and room costs time to clear.
  if (!run.template operator()<program<3, 12, 24>>() &&
      !run.template operator()<dynamic_program<L>>()) {
    throw_diagnostic({diagnosis::too_long_program}, text);
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
    index entries = 1;
    for (const index n : std::span(shape.extents.data(), static_cast<std::size_t>(shape.rank))) {
      if (n > 0 && __builtin_mul_overflow(entries, n, &entries)) {
        throw_too_many_entries(shape.extents.data(), shape.rank);
      }
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
      out = explaining<large_limits, L, Program>(parsed.value, parsed.names, call.text,
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
    case diagnosis::output_coincides:
    case diagnosis::overlap: throw overlap_error(message);
    case diagnosis::too_long_program: throw backend_error(message);
    case diagnosis::operand_count:
    case diagnosis::operand_rank:
    case diagnosis::ellipsis_rank:
    case diagnosis::output_rank:
    case diagnosis::extent_mismatch:
    case diagnosis::output_extent:
    case diagnosis::mixed_scalars:
    case diagnosis::output_scalar:
    case diagnosis::accumulate_narrower:
    case diagnosis::complex_into_real:
    case diagnosis::complex_factor:
    case diagnosis::slice_range:
    case diagnosis::zero_stride_output: throw shape_error(message);
    case diagnosis::unsupported_layout: throw backend_error(message);
    default: throw subscript_error(message);
  }
}

}  // namespace tenfold
