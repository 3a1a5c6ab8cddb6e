#include <doctest/doctest.h>

#include <algorithm>
#include <tenfold/backend/cpu/column_order.hpp>
#include <utility>
#include <vector>

// The order in which blocks take the columns of a product.

namespace tenfold::testing {
namespace {

using place = std::pair<index, index>;  // in B and in C

std::vector<place> places_of(const cpu::column_order& order, index first, index count) {
  std::vector<index> b(static_cast<std::size_t>(count)), c(b.size());
  order.fill(first, count, b.data(), c.data());
  std::vector<place> all;
  for (std::size_t i = 0; i < b.size(); ++i) all.emplace_back(b[i], c[i]);
  return all;
}

}  // namespace

TEST_CASE("columns are taken run by run, each with all neighbours of B") {
  // Outer x, neighbours of B along y, behind them (z, w).
  const index y = 5;
  for (const index x : {1, 3})
    for (const index z : {1, 4})
      for (const index w : {1, 7, 16})
        for (index run = 1; run <= z * w; ++run) {
          const step_loop loops[] = {
              {x, 0, y * z * w, y * z * w}, {y, 0, 1, z * w}, {z, 0, w * y, w}, {w, 0, y, 1}};
          std::vector<place> want;
          for (index i = 0; i < x; ++i)
            for (index begin = 0; begin < z * w; begin += run)
              for (index j = 0; j < y; ++j)
                for (index l = begin; l < std::min(begin + run, z * w); ++l)
                  want.emplace_back(i * y * z * w + l * y + j, i * y * z * w + j * z * w + l);
          const cpu::column_order order(loops, 4, run);
          CAPTURE(x);
          CAPTURE(z);
          CAPTURE(w);
          CAPTURE(run);
          REQUIRE(order.extent() == x * y * z * w);
          CHECK(places_of(order, 0, order.extent()) == want);
          for (const index first : {index{1}, order.extent() / 3, order.extent() - 1})
            for (const index count : {index{1}, (order.extent() - first) / 2 + 1}) {
              if (first + count > order.extent()) continue;
              CHECK(places_of(order, first, count) ==
                    std::vector<place>(want.begin() + first, want.begin() + first + count));
            }
        }
}

TEST_CASE("blocks have all columns, in order, and each has runs of one length") {
  const index y = 5, w = 16;
  // Rows of C have a gap.
  const step_loop loops[] = {{3, 0, y * w, y * (w + 1)}, {y, 0, 1, w + 1}, {w, 0, y, 1}};
  for (const index run : {0, 1, 3, 4, 7, 15, 16})
    for (const index most : {1, 4, 10, 35, 1000}) {
      const cpu::column_order order(loops, 3, run);
      CAPTURE(run);
      CAPTURE(most);
      index next = 0;
      for (index i = 0; i < order.blocks(most); ++i) {
        const cpu::column_order::block b = order.at(i, most);
        CHECK(b.first == next);
        CHECK(b.count > 0);
        CHECK(b.count <= most);
        next += b.count;
        if (run == 0) {
          CHECK(b.run == 0);
          continue;
        }
        // A run begins where one ends; C has neighbours within.
        const auto in_block = places_of(order, b.first, b.count);
        index left = b.left;
        CHECK(left > 0);
        CHECK(left <= b.run);
        for (std::size_t l = 1; l < in_block.size(); ++l) {
          left = left == 1 ? b.run : left - 1;
          const bool goes_on = left < b.run;
          if (goes_on) CHECK(in_block[l].second - in_block[l - 1].second == 1);
          if (!goes_on) CHECK(in_block[l].second - in_block[l - 1].second != 1);
        }
      }
      CHECK(next == order.extent());
    }
}

}  // namespace tenfold::testing
