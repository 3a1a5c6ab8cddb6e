#include <tenfold/backend/interface/arguments.hpp>

#include <doctest/doctest.h>

#include <set>
#include <vector>

namespace tenfold {
namespace {

/// A phase over lanes only.
constexpr program_phase lanes_of(index extent, int width, int vectors) {
  program_phase p;
  p.lane = {extent, 0};
  p.width = width;
  p.vectors = vectors;
  return p;
}

/// How often each value of the lane loop is covered by the tiles of the phases.
std::vector<int> covered(index n, const std::vector<program_phase>& phases) {
  std::vector<int> times(static_cast<std::size_t>(n));
  for (const program_phase& phase : phases) {
    const phase_range range = range_of(phase, &n);
    for (index t = 0; t < range.count; ++t) {
      const tile_position at = position_of(phase, range, t);
      CHECK(at.lane_count >= 1);
      CHECK(at.lane_count <= phase.width * phase.vectors);
      if (!phase.partial) CHECK(at.lane_count == phase.width * phase.vectors);
      for (int l = 0; l < at.lane_count; ++l) ++times[static_cast<std::size_t>(at.lane + l)];
    }
  }
  return times;
}

}  // namespace

TEST_CASE("the phases of one lane loop cover each value once") {
  for (const int width : {2, 4, 8, 16}) {
    for (int vectors = 1; vectors <= 4; ++vectors) {
      for (index n = 0; n <= 150; ++n) {
        const int span = width * vectors;
        for (const index extent : {n, dyn}) {
          program_phase wide = lanes_of(extent, width, vectors);
          program_phase one = lanes_of(extent, width, 1);
          program_phase rest = one;
          one.skip_span = span;
          rest.skip_span = width;
          rest.partial = true;
          CHECK(covered(n, {wide, one, rest}) == std::vector<int>(static_cast<std::size_t>(n), 1));
          program_phase all = lanes_of(extent, width, 1);
          all.partial = true;
          CHECK(covered(n, {all}) == std::vector<int>(static_cast<std::size_t>(n), 1));
        }
      }
    }
  }
}

TEST_CASE("a phase that overlaps is one tile that ends with the lane loop") {
  for (index n = 8; n <= 40; ++n) {
    program_phase full = lanes_of(n, 8, 1), last = full;
    last.overlaps = true;
    const phase_range range = range_of(last, nullptr);
    REQUIRE(range.count == 1);
    const tile_position at = position_of(last, range, 0);
    CHECK(at.lane == n - 8);
    CHECK(at.lane_count == 8);
    for (const int times : covered(n, {full, last})) CHECK((times == 1 || times == 2));
  }
}

TEST_CASE("tiles are numbered with the lane loop fastest, then the last tile loop") {
  program_phase p = lanes_of(16, 8, 1);
  p.tile_count = 3;
  p.tiles = {{{2, 0}, {dyn, 1}, {1, 2}}};
  const index extents[] = {0, 3, 0};
  const phase_range range = range_of(p, extents);
  CHECK(range.count == 2 * 3 * 1 * 2);
  index n = 0;
  for (index i = 0; i < 2; ++i) {
    for (index j = 0; j < 3; ++j) {
      for (index lane = 0; lane < 16; lane += 8) {
        const tile_position at = position_of(p, range, n++);
        CHECK(at.tile[0] == i);
        CHECK(at.tile[1] == j);
        CHECK(at.tile[2] == 0);
        CHECK(at.lane == lane);
      }
    }
  }
}

TEST_CASE("an empty tile loop makes an empty phase") {
  program_phase p = lanes_of(16, 8, 1);
  p.tile_count = 1;
  p.tiles[0] = {dyn, 0};
  const index none = 0;
  CHECK(range_of(p, &none).count == 0);
  CHECK(range_of(lanes_of(0, 8, 1), nullptr).count == 0);
}

TEST_CASE("a phase without lanes has one tile for each point of its tile loops") {
  program_phase p;
  CHECK(range_of(p, nullptr).count == 1);
  p.tile_count = 2;
  p.tiles = {{{3, 0}, {4, 1}}};
  const phase_range range = range_of(p, nullptr);
  CHECK(range.count == 12);
  std::set<std::pair<index, index>> seen;
  for (index t = 0; t < 12; ++t) {
    const tile_position at = position_of(p, range, t);
    CHECK(at.lane_count == 1);
    seen.insert({at.tile[0], at.tile[1]});
  }
  CHECK(seen.size() == 12);
}

TEST_CASE("the distance of an operand adds offset, tile loops and lanes") {
  operand_ref r;
  r.offset = 5;
  r.lane_stride = 7;
  r.tile_stride = {100, -10, 0, 1};
  tile_position at;
  at.tile = {2, 3, 9, 4};
  at.lane = 8;
  CHECK(distance(r, at) == 5 + 56 + 200 - 30 + 0 + 4);
}

}  // namespace tenfold
