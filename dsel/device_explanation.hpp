#pragma once

#include <ostream>
#include <tenfold/contraction/explanation.hpp>
#include <tenfold/dsel/print_explanation.hpp>

namespace tenfold {

/// What a call on a device becomes: the plan, and the launches that run it.
template <limits L>
struct device_explanation {
  explanation<L>
      plan;  ///< what it says of micro-kernels, phases and scratch is the host's: nothing
  explained_device device;
};

template <limits L>
std::string to_string(const device_explanation<L>& e) {
  return to_string(explanation_view(e.plan), e.device);
}
template <limits L>
std::ostream& operator<<(std::ostream& out, const device_explanation<L>& e) {
  return out << to_string(e);
}

}  // namespace tenfold
