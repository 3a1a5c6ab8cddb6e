#include "common/timing.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace tenfold::bench {
namespace {

double quantile(const std::vector<double>& sorted, double fraction) {
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, sorted.size() - 1);
  const double weight = place - std::floor(place);
  return (1 - weight) * sorted[below] + weight * sorted[above];
}

double seconds_of(const candidate& c, int passes, const std::function<double()>& now) {
  const std::function<double()>& clock = c.clock ? c.clock : now;
  const double start = clock();
  for (int i = 0; i < passes; ++i) c.pass();
  return clock() - start;
}

/// Passes that fill a sample.
int passes_of(const candidate& c, double sample_seconds, const std::function<double()>& now) {
  c.pass();
  if (sample_seconds <= 0) return 1;
  int passes = 1;
  for (;;) {
    const double seconds = seconds_of(c, passes, now);
    if (seconds >= sample_seconds || passes >= 1 << 24) return passes;
    const double wanted = seconds > 0 ? 1.1 * sample_seconds / seconds : 10;
    passes = static_cast<int>(std::ceil(passes * std::clamp(wanted, 1.1, 10.0)));
  }
}

}  // namespace

double cpu_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

double spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (quantile(values, 0.75) - quantile(values, 0.25)) / quantile(values, 0.5);
}

std::vector<timing> time_alternately(const std::vector<candidate>& candidates, effort e,
                                     const std::function<double()>& now) {
  std::vector<int> passes;
  passes.reserve(candidates.size());
  for (const candidate& c : candidates) passes.push_back(passes_of(c, e.sample_seconds, now));
  std::vector<std::vector<double>> samples(candidates.size());
  for (int round = 0; round < e.rounds; ++round) {
    for (std::size_t place = 0; place < candidates.size(); ++place) {
      const std::size_t i = round % 2 == 0 ? place : candidates.size() - 1 - place;
      if (e.sample_seconds > 0) candidates[i].pass();
      samples[i].push_back(seconds_of(candidates[i], passes[i], now) / passes[i]);
    }
  }
  std::vector<timing> result;
  for (const std::vector<double>& s : samples) {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < s.size(); ++round) {
      ratios.push_back(s[round] / samples[0][round]);
    }
    result.push_back({median(samples[0]) * median(ratios), spread_of(s)});
  }
  return result;
}

}  // namespace tenfold::bench
