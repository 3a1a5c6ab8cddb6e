#pragma once

#include <tenfold/contraction/explanation.hpp>
#include <tenfold/contraction/unroll.hpp>
#include <tenfold/dsel/run_time.hpp>

/// The compiled door of fused kernels: what is checked at each call, and kernels whose extents only
/// the call tells.
namespace tenfold {

/// Learns the extents of a kernel's labels from its operands (those of locals are not looked at).
/// Throws shape_error where two extents of a label differ, backend_error for an operand that is not
/// strided, and overlap_error unless the output is proved to share no address with an input.
void admit_kernel(const kernel& k, std::string_view text, const run_time_operand* operands,
                  index* extents);

/// Every entry of a gathered operand := 0.
void clear_entries(const run_time_operand& y);

/// Runs a kernel that has been admitted: unrolled, planned and lowered now, by the functions that
/// the compiler uses.
void run_kernel(const kernel& k, std::string_view text, const run_time_operand* operands,
                const index* extents);

using kernel_explanation = explanation<kernel_limits>;

/// What a call of the kernel does. `types` is what the types of the operands tell, `dyn` for the
/// rest; `compiled_for` is the machine that the compiler planned for, null where the call plans.
/// Amounts are those of one value of the batch label. Throws as the call.
kernel_explanation explain_kernel(const kernel& k, std::string_view text,
                                  const run_time_operand* operands,
                                  const operand_shape<max_rank>* types,
                                  const capabilities* compiled_for);

}  // namespace tenfold
