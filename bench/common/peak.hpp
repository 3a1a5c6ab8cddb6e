#pragma once

#include "common/timing.hpp"

namespace tenfold::bench {

/// Measured rates of fused multiply-adds of one core with the instruction set of this program,
/// GFLOP/s.
struct peak_rates {
  double d, s;
};

peak_rates measure_peak(bool quick);

/// The loop of multiply-adds itself, to be timed beside others; `scalar` is a letter of BLAS.
struct peak_loop {
  candidate loop;
  double flops;  ///< of one pass
};
peak_loop multiply_adds(char scalar);

}  // namespace tenfold::bench
