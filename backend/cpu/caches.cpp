#include <algorithm>
#include <atomic>
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

/// One by one: three sizes from two calls of assume_caches are as good as any.
struct sizes_in_use {
  std::atomic<index> l1, l2, l3;

  sizes_in_use() {
    cache_sizes s;
    if (const index bytes = cache_bytes(1); bytes > 0) s.l1 = bytes;
    if (const index bytes = cache_bytes(2); bytes > 0) s.l2 = bytes;
    if (const index bytes = cache_bytes(3); bytes > 0) s.l3 = bytes;
    if (s.l3 < s.l2) s.l3 = s.l2;
    // More is shared by dozens of cores, far from any of them, and often by other machines: of 480
    // MB one core copied 13.9 GB/s, from memory 14.2 (Granite Rapids, a virtual machine).
    s.l3 = std::min<index>(s.l3, index{64} << 20);
    set(s);
  }
  void set(const cache_sizes& s) {
    l1.store(s.l1, std::memory_order_relaxed);
    l2.store(s.l2, std::memory_order_relaxed);
    l3.store(s.l3, std::memory_order_relaxed);
  }
};

sizes_in_use& sizes() {
  static sizes_in_use known;
  return known;
}

}  // namespace

cache_sizes caches() {
  const sizes_in_use& s = sizes();
  return {.l1 = s.l1.load(std::memory_order_relaxed),
          .l2 = s.l2.load(std::memory_order_relaxed),
          .l3 = s.l3.load(std::memory_order_relaxed)};
}

void assume_caches(cache_sizes s) { sizes().set(s); }

}  // namespace tenfold::cpu
