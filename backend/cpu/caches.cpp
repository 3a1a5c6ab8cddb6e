#include <algorithm>
#include <fstream>
#include <string>
#include <tenfold/backend/cpu/caches.hpp>

namespace tenfold::cpu {

namespace {

/// Bytes of the first core's cache of that level, as Linux tells them ("32768K"); 0: it does not.
/// sysconf is not asked: of an AMD processor glibc 2.36 adds up the L3 of all its complexes (320 MB
/// where a core reaches 32, Zen 4).
index told(int level) {
  for (int i = 0;; ++i) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i);
    std::ifstream level_file(folder + "/level"), size_file(folder + "/size");
    int its_level = 0;
    index size = 0;
    char unit = 'B';
    if (!(level_file >> its_level)) return 0;
    if (its_level != level || !(size_file >> size)) continue;
    size_file >> unit;
    return unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : size;
  }
}

cache_sizes& sizes() {
  static cache_sizes known = [] {
    cache_sizes s;
    if (const index l2 = told(2); l2 > 0) s.l2 = l2;
    if (const index l3 = told(3); l3 > 0) s.l3 = l3;
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
