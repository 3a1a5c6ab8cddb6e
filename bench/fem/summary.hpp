#pragma once

#include "common/report.hpp"

namespace tenfold::bench {

/// What the rows in double precision come to, by problem and degree: the kernels in cache beside
/// `hand` and the peak, in flops and degrees of freedom; the mat-vecs beside the bound and the best
/// of the recorded peers.
void print_summary(const report&);

/// GDoF/s over the degree with the bound, for each problem, scalar and place, as SVG beside the
/// JSON. False when one cannot be written.
[[nodiscard]] bool plot_fem(const report&);

}  // namespace tenfold::bench
