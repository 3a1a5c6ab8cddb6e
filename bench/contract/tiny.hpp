#pragma once

#include "common/report.hpp"

namespace tenfold::bench {

/// Expressions of two to four operands whose extents are 2 to 8 and known to the compiler, in
/// double precision, beside loops, Eigen and Fastor.
void run_tiny(report& out);

}  // namespace tenfold::bench
