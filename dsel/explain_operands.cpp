#include <memory>
#include <tenfold/backend/launch.hpp>
#include <tenfold/contraction/lower.hpp>
#include <tenfold/contraction/make_explanation.hpp>
#include <tenfold/contraction/merge_labels.hpp>
#include <tenfold/dsel/at_run_time.hpp>
#include <tenfold/dsel/explain_operands.hpp>
#include <tenfold/dsel/read_call.hpp>

namespace tenfold {

namespace {

/// As a call of the literal does: where all operands that look alike to the compiler are one, the
/// terms of a sum share what they have in common.
template <limits L>
void mark_twins_of_types(problem<L>& typed, const problem<L>& bound,
                         const run_time_operand* inputs) {
  if (typed.statement_count == 1) return;
  auto alike = std::make_unique<problem<L>>(typed);
  mark_twins(*alike, [](int, int) { return true; });
  for (int o = 0; o < typed.input_count; ++o) {
    const int twin = alike->twin[o];
    if (twin != o &&
        !(have_one_address(inputs[o], inputs[twin]) && bound.inputs[o] == bound.inputs[twin])) {
      return;
    }
  }
  typed = *alike;
}

/// Whether the call repeats an operand of one entry along a label where its type did not say so:
/// the compiler's program is then not what runs.
template <limits L>
bool repeats_unforeseen(const call_as_read<L>& read, const problem<L>& typed,
                        const explained_call& call) {
  for (int k = 0; k < read.said.count && typed.may_stretch != 0; ++k) {
    const statement<L>& s = read.said.list[k];
    for (int f = 0; f < s.factor_count; ++f) {
      const int o = s.factors[f].source;
      for (int i = 0; o < call.count && i < s.factors[f].labels.count; ++i) {
        const int label = s.factors[f].labels[i];
        const auto at = static_cast<std::size_t>(i);
        if (contains(typed.may_stretch, label) && call.typed_inputs[o].extents[at] == dyn &&
            call.inputs[o].shape.extents[at] == 1 && read.bound.extent[label] != 1) {
          return true;
        }
      }
    }
  }
  return false;
}

}  // namespace

explanation<large_limits> explain_operands(const explained_call& call,
                                           const capabilities& machine) {
  explanation<large_limits> out;
  with_limits(call.text, {call.inputs, call.count}, [&]<limits L>() {
    const auto read =
        read_call<L>(call.text, call.inputs, call.count, call.output, call.settings.binding);
    mark_twins(read->bound, [&](int o, int before) {
      return have_one_address(call.inputs[o], call.inputs[before]);
    });
    const auto explain_program = [&]<class Program>(const problem<L>& bound, planned when) {
      const auto merged = std::make_unique<problem<L>>(bound);
      merge_labels(*merged);
      const problem<L>& planned_from = *merged;
      const bool compiled = when == planned::by_the_compiler;
      const bool overwrites = compiled ? !call.scaled : is_zero(call.settings.beta);
      const auto plan = at_run_time::make_plan<L>(planned_from, call.settings.path);
      if (!plan->found) throw_diagnostic({diagnosis::no_path}, call.text);
      const auto runnable = at_run_time::lower<Program>(planned_from, *plan, machine, overwrites);
      if (!runnable->feasible) return false;
      out = explaining<large_limits, L, Program>(read->said, read->names, call.text, planned_from,
                                                 *plan, runnable.get(), machine, read->bound.extent,
                                                 overwrites, compiled)
                .run();
      out.when = when;
      return true;
    };
    if (call.typed_inputs != nullptr) {
      bind_result<L> typed =
          bind<L, max_rank>(read->said, read->names, call.typed_inputs, call.count,
                            call.typed_output, call.settings.binding);
      mark_twins_of_types(typed.value, read->bound, call.inputs);
      const bool runs = !repeats_unforeseen(*read, typed.value, call) &&
                        explain_program.template operator()<static_program<L>>(
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
