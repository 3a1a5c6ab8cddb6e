#pragma once

#include <string>
#include <tenfold/backend/cuda/device_machine.hpp>
#include <tenfold/backend/interface/device_variable_gemm.hpp>
#include <tenfold/tensor/scalar.hpp>

namespace tenfold::cuda {

/// The name of the device kernel in the text of a variable batch.
inline constexpr const char* variable_gemm_entry = "tenfold_variable_gemm";

/// The text of variable batches: the cut as constants, the scalar, and one device kernel, which
/// takes one device_variable_arguments. All else is in variable_gemm.device.hpp.
std::string variable_gemm_text(scalar type, const device_variable_gemm& cut);

/// C(b) := alpha(b) op(A(b)) op(B(b)) + beta(b) C(b) for `count` problems of scalar `type` whose
/// descriptors, device_gemm_problem, lie at `problems` on the device. `codes` there, if not null,
/// gets 0 for each, or -i where its argument i is illegal, as in cblas_gemm; then its C is left as
/// it is. The cut suits problems of `usual` rows and columns; others are computed as well. Started
/// on `stream`, not waited for. Throws backend_error for what the device cannot do.
void variable_gemm(device_machine& machine, scalar type, bool by_row, const void* problems,
                   int* codes, index count, index usual, void* stream);
/// The same with this cut, in groups of `group` problems, at most variable_problems.
void variable_gemm(device_machine& machine, scalar type, const device_variable_gemm& cut, int group,
                   bool by_row, const void* problems, int* codes, index count, void* stream);

}  // namespace tenfold::cuda
