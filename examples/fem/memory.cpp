#include "memory.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>

#include "mesh.hpp"
#include "problem_error.hpp"

namespace fem {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// The number in a file that holds nothing else, or `otherwise`.
double number_in(const std::string& file, double otherwise) {
  std::ifstream in(file);
  double value = 0;
  return in >> value ? value : otherwise;
}

/// The number behind `name` in one of the kernel's tables, or `otherwise`.
double entry_in(const std::string& file, const std::string& name, double otherwise) {
  std::ifstream in(file);
  for (std::string word; in >> word;) {
    double value = 0;
    if (word == name && in >> value) return value;
  }
  return otherwise;
}

std::string gigabytes(double bytes) {
  std::array<char, 64> text{};
  const double value = bytes / 1e9;
  std::snprintf(text.data(), text.size(), value < 1e6 ? "%.1f" : "%.1e", value);
  return std::string(text.data()) + " GB";
}

/// (n p - 1)^d nodes inside each vertex, edge, face or hexahedron, of dimension d.
double node_count(int p, const topology& shared, int n) {
  double nodes = 0;
  for (std::size_t d = 0; d < 4; ++d) {
    nodes += shared.counts()[d] * std::pow(double(n) * p - 1, static_cast<double>(d));
  }
  return nodes;
}

}  // namespace

double needed_bytes(int p, const topology& shared, int n, bool output) {
  const auto hexahedra = static_cast<double>(shared.hexahedra());
  const double elements = std::max(8.0, hexahedra * std::pow(n, 3));
  const double parts_of_hexahedra = hexahedra * 6000;  // copies of the topology, numberings
  const double shapes = node_count(p, shared, n) * sizeof(point);
  double bytes = parts_of_hexahedra + shapes;
  for (int q = p; q >= 1; q /= 2) {  // multigrid's levels
    const double nodes = node_count(q, shared, n);
    const double at_points = elements * std::pow(q + 2, 3) * sizeof(double);  // M and D
    const double map = elements * std::pow(q + 1, 3) * sizeof(std::int32_t);
    const double vectors = 15 * nodes * sizeof(double);
    bytes += 7 * at_points + map + vectors;
  }
  return bytes + (output ? 5 * node_count(p, shared, n) * sizeof(double) : 0);
}

double available_bytes() {
  double bytes = 1024 * entry_in("/proc/meminfo", "MemAvailable:", unlimited);

  // A container's limit, in the two ways that Linux has to say it; files in memory give way.
  const double limit = number_in("/sys/fs/cgroup/memory.max", unlimited);
  const double used = number_in("/sys/fs/cgroup/memory.current", 0) -
                      entry_in("/sys/fs/cgroup/memory.stat", "inactive_file", 0);
  bytes = std::min(bytes, limit - used);
  const std::string v1 = "/sys/fs/cgroup/memory/memory.";
  const double limit1 = number_in(v1 + "limit_in_bytes", unlimited);
  const double used1 =
      number_in(v1 + "usage_in_bytes", 0) - entry_in(v1 + "stat", "total_inactive_file", 0);
  bytes = std::min(bytes, limit1 - used1);

  rlimit address_space{};
  if (getrlimit(RLIMIT_AS, &address_space) == 0 && address_space.rlim_cur != RLIM_INFINITY) {
    const double mapped = 1024 * entry_in("/proc/self/status", "VmSize:", 0);
    bytes = std::min(bytes, static_cast<double>(address_space.rlim_cur) - mapped);
  }
  return std::max(0.0, bytes);
}

namespace {

/// Throws if `what` needs more than `available` bytes, or has more entries in a vector than there
/// are numbers.
void check(const std::string& what, double needed, double entries, double available,
           const char* choose) {
  if (needed > available) {
    throw problem_error(what + " needs about " + gigabytes(needed) + " of memory, and " +
                        gigabytes(available) + " are free; choose " + choose);
  }
  if (entries > std::numeric_limits<std::int32_t>::max()) {
    throw problem_error(what + " has more nodes than the 2^31 - 1 that this program can number");
  }
}

std::string degree_on(int p, const topology& shared, int n) {
  return "degree " + std::to_string(p) + " on " + elements_text(shared, std::to_string(n));
}

}  // namespace

void check_memory(int p, const topology& shared, int n, bool output, double available) {
  check(degree_on(p, shared, n), needed_bytes(p, shared, n, output), node_count(p, shared, n),
        available, "a smaller --refine or --degree");
}

void check_memory_of_bake_off(int p, int components, const topology& shared, int n, int Q1D,
                              int numbers, double available) {
  const double elements = std::max(8.0, static_cast<double>(shared.hexahedra()) * std::pow(n, 3));
  const double nodes = node_count(p, shared, n), entries = components * nodes;
  const double at_points = (numbers + 1) * elements * std::pow(Q1D, 3) * sizeof(double);  // M, too
  const double map = components * elements * std::pow(p + 1, 3) * sizeof(std::int32_t);
  const double of_node = 9 * sizeof(double);  // places and numbers
  check(degree_on(p, shared, n), at_points + map + nodes * of_node + 9 * entries * sizeof(double),
        entries, available, "fewer --elements or a smaller --degree");
}

}  // namespace fem
