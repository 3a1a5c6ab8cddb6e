#pragma once

#include <string>
#include <tenfold/contraction/explanation.hpp>

namespace tenfold::printing {

/// Why the steps are done as they are, a paragraph for those that run together: how operands are
/// reached, and why this micro-kernel.
std::string reasons(const explanation_view& e);

/// The loops over tiles: where the lanes of each come from and why, and how it is cut into tasks.
std::string loops(const explanation_view& e);

}  // namespace tenfold::printing
