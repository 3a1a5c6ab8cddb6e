#include <doctest/doctest.h>

#include <limits>
#include <random>
#include <set>
#include <tenfold/backend/overlap.hpp>
#include <vector>

namespace tenfold {
namespace {

double memory[400];

struct repetition {
  index extent, stride;
};

memory_extent extent_at(index first, const std::vector<repetition>& all) {
  memory_extent e(memory + first, sizeof(double));
  for (const auto& r : all) e.repeat(r.extent, r.stride);
  return e;
}

/// The entries, once for each index.
std::vector<index> entries_at(index first, const std::vector<repetition>& all) {
  std::vector<index> entries{first};
  for (const auto& r : all) {
    std::vector<index> more;
    for (index i = 0; i < r.extent; ++i)
      for (const index e : entries) more.push_back(e + i * r.stride);
    entries = more;
  }
  return entries;
}

}  // namespace

TEST_CASE("entries are apart where each step leads beyond all that shorter ones reach") {
  CHECK(extent_at(0, {}).entries_apart());
  CHECK(extent_at(0, {{3, 4}, {4, 1}}).entries_apart());
  CHECK(extent_at(0, {{4, 1}, {3, 4}}).entries_apart());
  CHECK(extent_at(20, {{4, -1}, {3, -4}}).entries_apart());
  CHECK(extent_at(0, {{2, 1}, {5, 40}, {20, 2}}).entries_apart());
  CHECK(!extent_at(0, {{3, 3}, {4, 1}}).entries_apart());
  CHECK(!extent_at(20, {{4, -1}, {3, 3}}).entries_apart());
  CHECK(!extent_at(0, {{2, 0}}).entries_apart());
  CHECK(!extent_at(0, {{3, 4}, {4, 1}, {2, 0}}).entries_apart());
}

TEST_CASE("axes that do not move and matrices without entries are apart") {
  CHECK(extent_at(0, {{1, 0}, {4, 1}}).entries_apart());
  CHECK(extent_at(0, {{0, 1}, {4, 0}}).entries_apart());
  constexpr index huge = std::numeric_limits<index>::max();
  CHECK(extent_at(0, {{1, huge}, {4, 1}, {1, -huge}}).entries_apart());
  CHECK(may_overlap(extent_at(0, {{1, huge}, {4, 1}}), extent_at(3, {{1, -huge}})));
  CHECK(!may_overlap(extent_at(0, {{1, huge}, {4, 1}}), extent_at(4, {{1, -huge}})));
  CHECK(!may_overlap(extent_at(0, {{0, 1}}), extent_at(0, {{4, 1}})));
  CHECK(!may_overlap(extent_at(0, {{4, 1}}), extent_at(0, {{4, 0}, {0, 1}})));
}

TEST_CASE("operands beside each other do not overlap, those that share an entry may") {
  const auto overlap = [](index x, const std::vector<repetition>& of_x, index y,
                          const std::vector<repetition>& of_y) {
    const bool one = may_overlap(extent_at(x, of_x), extent_at(y, of_y));
    CHECK(one == may_overlap(extent_at(y, of_y), extent_at(x, of_x)));
    return one;
  };
  CHECK(overlap(0, {{4, 1}}, 3, {{4, 1}}));
  CHECK(!overlap(0, {{4, 1}}, 4, {{4, 1}}));
  CHECK(!overlap(0, {{4, 1}}, 7, {{4, -1}}));
  CHECK(overlap(0, {{4, 1}}, 6, {{4, -1}}));
  // Columns 0..7 and 8..15, and 7..14, of a batch of matrices.
  CHECK(!overlap(0, {{5, 48}, {3, 16}, {8, 1}}, 8, {{5, 48}, {3, 16}, {8, 1}}));
  CHECK(overlap(0, {{5, 48}, {3, 16}, {8, 1}}, 7, {{5, 48}, {3, 16}, {8, 1}}));
  // Even and odd entries.
  CHECK(!overlap(0, {{50, 2}}, 1, {{50, 2}}));
  CHECK(!overlap(0, {{50, 2}}, 99, {{20, -4}}));
  CHECK(overlap(0, {{50, 2}}, 98, {{20, -4}}));
}

TEST_CASE("neither proof of a distance is wrong for random operands") {
  std::mt19937 g(1);
  const auto between = [&](int low, int high) {
    return static_cast<index>(low + static_cast<int>(g() % static_cast<unsigned>(high - low + 1)));
  };
  int apart = 0, disjoint = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<repetition> all[2];
    index first[2];
    for (int o = 0; o < 2; ++o) {
      first[o] = between(180, 220);
      const int axes = static_cast<int>(between(0, 3));
      for (int a = 0; a < axes; ++a) all[o].push_back({between(1, 4), between(-18, 18)});
    }
    const auto x = entries_at(first[0], all[0]), y = entries_at(first[1], all[1]);
    const std::set<index> of_x(x.begin(), x.end());
    bool meets = false;
    for (const index e : y) meets = meets || of_x.count(e) > 0;
    const memory_extent ex = extent_at(first[0], all[0]), ey = extent_at(first[1], all[1]);
    if (ex.entries_apart()) {
      CHECK(of_x.size() == x.size());
      ++apart;
    }
    if (!may_overlap(ex, ey)) {
      CHECK(!meets);
      ++disjoint;
    }
  }
  CHECK(apart > 5000);
  CHECK(disjoint > 5000);
}

}  // namespace tenfold
