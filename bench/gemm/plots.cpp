#include "gemm/plots.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "common/plot.hpp"

namespace tenfold::bench {
namespace {

/// The rows `gemm n=N` + ending of one scalar, layout and place as a plot beside the JSON.
bool plot_rows(const report& out, const std::string& scalar, const std::string& layout,
               const std::string& where, const std::string& ending) {
  std::string file = out.settings().json;
  if (file.empty()) return true;
  if (const auto dot = file.rfind(".json"); dot != std::string::npos) file.erase(dot);
  file += '_' + scalar + '_' + layout + (where == "memory" ? "_memory" : "") +
          (ending.empty() ? "" : "_beta1") + ".svg";
  curve ours{"Tenfold", {}, curve::look::ours}, bound{"bound", {}, curve::look::bound};
  std::vector<curve> others;
  for (const row& r : out.rows()) {
    int n = 0, read = 0;
    if (r.scalar != scalar || r.layout != layout || r.where != where) continue;
    if (std::sscanf(r.case_name.c_str(), "gemm n=%d%n", &n, &read) != 1 ||
        r.case_name.substr(static_cast<std::size_t>(read)) != ending)
      continue;
    ours.points.emplace_back(n, r.tenfold);
    bound.points.emplace_back(n, r.bound.value);
    for (const auto& [name, value] : r.peers) {
      auto at = std::find_if(others.begin(), others.end(),
                             [&, &name = name](const curve& c) { return c.name == name; });
      if (at == others.end()) at = others.insert(at, {name, {}, curve::look::other});
      at->points.emplace_back(n, value);
    }
  }
  if (ours.points.size() < 3) return true;
  std::vector<curve> curves{bound, ours};
  curves.insert(curves.end(), others.begin(), others.end());
  const std::string title =
      "C = A B" + std::string(ending.empty() ? "" : " + C") + ", n x n, batched, " + scalar + ", " +
      layout + (where == "memory" ? ", streaming from memory" : ", in L2") + ", one core";
  if (!write_plot(file, title, "n", "GFLOP/s", curves)) {
    std::fprintf(stderr, "gemm: cannot write %s\n", file.c_str());
    return false;
  }
  std::printf("%s\n", file.c_str());
  return true;
}

}  // namespace

bool plot_squares(const report& out) {
  bool written = true;
  for (const char* layout : {"strided", "interleaved"}) {
    for (const char* scalar : {"d", "s", "z", "c"}) {
      written = plot_rows(out, scalar, layout, "cache", "") && written;
    }
    for (const char* ending : {"", " beta=1"}) {
      written = plot_rows(out, "d", layout, "memory", ending) && written;
    }
  }
  return written;
}

}  // namespace tenfold::bench
