#pragma once

#include <string>
#include <tenfold/backend/interface/device_program.hpp>

namespace tenfold::cuda {

/// The name of the one device kernel in such a text.
inline constexpr const char* program_entry = "tenfold_phase";

/// A phase as C++ text: its constants and one device kernel. What only a call tells, how many
/// elements there are and where they lie, is not in it.
std::string program_text(scalar type, const device_phase& phase);

}  // namespace tenfold::cuda
