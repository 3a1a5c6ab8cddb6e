#pragma once

#include <algorithm>
#include <string_view>
#include <tenfold/contraction/make_explanation.hpp>
#include <tenfold/dsel/at_run_time.hpp>
#include <tenfold/dsel/planned_kernel.hpp>
#include <tenfold/dsel/run_kernel.hpp>

namespace tenfold {

/// The explanation of a fused kernel that is planned, with amounts of one value of the batch label.
/// `runnable` may be null: then nothing is said of micro-kernels. The plan is of no use afterwards.
template <class Program>
kernel_explanation explain_plan(const kernel& k, std::string_view text, planned_kernel& made,
                                const index* extents, const Program* runnable,
                                const capabilities& machine, bool compiled) {
  problem<kernel_limits>& p = made.bound.value;
  explained_input sources[kernel_limits.operands];
  for (int o = 0; o < p.input_count; ++o) {
    const unrolled_input& in = made.unrolled.inputs[o];
    const label_name& name = k.operands[in.operand].name;
    sources[o].name =
        text.substr(static_cast<std::size_t>(name.begin), static_cast<std::size_t>(name.length));
    for (const int at : in.fixed) sources[o].slice = at >= 0 ? at : sources[o].slice;
    for (int before = 0; before < o; ++before) {
      const unrolled_input& other = made.unrolled.inputs[before];
      if (other.operand == in.operand && std::equal(in.fixed, std::end(in.fixed), other.fixed)) {
        sources[o].again = true;
      }
    }
  }
  // What is said of the batch is said of one value of it.
  const index values = p.extent[p.batch];
  p.extent[p.batch] = dyn;
  if (values != dyn && values > 0) {
    made.plan.flops = 0;
    for (int s = 0; s < made.plan.step_count; ++s) {
      plan_step<kernel_limits>& step = made.plan.steps[s];
      if (contains(step.labels, p.batch)) step.flops /= static_cast<double>(values);
      made.plan.flops += step.flops;
    }
    made.plan.naive_flops = at_run_time::make_plan<kernel_limits>(p, {})->naive_flops;
  }
  index shown[kernel_limits.labels];
  for (int l = 0; l < p.label_count; ++l) {
    const int label = made.unrolled.label[l];
    shown[l] = label == k.batch ? dyn : extents[label];
  }
  auto out = explaining<kernel_limits, kernel_limits, Program>(
                 made.unrolled.said, made.unrolled.names, text, p, made.plan, runnable, machine,
                 shown, !k.adds_to_output(), compiled)
                 .run(sources);
  out.when = compiled ? planned::by_the_compiler : planned::at_the_call_for_shape;
  out.allocations = compiled ? 0 : -1;
  return out;
}

}  // namespace tenfold
