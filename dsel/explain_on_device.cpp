#include <tenfold/backend/cuda/program.hpp>
#include <tenfold/contraction/make_explanation.hpp>
#include <tenfold/dsel/explain_on_device.hpp>
#include <tenfold/dsel/explain_plan.hpp>
#include <tenfold/dsel/lower_on_device.hpp>

namespace tenfold {

device_explanation<large_limits> explain_on_device(const device_queue& where, std::string_view text,
                                                   const run_time_operand* inputs, int count,
                                                   const operand_shape<max_rank>* y,
                                                   const call_settings& settings) {
  const auto operands = seen_from_host(inputs, count);
  operand_shape<max_rank> out =
      y != nullptr ? *y : result_shape(text, operands.data(), count, settings.binding);
  out.space = device::cpu;
  device_explanation<large_limits> told;
  const auto explain = [&]<limits L>(lowered_call<L>& call) {
    told.plan = explaining<large_limits, L, dynamic_program<L>>(
                    call.read->said, call.read->names, text, call.merged, *call.plan, nullptr, {},
                    call.read->bound.extent, is_zero(settings.beta), false)
                    .run();
    told.device =
        cuda::ready_program(*where.machine, std::move(call.program), where.stream).explain();
  };
  with_lowered(
      text, operands, &out, settings, where.machine->capabilities(), [] {}, explain);
  told.plan.when = planned::at_the_call_for_text;
  told.plan.allocations = -1;
  return told;
}

device_explanation<kernel_limits> explain_kernel_on(const device_queue& where, const kernel& k,
                                                    std::string_view text,
                                                    const run_time_operand* given) {
  const auto operands = seen_from_host(given, k.operand_count);
  index extents[kernel::max_labels];
  learn_extents(k, text, operands.data(), extents);
  const auto made = plan_kernel_on(k, text, operands, extents);
  device_explanation<kernel_limits> told;
  told.device = cuda::ready_program(*where.machine,
                                    lower_kernel(k, *made, operands, where.machine->capabilities()),
                                    where.stream)
                    .explain();
  told.plan =
      explain_plan<dynamic_program<kernel_limits>>(k, text, *made, extents, nullptr, {}, false);
  return told;
}

}  // namespace tenfold
