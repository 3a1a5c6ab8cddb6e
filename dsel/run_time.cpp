#include <algorithm>
#include <ostream>
#include <span>
#include <string>
#include <tenfold/backend/launch.hpp>
#include <tenfold/backend/reference/contract.hpp>
#include <tenfold/backend/with_scalar.hpp>
#include <tenfold/contraction/merge_labels.hpp>
#include <tenfold/dsel/at_run_time.hpp>
#include <tenfold/dsel/explain_operands.hpp>
#include <tenfold/dsel/print_explanation.hpp>
#include <tenfold/dsel/read_call.hpp>
#include <tenfold/dsel/recent_calls.hpp>
#include <tenfold/dsel/reusable_plan.hpp>
#include <tenfold/dsel/stored_program.hpp>
#include <tenfold/tensor/error.hpp>
#include <vector>

namespace tenfold {

namespace {

/// Lowers a plan and calls f with the program.
template <limits L, class F>
void with_program(std::string_view text, const problem<L>& p, const contraction_plan<L>& plan,
                  const capabilities& machine, bool overwrites, F f) {
  const auto lowered = [&]<class Program>() {
    const auto runnable = at_run_time::lower<Program>(p, plan, machine, overwrites);
    if (runnable->feasible) f(*runnable);
    return runnable->feasible;
  };
  if (!lowered.template operator()<at_run_time::short_program>() &&
      !lowered.template operator()<dynamic_program<L>>()) {
    throw_diagnostic({diagnosis::too_long_program}, text);
  }
}

template <limits L>
std::unique_ptr<contraction_plan<L>> plan_or_throw(std::string_view text, const problem<L>& p,
                                                   const path_options& path) {
  auto plan = at_run_time::make_plan<L>(p, path);
  if (!plan->found) throw_diagnostic({diagnosis::no_path}, text);
  return plan;
}

void require_real_factors(std::string_view text, scalar type, const call_settings& settings) {
  if (!is_complex(type) && (settings.alpha.im != 0 || settings.beta.im != 0)) {
    throw_diagnostic({diagnosis::complex_factor}, text);
  }
}

/// Every extent is part of a program that is made at run time.
template <class T>
program_arguments<T> arguments_of(const void* const* data, void* y, const call_settings& settings) {
  return {data, y, nullptr, evaluating::factor_as<T>(settings.alpha),
          evaluating::factor_as<T>(settings.beta)};
}

template <limits L>
operand_shape<max_rank> shape_of_result(const problem<L>& p) {
  operand_shape<max_rank> shape;
  shape.type = p.output.type;
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
  return shape;
}

}  // namespace

void check(std::string_view text, const run_time_operand* inputs, int count,
           const operand_shape<max_rank>* y, const bind_options& options) {
  with_limits(text, {inputs, count},
              [&]<limits L>() { read_call<L>(text, inputs, count, y, options); });
}

operand_shape<max_rank> result_shape(std::string_view text, const run_time_operand* inputs,
                                     int count, const bind_options& options) {
  operand_shape<max_rank> shape;
  with_limits(text, {inputs, count}, [&]<limits L>() {
    shape = shape_of_result(read_call<L>(text, inputs, count, nullptr, options)->bound);
  });
  return shape;
}

namespace {

/// Plans a call whose operands lie at these addresses.
std::shared_ptr<const recent_call> plan_call(std::string_view text, const run_time_operand* inputs,
                                             int count, const operand_shape<max_rank>& y,
                                             const call_settings& settings) {
  const auto call = std::make_shared<recent_call>();
  with_limits(text, {inputs, count}, [&]<limits L>() {
    const auto read = read_call<L>(text, inputs, count, &y, settings.binding);
    problem<L>& p = read->bound;
    call->type = p.type;
    call->is_empty = is_empty(p);
    if (call->is_empty) return;
    mark_twins(p, [&](int o, int before) { return have_one_address(inputs[o], inputs[before]); });
    merge_labels(p);
    const auto plan = plan_or_throw(text, p, settings.path);
    with_program(text, p, *plan, capabilities_of(best_instruction_set()), is_zero(settings.beta),
                 [&](const auto& runnable) { call->program.keep(runnable); });
  });
  return call;
}

void run(const recent_call& call, std::string_view text, const void* const* data,
         const operand_shape<max_rank>& y_shape, void* y, const call_settings& settings) {
  require_real_factors(text, call.type, settings);
  if (call.is_empty) return scale(y_shape, y, settings.beta);
  with_scalar(call.type, [&](auto one) {
    using T = decltype(one);
    launch(call.program.view(), arguments_of<T>(data, y, settings), best_instruction_set());
  });
}

}  // namespace

bool evaluate_recent(const call_key& key, std::string_view text, const void* const* data,
                     const operand_shape<max_rank>& y_shape, void* y,
                     const call_settings& settings) {
  if (is_zero(settings.alpha)) return false;
  const auto call = recent_calls::of_this_thread().find(key);
  if (call) run(*call, text, data, y_shape, y, settings);
  return call != nullptr;
}

void evaluate(std::string_view text, const run_time_operand* inputs, int count,
              const operand_shape<max_rank>& y_shape, void* y, const call_settings& settings) {
  if (is_zero(settings.alpha)) {
    check(text, inputs, count, &y_shape, settings.binding);
    check_addresses(text, inputs, count, &y_shape, y);
    require_real_factors(text, y_shape.type, settings);
    return scale(y_shape, y, settings.beta);
  }
  const void* data[large_limits.operands];
  const int held = std::min(count, large_limits.operands);  // more are refused where they are read
  call_key key(text, count, settings);
  for (int o = 0; o < held; ++o) {
    key.add(inputs[o].shape);
    data[o] = inputs[o].data;
  }
  key.add_twins(data, held);
  key.add(y_shape);
  auto call = recent_calls::of_this_thread().find(key);
  if (!call) {
    call = plan_call(text, inputs, count, y_shape, settings);
    recent_calls::of_this_thread().keep(key, call);
  }
  check_addresses(text, inputs, count, &y_shape, y);
  run(*call, text, data, y_shape, y, settings);
}

void scale(const operand_shape<max_rank>& y_shape, void* y, beta_factor beta) {
  with_scalar(y_shape.type, [&](auto one) {
    using T = decltype(one);
    reference::scale(y_shape, static_cast<T*>(y), evaluating::factor_as<T>(beta));
  });
}

// --- plans ---

struct run_time_plan::planned_call {
  std::string text;
  std::vector<run_time_operand> inputs;  ///< shapes without entries
  operand_shape<max_rank> y;
  bind_options binding;
  path_options path;
  instruction_set isa = best_instruction_set();
  scalar type = scalar::f64;
  bool is_empty = false;
  double flops = 0;
  stored_program overwriting, updating;  ///< for beta = 0 and other beta
};

run_time_plan::run_time_plan(std::string_view text, const run_time_operand* inputs, int count,
                             const operand_shape<max_rank>* y, const call_settings& settings) {
  const auto call = std::make_shared<planned_call>();
  call->text = text;
  call->inputs.assign(inputs, inputs + count);
  for (run_time_operand& x : call->inputs) x.data = nullptr;
  call->binding = settings.binding;
  call->path = settings.path;
  with_limits(text, {inputs, count}, [&]<limits L>() {
    const auto read = read_call<L>(text, inputs, count, y, settings.binding);
    problem<L>& p = read->bound;
    call->y = y != nullptr ? *y : shape_of_result(p);
    call->type = p.type;
    call->is_empty = tenfold::is_empty(p);
    if (call->is_empty) return;
    merge_labels(p);
    const auto plan = plan_or_throw(text, p, settings.path);
    call->flops = plan->flops;
    for (const bool overwrites : {true, false}) {
      with_program(text, p, *plan, capabilities_of(call->isa), overwrites,
                   [&](const auto& runnable) {
                     (overwrites ? call->overwriting : call->updating).keep(runnable);
                   });
    }
  });
  call_ = call;
}

std::string_view run_time_plan::text() const { return call_->text; }
double run_time_plan::flops() const { return call_->flops; }
const operand_shape<max_rank>& run_time_plan::result() const { return call_->y; }

index run_time_plan::workspace_bytes() const { return memory_bytes(call_->overwriting.view()); }

void run_time_plan::run(const run_time_operand* inputs, int count,
                        const operand_shape<max_rank>& y_shape, void* y,
                        const call_settings& settings) const {
  const planned_call& c = *call_;
  const auto planned = static_cast<int>(c.inputs.size());
  if (count != planned)
    throw_diagnostic({diagnosis::operand_count, -1, 0, {planned, count}}, c.text);
  const void* data[large_limits.operands];
  for (int o = 0; o < count; ++o) {
    if (!alike(inputs[o].shape, c.inputs[static_cast<std::size_t>(o)].shape)) {
      throw_diagnostic({diagnosis::unlike_planned, -1, 0, {o}}, c.text);
    }
    data[o] = inputs[o].data;
  }
  if (!alike(y_shape, c.y)) throw_diagnostic({diagnosis::output_unlike_planned}, c.text);
  check_addresses(c.text, inputs, count, &y_shape, y);
  require_real_factors(c.text, c.type, settings);
  if (is_zero(settings.alpha) || c.is_empty) return scale(y_shape, y, settings.beta);
  const stored_program& runnable = is_zero(settings.beta) ? c.overwriting : c.updating;
  with_scalar(c.type, [&](auto one) {
    using T = decltype(one);
    launch(runnable.view(), arguments_of<T>(data, y, settings), c.isa);
  });
}

bool operator==(const run_time_plan& p, const run_time_plan& q) {
  const auto &a = *p.call_, &b = *q.call_;
  return a.text == b.text && a.isa == b.isa && a.binding == b.binding && a.path == b.path &&
         alike(a.y, b.y) &&
         std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(),
                    [](const run_time_operand& x, const run_time_operand& y) {
                      return alike(x.shape, y.shape);
                    });
}

std::ostream& operator<<(std::ostream& out, const run_time_plan& p) {
  const auto& c = *p.call_;
  explained_call call{c.text, c.inputs.data()};
  call.count = static_cast<int>(c.inputs.size());
  call.output = &c.y;
  call.settings.binding = c.binding;
  call.settings.path = c.path;
  return out << explain_operands(call);
}

}  // namespace tenfold
