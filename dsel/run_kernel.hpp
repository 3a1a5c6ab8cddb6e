#pragma once

#include <tenfold/contraction/kernel.hpp>
#include <tenfold/dsel/run_time.hpp>

/// The compiled door of fused kernels: what is checked at each call, and kernels whose extents only
/// the call tells.
namespace tenfold {

/// Learns the extents of a kernel's labels from its operands (those of locals are not looked at).
/// Throws shape_error where two extents of a label differ, backend_error for an operand that is not
/// strided, and overlap_error unless the output is proved to share no address with an input.
void admit_kernel(const kernel& k, std::string_view text, const run_time_operand* operands,
                  index* extents);

/// Runs a kernel that has been admitted: unrolled, planned and lowered now, by the functions that
/// the compiler uses.
void run_kernel(const kernel& k, std::string_view text, const run_time_operand* operands,
                const index* extents);

}  // namespace tenfold
