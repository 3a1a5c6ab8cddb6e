#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <tenfold/backend/cpu/tile_streams.hpp>
#include <vector>

// What tiles fetch for those behind them.

namespace tenfold::cpu {
namespace {

/// The lines that are asked for in `steps` pieces of work, in that order.
class lines_asked_for : line_walk {
 public:
  lines_asked_for(const std::vector<byte_range>& ranges, index pieces, processor model)
      : line_walk(ranges.data(), static_cast<int>(ranges.size()), pieces, model),
        parts_(static_cast<std::uintptr_t>(select::fetch_streams(model))) {}

  std::vector<std::uintptr_t> in(index steps) {
    std::vector<std::uintptr_t> lines;
    for (index step = 0; step < steps; ++step) {
      advance([&](std::uintptr_t at) {
        for (std::uintptr_t part = 0; part < parts_; ++part) lines.push_back(at + part * part_);
      });
    }
    return lines;
  }

 private:
  std::uintptr_t parts_;
};

TEST_CASE("every line of what a tile reads is asked for once, evenly, in parts by turns") {
  const std::vector<byte_range> ranges{{0x10000, 0x10000 + 83 * 64}, {0x40000, 0x40000 + 640}};
  for (const processor model : {processor::zen5, processor::other}) {
    CAPTURE(static_cast<int>(model));
    const index parts = select::fetch_streams(model);
    for (const index pieces : {1, 7, 40, 500}) {
      CAPTURE(pieces);
      lines_asked_for walk(ranges, pieces, model);
      // A range ends with a piece.
      std::vector<std::uintptr_t> lines = walk.in(pieces + 2);
      const auto of = [&](std::size_t r) {
        std::vector<std::uintptr_t> found;
        for (const std::uintptr_t line : lines)
          if (line / 0x10000 == ranges[r].begin / 0x10000) found.push_back(line);
        return found;
      };
      for (std::size_t r = 0; r < ranges.size(); ++r) {
        std::vector<std::uintptr_t> found = of(r);
        const std::size_t count = (ranges[r].end - ranges[r].begin) / 64;
        const bool turns = found.size() < 2 || (found[1] - found[0] == 64) == (parts == 1);
        CHECK(turns);
        std::sort(found.begin(), found.end());
        // The parts are of one length: the last may end behind the range.
        CHECK(found.size() >= count);
        CHECK(found.size() < count + static_cast<std::size_t>(parts));
        bool all = true;
        for (std::size_t i = 0; i < count; ++i) all = all && found[i] == ranges[r].begin + 64 * i;
        CHECK(all);
      }
      CHECK(walk.in(100).empty());
    }
  }
}

TEST_CASE("a call that reads a part of a long array through a map is one of several") {
  tile_streams streams;
  streams.count = 2;
  streams.list[0].bytes = 8000;
  streams.list[1] = {{}, 400, 4, true};  // a hundred entries of the array behind map 0
  streams.bytes = 8400;
  entry_map map;
  CHECK(bytes_of_sweep(streams, 10, &map) == 84000);
  map.array_size = 1000;
  CHECK(bytes_of_sweep(streams, 10, &map) == 84000 + 8000);
  map.array_size = 50000;
  CHECK(bytes_of_sweep(streams, 10, &map) == 500 * 8400 + 400000);
  streams.list[1].is_map = false;
  CHECK(bytes_of_sweep(streams, 10, &map) == 84000);
}

TEST_CASE("what tiles read alike is followed by what the next of them read, a part for each") {
  program_phase phase;
  phase.tile_count = 2;
  phase.tiles[0].extent = 4;  // elements
  phase.tiles[1].extent = 3;  // components
  const phase_range range = range_of(phase, nullptr);
  REQUIRE(range.count == 12);
  tile_streams streams;
  streams.count = 2;
  streams.list[0].ref.tile_stride = {1000, 0};  // geometry
  streams.list[0].bytes = 8000;
  streams.list[0].size = 8;
  streams.list[1].ref.slot = 1;
  streams.list[1].ref.tile_stride = {300, 100};
  streams.list[1].bytes = 800;
  streams.list[1].size = 8;
  streams.bytes = 8800;
  std::vector<double> geometry(4000), field(1200);
  const void* const inputs[] = {geometry.data(), field.data()};
  const auto address = [](const std::vector<double>& x, index i) {
    return reinterpret_cast<std::uintptr_t>(x.data() + i);
  };

  followed_tile tile;
  ranges_ahead found;
  for (index element = 0; element < 4; ++element) {
    std::uintptr_t at = address(geometry, 1000 * (element + 1));
    for (index component = 0; component < 3; ++component) {
      const index i = 3 * element + component;
      CAPTURE(i);
      look_ahead(phase, range, i, 12, streams, inputs, nullptr, tile, found);
      const int others = element < 3 ? 1 : 0;  // behind the last elements there is nothing
      REQUIRE(found.count == (i == 11 ? 0 : others + 1));
      if (i < 11) CHECK(found.ranges[others].begin == address(field, 100 * (i + 1)));
      if (others == 0) continue;
      CHECK(found.ranges[0].begin == at);
      CHECK(found.ranges[0].end - at >= 41 * 64);  // of 125 lines
      CHECK(found.ranges[0].end - at <= 42 * 64);
      at = found.ranges[0].end;
    }
    if (element < 3) CHECK(at == address(geometry, 1000 * (element + 2)));
  }
  // Of a call, or task, that ends with other components than the last.
  look_ahead(phase, range, 1, 3, streams, inputs, nullptr, tile, found);
  CHECK(found.count == 1);

  // Of tiles that read more than caches hold the last looks ahead to all.
  streams.bytes = index{1} << 40;
  look_ahead(phase, range, 1, 12, streams, inputs, nullptr, tile, found);
  CHECK(found.count == 1);
  look_ahead(phase, range, 2, 12, streams, inputs, nullptr, tile, found);
  REQUIRE(found.count == 2);
  CHECK(found.ranges[0].begin == address(geometry, 1000));
  CHECK(found.ranges[0].end == address(geometry, 2000));
}

}  // namespace
}  // namespace tenfold::cpu
