#include <tenfold/backend/interface/explained_launch.hpp>

#include <doctest/doctest.h>

// What is said of a launch is what is launched.

namespace tenfold::testing {
namespace {

/// Whole elements that take so much shared memory each.
device_phase elements_of(index entries, int elements, int threads, index cache_bytes) {
  device_phase phase;
  phase.shares = true;
  phase.batch_loops = 1;
  phase.extents[0] = 100000;
  phase.element_entries = entries;
  phase.elements = elements;
  phase.threads = threads;
  phase.cache_bytes = cache_bytes;
  return phase;
}

}  // namespace

TEST_CASE("an explained launch has the blocks that are launched, and one at a time at least") {
  const device_capabilities& d = h100_capabilities;
  for (const index entries : {100, 3000, 14000, 27000}) {
    for (const int threads : {64, 256, 1024}) {
      for (const index cache_bytes : {0, 32 * 1024, 48 * 1024}) {
        for (const int registers : {0, 32, 64}) {
          CAPTURE(entries);
          CAPTURE(threads);
          CAPTURE(cache_bytes);
          CAPTURE(registers);
          const device_phase phase = elements_of(entries, 1, threads, cache_bytes);
          const explained_launch told =
              with_registers(explain_launch(phase, scalar::f64, d), registers, 0, d);
          CHECK(told.resident_blocks ==
                select::device_phase_blocks(phase, scalar::f64, registers, d));
          CHECK(told.blocks == select::device_blocks(phase, scalar::f64, registers, d));
          CHECK(told.occupancy > 0);
        }
      }
    }
  }
  // Such a block leaves less to the cache than was wanted.
  const device_phase large = elements_of(27000, 1, 256, 32 * 1024);
  const explained_launch told = with_registers(explain_launch(large, scalar::f64, d), 64, 0, d);
  CHECK(told.resident_blocks == 1);
  CHECK(told.occupancy == 256.0 / 2048);
}

}  // namespace tenfold::testing
