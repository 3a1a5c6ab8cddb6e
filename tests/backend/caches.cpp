#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <tenfold/backend/cpu/caches.hpp>
#include <thread>

namespace tenfold::testing {

TEST_CASE("caches: what one core reaches, not the sum over a package") {
  constexpr index most = index{64} << 20;  // of more no core can count on all
  const cpu::cache_sizes& known = cpu::caches();
  CHECK(known.l1 > 0);
  CHECK(known.l2 > known.l1);
  CHECK(known.l3 >= known.l2);
  CHECK(known.l3 <= std::max(known.l2, most));

  std::ifstream level_file("/sys/devices/system/cpu/cpu0/cache/index3/level"),
      size_file("/sys/devices/system/cpu/cpu0/cache/index3/size");
  int level = 0;
  index kilobytes = 0;
  char unit = ' ';
  if (!(level_file >> level) || level != 3) return;
  if (!(size_file >> kilobytes >> unit) || unit != 'K') return;
  CHECK(known.l3 == std::max(known.l2, std::min(kilobytes << 10, most)));
}

TEST_CASE("caches are assumed while others are asked") {
  const cpu::cache_sizes known = cpu::caches();
  std::thread sets([] {
    for (index bytes = 1; bytes <= 1000; ++bytes)
      cpu::assume_caches({.l1 = bytes, .l2 = bytes, .l3 = bytes});
  });
  for (int i = 0; i < 1000; ++i) {
    const index l2 = cpu::caches().l2;
    CHECK((l2 == known.l2 || (1 <= l2 && l2 <= 1000)));
  }
  sets.join();
  CHECK(cpu::caches().l1 == 1000);
  CHECK(cpu::caches().l3 == 1000);
  cpu::assume_caches(known);
}

}  // namespace tenfold::testing
