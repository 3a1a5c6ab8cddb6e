#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tenfold::bench {

/// One way of doing the work of a case: one call is one pass over its data.
struct candidate {
  std::string name;
  std::function<void()> pass;
  /// Seconds, where the work is not done by this process; otherwise time_alternately's own.
  std::function<double()> clock = {};
};

struct timing {
  double seconds;  ///< per pass
  double spread;   ///< inter-quartile range over the median
};

struct effort {
  int rounds;             ///< samples of each candidate
  double sample_seconds;  ///< a sample repeats the pass for at least this long
};

/// Seconds of processor time that this process has used: on a shared machine the turns of other
/// processes do not count. One core is in use (all suites but overhead and device keep
/// to one, the calls of overhead are too small for more), so this is the time of one core.
double cpu_seconds();

double median(std::vector<double> values);

/// Relative inter-quartile range.
double spread_of(std::vector<double> values);

/// Times all candidates alternately: one sample of each per round, first to last and then last to
/// first. Every candidate runs once before, and where samples have a length also before each of
/// them: what the one before left in the caches does not count.
///
/// Seconds are read from `now`, processor time if nothing else is said, or the candidate's own
/// clock.
///
/// The time of the first is its median; that of another is the median of its ratios to the first
/// within a round, times that. A machine that is shared changes its speed from one second to the
/// next, and with it that of both.
std::vector<timing> time_alternately(const std::vector<candidate>& candidates, effort,
                                     const std::function<double()>& now = cpu_seconds);

}  // namespace tenfold::bench
