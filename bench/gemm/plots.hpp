#pragma once

#include "common/report.hpp"

namespace tenfold::bench {

/// GFLOP/s over n of all squares in the report, one plot for each scalar, layout and place, beside
/// the JSON. False where one cannot be written.
[[nodiscard]] bool plot_squares(const report&);

}  // namespace tenfold::bench
