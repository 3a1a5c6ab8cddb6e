#pragma once

#include <iosfwd>
#include <string>
#include <tenfold/backend/interface/explained_launch.hpp>
#include <tenfold/contraction/explanation.hpp>

namespace tenfold {

/// The table: a line for each pairwise step, why each is done as it is, the loops over tiles, and
/// what all of it costs. At most 100 columns while the subscripts are short.
std::string to_string(const explanation_view& e);

/// Writes the table.
std::ostream& operator<<(std::ostream& out, const explanation_view& e);

/// The same of a program on a device: its launches stand for micro-kernels and loops over tiles.
std::string to_string(const explanation_view& e, const explained_device& on);

}  // namespace tenfold
