#pragma once

/// Curves as a file that browsers show: SVG.

#include <array>
#include <iosfwd>
#include <string>
#include <vector>

namespace fem {

struct curve {
  std::string name;  ///< written at its last point
  std::vector<std::array<double, 2>> points;
};

/// Curves over logarithmic axes.
struct panel {
  std::string title, along_x, along_y;
  std::vector<curve> curves;
};

/// Writes panels side by side, each with the decades that its points are in. Points that are not
/// finite and positive are left out.
void write_svg(std::ostream& out, const std::vector<panel>& panels);

}  // namespace fem
