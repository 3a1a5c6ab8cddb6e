#pragma once

#include <string>
#include <tenfold/backend/interface/select/device_programs.hpp>

namespace tenfold::cuda {

/// The name of the one device kernel in such a text.
inline constexpr const char* program_entry = "tenfold_phase";
/// That of its constants, if it has any.
inline constexpr const char* program_constants = "tenfold_constants";

/// A phase as C++ text: its constants and one device kernel. What only a call tells, how many
/// elements there are and where they lie, is not in it.
std::string program_text(scalar type, const device_phase& phase);

/// compile() of the text of a phase that has fewer and fewer blocks on a multiprocessor, so more
/// registers for each thread, until none spills. Passes of one round are straight code, or loops
/// where these take far fewer registers: the assembler carries constants out of loops, but
/// rearranges straight code.
template <class Compile>
auto compile_without_spills(device_phase& phase, const Compile& compile) {
  const auto fewer = [](int blocks) { return blocks - (blocks + 7) / 8; };
  const int wanted = phase.resident;
  auto straight = compile();
  for (; straight.spilled_bytes > 0 && phase.resident > 1; straight = compile())
    phase.resident = fewer(phase.resident);
  const int held = phase.resident;
  if (held == wanted || !phase.shares) return straight;
  phase.straight = false;
  const double least = straight.spilled_bytes > 0 ? 0 : select::device_loops_from * held;
  for (phase.resident = wanted; phase.resident >= least && phase.resident > 0;
       phase.resident = fewer(phase.resident)) {
    const auto loops = compile();
    if (loops.spilled_bytes == 0) return loops;
  }
  phase.straight = true;
  phase.resident = held;
  return straight;
}

}  // namespace tenfold::cuda
