#include <memory>
#include <tenfold/backend/launch.hpp>
#include <tenfold/contraction/lower.hpp>
#include <tenfold/contraction/make_explanation.hpp>
#include <tenfold/contraction/make_plan.hpp>
#include <tenfold/dsel/explain_operands.hpp>
#include <tenfold/dsel/read_call.hpp>

namespace tenfold {

explanation<large_limits> explain_operands(const explained_call& call,
                                           const capabilities& machine) {
  explanation<large_limits> out;
  with_limits(call.text, {call.inputs, call.count}, [&]<limits L>() {
    const auto read = read_call<L>(call.text, call.inputs, call.count, call.output,
                                   call.settings.binding);
    const auto explain_program = [&]<class Program>(const problem<L>& planned_from,
                                                    planned when) {
      const bool compiled = when == planned::by_the_compiler;
      const bool overwrites = compiled ? !call.scaled : is_zero(call.settings.beta);
      const auto plan = std::make_unique<contraction_plan<L>>(
          make_plan<L>(planned_from, call.settings.path));
      const auto runnable =
          std::make_unique<Program>(lower<Program>(planned_from, *plan, machine, overwrites));
      if (!runnable->feasible) return false;
      out = explaining<large_limits, L, Program>(read->said, read->names, call.text, planned_from,
                                                 *plan, runnable.get(), machine,
                                                 read->bound.extent, overwrites, compiled)
                .run();
      out.when = when;
      return true;
    };
    if (call.typed_inputs != nullptr) {
      const bind_result<L> typed =
          bind<L, max_rank>(read->said, read->names, call.typed_inputs, call.count,
                            call.typed_output, call.settings.binding);
      const bool runs = explain_program.template operator()<static_program<L>>(
          typed.value, planned::by_the_compiler);
      out.allocations = allocations_of(out, call.allocates_result);
      if (runs) return;
    }
    explain_program.template operator()<dynamic_program<L>>(
        read->bound, call.typed_inputs == nullptr ? planned::at_the_call_for_text
                                                  : planned::at_the_call_for_shape);
    out.allocations = -1;
  });
  return out;
}

explanation<large_limits> explain_operands(const explained_call& call) {
  return explain_operands(call, capabilities_of(best_instruction_set()));
}

}  // namespace tenfold
