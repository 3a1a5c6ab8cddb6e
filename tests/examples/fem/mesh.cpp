#include "mesh.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <tuple>
#include <vector>

#include "blocks.hpp"
#include "restriction.hpp"

TEST_CASE("each element stands in one block, once") {
  for (int n = 1; n <= 17; ++n) {
    CAPTURE(n);
    const fem::blocks all(n, n % 5 + 1);
    CHECK(all.elements.size() % fem::W == 0);
    std::set<std::tuple<int, int, int>> seen;
    int filled = 0;
    for (std::size_t l = 0; l < all.elements.size(); ++l) {
      const fem::element& e = all.elements[l];
      CHECK(std::min({e.x, e.y, e.z}) >= 0);
      CHECK(std::max({e.x, e.y, e.z}) < n);
      if (!all.filled[l]) continue;
      ++filled;
      seen.insert({e.x, e.y, e.z});
    }
    CHECK(filled == n * n * n);
    CHECK(seen.size() == static_cast<std::size_t>(n * n * n));
  }
}

TEST_CASE("powers of two fill their blocks") {
  for (int n = 2; n <= 16; n *= 2) {
    const fem::blocks all(n, 16);
    CHECK(std::all_of(all.filled.begin(), all.filled.end(), [](char f) { return f == 1; }));
  }
}

TEST_CASE("pieces of one colour share no node, and the colours cover all blocks") {
  for (int n = 1; n <= 16; ++n) {
    CAPTURE(n);
    const fem::blocks all(n, n % 3 == 0 ? 1 : 16);
    fem::index blocks_seen = 0;
    for (const auto& pieces : all.colours) {
      // A node (x, y, z) belongs to elements next to it; z never tells pieces apart.
      std::set<std::pair<int, int>> of_others;
      for (const fem::piece& each : pieces) {
        blocks_seen += each.last - each.first;
        std::set<std::pair<int, int>> mine;
        for (fem::index l = each.first * fem::W; l < each.last * fem::W; ++l) {
          const fem::element& e = all.elements[static_cast<std::size_t>(l)];
          for (const int x : {e.x, e.x + 1}) {
            for (const int y : {e.y, e.y + 1}) mine.insert({x, y});
          }
        }
        for (const auto& place : mine) CHECK(of_others.count(place) == 0);
        of_others.insert(mine.begin(), mine.end());
      }
    }
    CHECK(blocks_seen == all.count());
  }
}

TEST_CASE("nodes are numbered once each, those on the boundary last") {
  for (const auto& pair : {std::pair{1, 1}, {1, 2}, {2, 1}, {2, 3}, {3, 2}, {1, 5}}) {
    const int n = pair.first, p = pair.second;
    CAPTURE(n);
    CAPTURE(p);
    const fem::numbering number(n, p);
    std::vector<int> seen(static_cast<std::size_t>(number.nodes));
    for (fem::index x = 0; x < number.side; ++x) {
      for (fem::index y = 0; y < number.side; ++y) {
        for (fem::index z = 0; z < number.side; ++z) {
          const fem::index l = number(x, y, z);
          REQUIRE(l >= 0);
          REQUIRE(l < number.nodes);
          ++seen[static_cast<std::size_t>(l)];
          const bool boundary = std::min({x, y, z}) == 0 || std::max({x, y, z}) == number.side - 1;
          CHECK(boundary == (l >= number.free));
        }
      }
    }
    CHECK(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
  }
}

TEST_CASE("neighbours agree on the place of what they share to the last bit") {
  const fem::mesh shape{8, 3, 0.1};
  for (int z = 0; z < 7; ++z) {
    for (const double t : {0.0, 0.25, 0.7, 1.0}) {
      CHECK(shape.map(fem::element{2, 5, z}, {t, 0.3, 1}) ==
            shape.map(fem::element{2, 5, z + 1}, {t, 0.3, 0}));
      CHECK(shape.map(fem::element{z, 1, 2}, {1, t, 0.3}) ==
            shape.map(fem::element{z + 1, 1, 2}, {0, t, 0.3}));
    }
  }
}

TEST_CASE("gather reads what scatter wrote, and scatter_add counts the elements at each node") {
  const fem::blocks all(3, 2);
  const fem::numbering number(3, 2);
  const fem::restriction<2> map(number, all);
  tenfold::tensor<double, tenfold::dyn, 3, 3, 3, fem::W> u(all.count()), v(all.count());
  std::vector<double> x(static_cast<std::size_t>(number.nodes)), y(x.size());
  for (std::size_t l = 0; l < x.size(); ++l) x[l] = static_cast<double>(l * l);
  map.gather(x.data(), 0, u);
  map.scatter(u, 0, y.data());
  CHECK(x == y);

  for (fem::index l = 0; l < v.size(); ++l) {
    const bool filled =
        all.filled[static_cast<std::size_t>(l / (27 * fem::W) * fem::W + l % fem::W)];
    v.data()[l] = filled ? 1 : 0;
  }
  std::fill(y.begin(), y.end(), 0);
  map.scatter_add(v, 0, y.data());
  const auto elements_at = [](fem::index place) {
    return 0 < place && place < 6 && place % 2 == 0 ? 2 : 1;
  };
  for (fem::index i = 0; i < 7; ++i) {
    for (fem::index j = 0; j < 7; ++j) {
      for (fem::index k = 0; k < 7; ++k) {
        CHECK(y[static_cast<std::size_t>(number(i, j, k))] ==
              elements_at(i) * elements_at(j) * elements_at(k));
      }
    }
  }
}
