#pragma once

#include <string>
#include <tenfold/backend/cuda/device_machine.hpp>
#include <tenfold/backend/interface/device_halve.hpp>

namespace tenfold::cuda {

/// The name of the one device kernel in the text that makes halves.
inline constexpr const char* halve_entry = "tenfold_halve";

/// Its text, float or double: the same for all matrices.
std::string halve_text(scalar type);

/// Starts one launch of it, `f`.
template <class T>
void halve(device_machine& machine, device_function f, const device_halve_arguments<T>& x,
           void* stream);

}  // namespace tenfold::cuda
