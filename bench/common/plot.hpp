#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tenfold::bench {

/// One line of a plot, through its points in order.
struct curve {
  enum class look { ours, other, bound };

  std::string name;
  std::vector<std::pair<double, double>> points;
  look how = look::other;
};

/// Writes curves over one pair of linear axes as an SVG. False when it cannot be written.
[[nodiscard]] bool write_plot(const std::string& file, const std::string& title,
                              const std::string& x_label, const std::string& y_label,
                              const std::vector<curve>& curves);

}  // namespace tenfold::bench
