#pragma once

#include <memory>

#include "trial.hpp"

namespace tenfold::tune {

/// A sample whose sizes the compiler knows, by all choices of fixed_knob; null where it is not
/// compiled. A file of its own for each scalar: fixed_trial.cpp.
template <class T>
std::unique_ptr<trial> make_fixed_trial(const sample&, const size_class&, instruction_set, arena&);

}  // namespace tenfold::tune
