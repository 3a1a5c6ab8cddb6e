#pragma once

#include <span>
#include <string>
#include <tenfold/backend/interface/capabilities.hpp>
#include <tenfold/backend/tuning_table.hpp>
#include <tenfold/tensor/error.hpp>

/// The instruction sets that a library carries kernels for, all or those that
/// TENFOLD_INSTRUCTION_SETS named when it was compiled.
namespace tenfold {

/// What TENFOLD_INSTRUCTION_SETS calls one.
inline std::string option_of(instruction_set set) {
  return set == instruction_set::baseline ? "sse2" : name_of(set);
}

/// The best of `carried`, which are in rising order, of a CPU that has those up to `most`.
///
/// Throws backend_error where the CPU has none of them.
inline instruction_set best_of(std::span<const instruction_set> carried, instruction_set most) {
  for (std::size_t i = carried.size(); i-- > 0;)
    if (carried[i] <= most) return carried[i];
  std::string names;
  for (const instruction_set set : carried) names += (names.empty() ? "" : ", ") + option_of(set);
  throw backend_error("tenfold: this library carries kernels for " + names +
                      " alone (TENFOLD_INSTRUCTION_SETS), which this CPU lacks");
}

}  // namespace tenfold
