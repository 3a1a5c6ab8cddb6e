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
/// registers for each thread, until none spills; with each number of blocks passes of one round are
/// straight code first, then loops. Which of both takes fewer registers the assembler alone knows:
/// out of loops it carries constants, straight code it rearranges. (Of the mass operator p = 8
/// takes 72 and 128, of the collocated stiffness p = 10 takes 168 and 128.)
template <class Compile>
auto compile_without_spills(device_phase& phase, const Compile& compile) {
  for (;; phase.resident -= (phase.resident + 7) / 8) {
    for (const bool straight : {true, false}) {
      phase.straight = straight;
      auto made = compile();
      const bool is_last = phase.resident == 1 && !straight;
      if (made.spilled_bytes == 0 || !phase.shares || is_last) return made;
    }
  }
}

}  // namespace tenfold::cuda
