#include <tenfold/contraction/fold.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tenfold::testing {
namespace {

/// The loops that are left of `loops`.
template <int N>
std::vector<step_loop> folded(const step_loop (&loops)[N]) {
  std::vector<step_loop> all(loops, loops + N);
  all.resize(static_cast<std::size_t>(fold(all.data(), N)));
  return all;
}

/// Every place that nested loops visit: the offsets of a, b, c.
std::vector<std::array<index, 3>> places(const std::vector<step_loop>& loops) {
  std::vector<std::array<index, 3>> all(1);
  for (const step_loop& l : loops) {
    std::vector<std::array<index, 3>> next;
    for (const auto& p : all) {
      for (index i = 0; i < l.extent; ++i) {
        next.push_back({p[0] + i * l.a, p[1] + i * l.b, p[2] + i * l.c});
      }
    }
    all = next;
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

TEST_CASE("loops that continue one another in every operand become one") {
  CHECK(folded({{3, 4, 4, 4}, {4, 1, 1, 1}}) == std::vector<step_loop>{{12, 1, 1, 1}});
  CHECK(folded({{3, 20, 0, 8}, {5, 4, 0, 24}, {4, 1, 0, 2}}) ==
        std::vector<step_loop>{{3, 20, 0, 8}, {5, 4, 0, 24}, {4, 1, 0, 2}});
  CHECK(folded({{2, 60, 0, 60}, {3, 20, 0, 20}, {4, 5, 0, 5}, {5, 1, 0, 1}}) ==
        std::vector<step_loop>{{120, 1, 0, 1}});
}

TEST_CASE("loops in another order than memory fold as well") {
  CHECK(folded({{4, 1, 0, 1}, {3, 4, 0, 4}}) == std::vector<step_loop>{{12, 1, 0, 1}});
}

TEST_CASE("loops that continue one another in some operands only stay") {
  CHECK(folded({{3, 4, 4, 5}, {4, 1, 1, 1}}).size() == 2);
}

TEST_CASE("several lists of loops fold alike, where all of them do") {
  step_loop alike[] = {{3, 4, 4, 4}, {4, 1, 1, 1}, {3, 8, 0, 8}, {4, 2, 0, 2}};
  CHECK(fold(alike, 2, 2, 2) == 1);
  CHECK(alike[0] == step_loop{12, 1, 1, 1});
  CHECK(alike[2] == step_loop{12, 2, 0, 2});
  step_loop apart[] = {{3, 4, 4, 4}, {4, 1, 1, 1}, {3, 8, 0, 9}, {4, 2, 0, 2}};
  CHECK(fold(apart, 2, 2, 2) == 2);
}

TEST_CASE("loops of one entry vanish and negative or repeating loops fold") {
  CHECK(folded({{1, 7, 7, 7}}).empty());
  CHECK(folded({{1, 7, 7, 7}, {5, 1, 2, 3}, {1, 9, 9, 9}}) == std::vector<step_loop>{{5, 1, 2, 3}});
  CHECK(folded({{3, -4, 0, 4}, {4, -1, 0, 1}}) == std::vector<step_loop>{{12, -1, 0, 1}});
}

TEST_CASE("a loop of no entries stays one") {
  index total = 1;
  for (const step_loop& l : folded({{3, 0, 0, 0}, {0, 1, 1, 1}, {5, 7, 7, 7}})) total *= l.extent;
  CHECK(total == 0);
}

TEST_CASE("folding keeps every place that is visited") {
  std::mt19937 g(1);
  for (int n = 0; n < 2000; ++n) {
    std::vector<step_loop> loops(1 + g() % 5);
    index a = 1, b = 1, c = 1;
    for (step_loop& l : loops) {
      l.extent = 1 + static_cast<index>(g() % 3);
      l = {l.extent, g() % 6 == 0 ? 0 : a, g() % 4 == 0 ? 0 : b, c};
      a *= g() % 5 == 0 ? l.extent + 1 : l.extent;
      b *= l.extent;
      c *= g() % 7 == 0 ? l.extent + 2 : l.extent;
    }
    std::shuffle(loops.begin(), loops.end(), g);
    std::vector<step_loop> left = loops;
    left.resize(static_cast<std::size_t>(fold(left.data(), static_cast<int>(loops.size()))));
    CHECK(places(left) == places(loops));
    CHECK(left.size() <= loops.size());
  }
}

}  // namespace tenfold::testing
