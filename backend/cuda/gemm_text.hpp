#pragma once

#include <string>
#include <tenfold/backend/interface/device_gemm.hpp>
#include <tenfold/tensor/scalar.hpp>

namespace tenfold::cuda {

/// The name of the device kernel in the text of a batched product.
inline constexpr const char* gemm_entry = "tenfold_gemm";

/// The text of one batched product: the cut as constants, the scalar, and one device kernel, which
/// takes one device_gemm_arguments. All else is in gemm.device.hpp.
std::string gemm_text(scalar type, const device_gemm& cut);

}  // namespace tenfold::cuda
