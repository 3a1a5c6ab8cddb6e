#pragma once

#include <string>
#include <tenfold/backend/interface/device_program.hpp>

namespace tenfold::cuda {

/// The name of the one device kernel in such a text.
inline constexpr const char* program_entry = "tenfold_phase";
/// That of its constants, if it has any.
inline constexpr const char* program_constants = "tenfold_constants";

/// A phase as C++ text: its constants and one device kernel. What only a call tells, how many
/// elements there are and where they lie, is not in it.
std::string program_text(scalar type, const device_phase& phase);

/// compile() of the text of a phase that has fewer and fewer blocks on a multiprocessor, so more
/// registers for each thread, until none spills.
template <class Compile>
auto compile_without_spills(device_phase& phase, const Compile& compile) {
  auto made = compile();
  while (made.spilled_bytes > 0 && phase.resident > 1) {
    phase.resident -= (phase.resident + 7) / 8;
    made = compile();
  }
  return made;
}

}  // namespace tenfold::cuda
