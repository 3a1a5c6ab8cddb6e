#pragma once

namespace tenfold::bench {

/// Measured rates of fused multiply-adds of one core with the instruction set of this program,
/// GFLOP/s.
struct peak_rates {
  double d, s;
};

peak_rates measure_peak(bool quick);

}  // namespace tenfold::bench
