#pragma once

#include <tenfold/backend/cpu/scratch.hpp>
#include <tenfold/contraction/explanation.hpp>
#include <tenfold/dsel/run_time.hpp>

/// The compiled door to explanations of calls: a user's file pays for neither planner nor text.
namespace tenfold {

/// A call as explain sees it.
struct explained_call {
  std::string_view text;
  const run_time_operand* inputs = nullptr;
  int count = 0;
  const operand_shape<max_rank>* output = nullptr;  ///< of the destination; null: by value
  call_settings settings{};
  bool scaled = false;  ///< alpha or beta is given
  /// What the types of the operands tell, `dyn` for the rest; null where the call plans anyway.
  const operand_shape<max_rank>* typed_inputs = nullptr;
  const operand_shape<max_rank>* typed_output = nullptr;
  bool allocates_result = false;  ///< returned by value in memory of its own
};

/// Memory that one call takes from the heap.
constexpr int allocations_of(const explanation_summary& e, bool allocates_result) {
  const bool kept = e.workspace_bytes <= static_cast<index>(cpu::scratch_block::kept_bytes);
  return (allocates_result ? 1 : 0) + (kept ? 0 : 1);
}

/// What einsum does in a call: where types are given, what the compiler planned from them, done
/// once more. Throws as result_shape.
explanation<large_limits> explain_operands(const explained_call& call, const capabilities& machine);

/// The same on the best instruction set of the CPU at hand, where the call plans.
explanation<large_limits> explain_operands(const explained_call& call);

}  // namespace tenfold
