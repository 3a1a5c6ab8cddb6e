#include "fem/summary.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "common/plot.hpp"
#include "fem/problems.hpp"

namespace tenfold::bench {
namespace {

/// "BK1 p=4" as its parts.
struct case_parts {
  std::string problem;
  int number = 0, p = 0;
};
case_parts parts_of(const row& r) {
  case_parts c;
  c.problem = r.case_name.substr(0, 3);
  std::sscanf(r.case_name.c_str() + 2, "%d p=%d", &c.number, &c.p);
  return c;
}

double peer(const row& r, const std::string& name) {
  for (const auto& [n, value] : r.peers) {
    if (n == name) return value;
  }
  return 0;
}

const std::pair<std::string, double>* best_recorded(const row& r) {
  const std::pair<std::string, double>* best = nullptr;
  for (const auto& p : r.peers) {
    if (p.first.find("recorded") == std::string::npos) continue;
    if (best == nullptr || p.second > best->second) best = &p;
  }
  return best;
}

/// Degrees of freedom of an element, p^3, over its flops.
double dofs_per_flop(const case_parts& c) {
  const auto kind = static_cast<operator_kind>((c.number - 1) / 2);
  return c.p * c.p * c.p / element_flops(kind, c.p);
}

bool plot_rows(const report& out, const std::string& problem, const std::string& scalar,
               const std::string& where) {
  std::string file = out.settings().json;
  if (file.empty()) return true;
  if (const auto dot = file.rfind(".json"); dot != std::string::npos) file.erase(dot);
  file += '_' + problem + '_' + scalar + '_' + where + ".svg";
  curve ours{"Tenfold", {}, curve::look::ours}, bound{"bound", {}, curve::look::bound};
  std::vector<curve> others;
  for (const row& r : out.rows()) {
    const case_parts c = parts_of(r);
    if (c.problem != problem || r.scalar != scalar || r.where != where) continue;
    const double factor = r.unit == "GFLOP/s" ? dofs_per_flop(c) : 1;
    ours.points.emplace_back(c.p, factor * r.tenfold);
    bound.points.emplace_back(c.p, factor * r.bound.value);
    for (const auto& [name, value] : r.peers) {
      auto at = std::find_if(others.begin(), others.end(),
                             [&, &name = name](const curve& x) { return x.name == name; });
      if (at == others.end()) at = others.insert(at, {name, {}, curve::look::other});
      at->points.emplace_back(c.p, factor * value);
    }
  }
  if (ours.points.size() < 3) return true;
  std::vector<curve> curves{bound, ours};
  curves.insert(curves.end(), others.begin(), others.end());
  const std::string title =
      problem + ", " + (scalar == "d" ? "double" : "single") + " precision, " +
      (where == "memory" ? "streaming from memory" : "in cache") + ", one core";
  if (!write_plot(file, title, "degree p", "GDoF/s", curves)) {
    std::fprintf(stderr, "fem: cannot write %s\n", file.c_str());
    return false;
  }
  std::printf("%s\n", file.c_str());
  return true;
}

}  // namespace

void print_summary(const report& out) {
  std::printf("\n%-8s %10s %8s %8s %8s  %s\n", "kernels", "GFLOP/s", "GDoF/s", "of hand", "of peak",
              "run-time extents, of this");
  for (const row& r : out.rows()) {
    const case_parts c = parts_of(r);
    if (r.unit != "GFLOP/s" || r.scalar != "d") continue;
    std::printf("%-8s %10.1f %8.3f", r.case_name.c_str(), r.tenfold, r.tenfold * dofs_per_flop(c));
    if (const double hand = peer(r, "hand"); hand > 0)
      std::printf(" %8.2f", r.tenfold / hand);
    else
      std::printf(" %8s", "-");
    std::printf(" %8.2f  %.2f\n", r.tenfold / r.bound.value,
                peer(r, "run-time extents") / r.tenfold);
  }
  std::printf("\n%-8s %-7s %8s %9s %8s  %s\n", "mat-vec", "where", "MDoF/s", "of bound", "of hand",
              "best recorded peer (tenfold / peer)");
  for (const row& r : out.rows()) {
    if (r.unit != "GDoF/s" || r.scalar != "d") continue;
    std::printf("%-8s %-7s %8.0f %9.2f %8.2f", r.case_name.c_str(), r.where.c_str(),
                1e3 * r.tenfold, r.tenfold / r.bound.value, r.tenfold / peer(r, "hand"));
    if (const auto* best = best_recorded(r)) {
      std::printf("  %s %.0f (%.2f)", best->first.c_str(), 1e3 * best->second,
                  r.tenfold / best->second);
    }
    std::printf("\n");
  }
  std::printf("\n");
}

bool plot_fem(const report& out) {
  bool written = true;
  for (const char* scalar : {"d", "s"}) {
    for (const char* problem : {"BK1", "BK3", "BK5"}) {
      written = plot_rows(out, problem, scalar, "cache") && written;
    }
    for (const char* problem : {"BP1", "BP2", "BP3", "BP4", "BP5", "BP6"}) {
      for (const char* where : {"cache", "memory"}) {
        written = plot_rows(out, problem, scalar, where) && written;
      }
    }
  }
  return written;
}

}  // namespace tenfold::bench
