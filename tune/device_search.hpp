#pragma once

#include <functional>
#include <string>
#include <vector>

#include "device_trial.hpp"

namespace tenfold::tune {

/// Seconds that one pass of each takes, timed in turns; the ratios count. `careful`: of the few
/// that are left, for longer.
using pass_timer = std::function<std::vector<double>(
    const std::vector<std::function<void()>>& passes, bool careful)>;

/// What was found for a product, beside what the library does without a table.
struct device_finding {
  tuned_product product;
  device_tiling found;
  bool is_better = false;        ///< by more than noise; otherwise `found` is as shipped
  double shipped = 0, rate = 0;  ///< bytes per second, without a table and as found
  int tried = 0;                 ///< cuts
};

struct device_search_options {
  int candidates = 32;  ///< cuts that are tried, at most
  int threads = 1;      ///< that compile; more than one if the machine may be asked by them
  pass_timer timer;
  /// Is called with what is being done; may throw `interrupted`.
  std::function<void(const std::string&)> progress;
  /// Is called with a sentence on what should not be.
  std::function<void(const std::string&)> warn;
};

/// Finds the tiling of the fastest cut of a product.
///
/// Half of the candidates are the cuts that select considers, the best by its model first. The
/// other half differ in one value from the two that were fastest so far: groups, problems, panel,
/// buffers, unrolling. All are timed a short while beside the cut without a table, the best
/// three then longer; the fastest of these is taken if it is faster by more than 2 %. No cut is
/// timed before its results are right on a small batch, and none is taken whose results on the
/// whole batch are not those of the cut without a table.
///
/// Throws backend_error if the device fails, and std::runtime_error, with a sentence, if results
/// are wrong without a table.
device_finding search(const tuned_product&, device_arena&, const device_search_options&);

}  // namespace tenfold::tune
