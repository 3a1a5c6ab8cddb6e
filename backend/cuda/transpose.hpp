#pragma once

#include <string>
#include <tenfold/backend/cuda/device_machine.hpp>
#include <tenfold/backend/interface/device_transpose.hpp>

namespace tenfold::cuda {

/// The name of the one device kernel in such a text.
inline constexpr const char* transpose_entry = "tenfold_transpose";

/// The text that puts entries in another order, computing in `type`.
std::string transpose_text(scalar type, const device_transpose& how);

/// Starts one launch of it, `f`, for so many parts. Says itself whether all begins at multiples of
/// 16 bytes.
template <class T>
void transpose(device_machine& machine, device_function f, const device_transpose& how, index parts,
               device_transpose_arguments<T> x, void* stream);

}  // namespace tenfold::cuda
