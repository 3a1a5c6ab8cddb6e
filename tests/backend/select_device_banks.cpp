#include <tenfold/backend/interface/select/device_banks.hpp>

#include <doctest/doctest.h>

// Gaps between the rows, planes and elements of what lies in shared memory.

namespace tenfold::select {
namespace {

/// The threads of a block along axes 1 and 2, or 0 and 2, of a value with three axes, and so on:
/// the fastest last.
shared_access along(const std::vector<index>& extents, std::initializer_list<int> axes) {
  shared_access a;
  for (const int axis : axes) a.lines.push_back({extents[static_cast<std::size_t>(axis)], axis});
  return a;
}

}  // namespace

TEST_CASE("strides leave the gaps free") {
  CHECK(shared_strides({5, 6, 7}, {}) == std::vector<index>{1, 5, 30, 210});
  CHECK(shared_strides({4, 6, 7}, {}) == std::vector<index>{1, 5, 30, 210});
  CHECK(shared_strides({4, 6, 7}, {2, 3, 1}) == std::vector<index>{1, 6, 39, 274});
  CHECK(shared_strides({4}, {0, 0, 3}) == std::vector<index>{1, 7});
  CHECK(shared_strides({}, {0, 0, 0}) == std::vector<index>{1});
}

TEST_CASE(
    "banks serve neighbours at once, one of a column after another, and the same entry once") {
  const std::vector<index> square = {16, 16};
  const shared_threads rows(along(square, {1, 0}), 32, 1, 8),
      columns(along(square, {0, 1}), 32, 1, 8);
  const std::vector<index> dense = shared_strides(square, {0, 0, 0});
  CHECK(rows.cycles(dense) == 16);  // 256 numbers of 8 bytes, 16 at a time
  CHECK(rows.least_cycles() == 16);
  CHECK(columns.cycles(dense) == 256);
  CHECK(columns.cycles(shared_strides(square, {1, 0, 0})) == 16);
  CHECK(shared_threads(along(square, {0, 1}), 32, 1, 4).cycles(dense) == 8 * 8);
  shared_access same;
  same.lines.push_back({64, -1});
  same.times = 3;
  CHECK(shared_threads(same, 32, 1, 8).cycles(dense) == 3 * 4);
}

TEST_CASE("threads beyond the last line ask for that one again") {
  const shared_threads some(along({5}, {0}), 64, 3, 8);  // 15 of 64
  CHECK(some.cycles(shared_strides({5}, {0, 0, 0})) == 4);
  CHECK(some.cycles(shared_strides({5}, {0, 0, 11})) > 4);  // elements 16 apart
}

TEST_CASE(
    "gaps take fewer cycles the larger they are, and the best of them no more than any other") {
  const std::vector<index> extents = {6, 7, 6};
  for (const int bytes : {4, 8, 16}) {
    for (const int elements : {1, 3}) {
      std::vector<shared_threads> accesses;
      for (const auto& axes : {along(extents, {2, 1}), along(extents, {2, 0})})
        accesses.emplace_back(axes, 160, elements, bytes);
      const auto cycles = [&](const shared_gaps& gaps) {
        double sum = 0;
        for (const shared_threads& a : accesses) sum += a.cycles(shared_strides(extents, gaps));
        return sum;
      };
      const std::vector<shared_choice> choices = device_gaps(extents, accesses, elements, bytes);
      REQUIRE(!choices.empty());
      for (std::size_t i = 0; i < choices.size(); ++i) {
        CHECK(choices[i].cycles == cycles(choices[i].gaps));
        CHECK(choices[i].entries == shared_strides(extents, choices[i].gaps).back());
        if (i == 0) continue;
        CHECK(choices[i].entries > choices[i - 1].entries);
        CHECK(choices[i].cycles < choices[i - 1].cycles);
      }
      double fewest = cycles({0, 0, 0});
      for (int row = 0; row < device_row_gaps; ++row)
        for (int plane = 0; plane < 128 / bytes; ++plane)
          for (int element = 0; element < (elements > 1 ? 128 / bytes : 1); ++element)
            fewest = std::min(fewest, cycles({row, plane, element}));
      CHECK(choices.back().cycles == fewest);
      CHECK(device_gaps(choices, elements, 0) == choices.back().gaps);
      CHECK(device_gaps(choices, elements, 1e9) == choices.front().gaps);
    }
  }
}

}  // namespace tenfold::select
