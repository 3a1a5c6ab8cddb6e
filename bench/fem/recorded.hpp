#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tenfold::bench {

/// Rates of other libraries that were not measured in this run: the table bench/data/fem_peers.txt,
/// whose head says where they come from.
class recorded_rates {
 public:
  /// Ends the program with a sentence (status 2) when the file cannot be read or a line is not
  /// understood.
  explicit recorded_rates(const std::string& file);

  /// Library and GDoF/s, of the problem ("BP1") at degree p; where: "cache" or "memory".
  std::vector<std::pair<std::string, double>> of(const std::string& problem, int p,
                                                 const std::string& where) const;

 private:
  struct line {
    std::string where, problem, library;
    std::vector<double> rates;  ///< GDoF/s, from the first degree on
  };
  std::vector<line> lines_;
};

}  // namespace tenfold::bench
