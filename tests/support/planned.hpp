#pragma once

#include <expected.hpp>
#include <string_view>
#include <tenfold/backend/launch.hpp>
#include <tenfold/dsel/run_time.hpp>
#include <tenfold/tensor/error.hpp>
#include <vector>

/// The run-time way of an expression, step by step, so that a test can stand between two of them.
/// Expects subscripts and operands without errors.
namespace tenfold::testing {

/// Sum over the steps of the plan of (k + 2), k the number of entries that the step sums into one:
/// the factor of the tolerance. It takes the plan as it is; a plan that sums more than needed is
/// caught by the tests of flops.
double work_of(std::string_view text, const operand_list& operands,
               const call_settings& settings = {});

/// y := alpha * expression + beta * y on the micro-kernels of one instruction set, planned for an
/// L2 cache of so many bytes, or for the usual one: what is done for large operands, small ones
/// reach.
void evaluate_on(instruction_set isa, std::string_view text, const operand_list& operands,
                 const operand_shape<max_rank>& y_shape, void* y,
                 const call_settings& settings = {}, index l2_bytes = 0);

/// What the program of one instruction set keeps between its phases, in entries.
index workspace_on(instruction_set isa, std::string_view text, const operand_list& operands);

/// The instruction sets that this CPU can run.
inline std::vector<instruction_set> instruction_sets() {
  std::vector<instruction_set> all;
  for (const auto isa :
       {instruction_set::baseline, instruction_set::avx2, instruction_set::avx512}) {
    if (isa <= best_instruction_set()) all.push_back(isa);
  }
  return all;
}

}  // namespace tenfold::testing
