#pragma once

#include <optional>
#include <tenfold/contraction/explanation.hpp>
#include <tenfold/dsel/run_time.hpp>

namespace tenfold {

/// What einsum(text, ...) does with operands that are known only when the program runs. `y`, the
/// destination, may be null; without `machine` it is the CPU at hand; `overwrites` where beta is 0;
/// `when` says why the call plans. Throws as result_shape.
explanation<large_limits> explain_at_the_call(std::string_view text, const run_time_operand* inputs,
                                              int count, const operand_shape<max_rank>* y,
                                              const std::optional<capabilities>& machine,
                                              bool overwrites, planned when);

}  // namespace tenfold
