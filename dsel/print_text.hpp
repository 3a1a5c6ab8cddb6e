#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <tenfold/tensor/extents.hpp>
#include <vector>

/// Numbers and tables as text.
namespace tenfold::printing {

/// printf into a string: short texts of numbers and names.
template <class... A>
std::string format(const char* how, A... a) {
  const int n = std::snprintf(nullptr, 0, how, a...);
  std::string s(static_cast<std::size_t>(n), '\0');
  std::snprintf(s.data(), s.size() + 1, how, a...);
  return s;
}

/// All digits up to a million, then four and a power of 1000.
inline std::string number(double x) {
  if (x < 0) return format("-%s", number(-x).c_str());
  if (x < 1e6) return format(x == static_cast<double>(static_cast<index>(x)) ? "%.0f" : "%.1f", x);
  const char* unit = "";
  for (const char* u : {"k", "M", "G", "T", "P", "E"}) {
    if (x < 1e3) break;
    x /= 1e3;
    unit = u;
  }
  return format("%.4g%s", x, unit);
}

inline std::string ratio(double x) {
  return format(x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x);
}

inline std::string in_bytes(double x) {
  if (x < 1024) return format("%.0f B", x);
  if (x < 1024.0 * 1024) return format("%.1f KiB", x / 1024);
  return format("%.1f MiB", x / 1024 / 1024);
}

inline std::string in_seconds(double x) {
  return x < 1e-3 ? format("%.3g us", x * 1e6) : format("%.3g ms", x * 1e3);
}

using row = std::vector<std::string>;

/// Columns as wide as their widest entry; `right` names those that hold numbers.
inline std::string aligned(const std::vector<row>& rows, std::string_view right) {
  std::vector<std::size_t> width(rows[0].size());
  for (const row& r : rows) {
    for (std::size_t c = 0; c < r.size(); ++c) width[c] = std::max(width[c], r[c].size());
  }
  std::string out;
  for (const row& r : rows) {
    std::string line;
    for (std::size_t c = 0; c < r.size(); ++c) {
      const std::string space(width[c] - r[c].size(), ' ');
      line += right[c] == '>' ? space + r[c] : r[c] + space;
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

inline std::string whole(index n) { return number(static_cast<double>(n)); }
inline std::string counted(index n, const char* what) {
  return whole(n) + " " + what + (n == 1 ? "" : "s");
}

}  // namespace tenfold::printing
