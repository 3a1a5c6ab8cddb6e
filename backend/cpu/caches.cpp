#include <algorithm>
#include <fstream>
#include <string>
#include <tenfold/backend/cpu/caches.hpp>

namespace tenfold::cpu {

index cache_bytes(int level) {
  for (int i = 0;; ++i) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i);
    std::ifstream level_file(folder + "/level"), type_file(folder + "/type"),
        size_file(folder + "/size");
    int its_level = 0;
    std::string type;
    index size = 0;
    char unit = 'B';  // as in "32768K"
    if (!(level_file >> its_level)) return 0;
    type_file >> type;
    if (its_level != level || type == "Instruction" || !(size_file >> size)) continue;
    size_file >> unit;
    return unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : size;
  }
}

namespace {

cache_sizes& sizes() {
  static cache_sizes known = [] {
    cache_sizes s;
    if (const index l1 = cache_bytes(1); l1 > 0) s.l1 = l1;
    if (const index l2 = cache_bytes(2); l2 > 0) s.l2 = l2;
    if (const index l3 = cache_bytes(3); l3 > 0) s.l3 = l3;
    if (s.l3 < s.l2) s.l3 = s.l2;
    // More is shared by dozens of cores, far from any of them, and often by other machines: of 480
    // MB one core copied 13.9 GB/s, from memory 14.2 (Granite Rapids, a virtual machine).
    s.l3 = std::min<index>(s.l3, index{64} << 20);
    return s;
  }();
  return known;
}

}  // namespace

const cache_sizes& caches() { return sizes(); }

void assume_caches(cache_sizes s) { sizes() = s; }

}  // namespace tenfold::cpu
