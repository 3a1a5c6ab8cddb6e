#pragma once

#include <iosfwd>
#include <string>
#include <tenfold/contraction/explanation.hpp>

namespace tenfold {

/// The table: a line for each pairwise step, why each is done as it is, the loops over tiles, and
/// what all of it costs. At most 100 columns while the subscripts are short.
std::string to_string(const explanation_view& e);

/// Writes the table.
std::ostream& operator<<(std::ostream& out, const explanation_view& e);

}  // namespace tenfold
