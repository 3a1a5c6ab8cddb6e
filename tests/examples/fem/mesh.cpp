#include "mesh.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "blocks.hpp"
#include "domain.hpp"
#include "meshes.hpp"
#include "numbering.hpp"
#include "restriction.hpp"

namespace {

const fem::topology one_cube(std::vector<fem::corners>{{0, 1, 2, 3, 4, 5, 6, 7}});

/// A mesh of each kind: one hexahedron or many, cut or not.
void for_many_meshes(const std::function<void(const fem::topology& shared, int n)>& check) {
  for (int n = 1; n <= 17; ++n) check(one_cube, n);
  const fem::topology ball = fem::ball().shared, turned = turned_cube(4, 0, true).shared;
  for (int n = 1; n <= 5; ++n) check(ball, n);
  for (int n = 1; n <= 3; ++n) check(turned, n);
}

}  // namespace

TEST_CASE("each element stands in one block, once") {
  for_many_meshes([](const fem::topology& shared, int n) {
    const auto hexahedra = static_cast<int>(shared.hexahedra());
    CAPTURE(hexahedra);
    CAPTURE(n);
    const fem::blocks all(shared, n, n % 5 + 1);
    CHECK(all.elements.size() % fem::W == 0);
    std::set<std::tuple<int, int, int, int>> seen;
    int filled = 0;
    for (std::size_t l = 0; l < all.elements.size(); ++l) {
      const fem::element& e = all.elements[l];
      CHECK(std::min({e.hexahedron, e.x, e.y, e.z}) >= 0);
      CHECK(e.hexahedron < hexahedra);
      CHECK(std::max({e.x, e.y, e.z}) < n);
      if (!all.filled[l]) continue;
      ++filled;
      seen.insert({e.hexahedron, e.x, e.y, e.z});
    }
    CHECK(filled == hexahedra * n * n * n);
    CHECK(seen.size() == static_cast<std::size_t>(filled));
  });
}

TEST_CASE("powers of two fill their blocks") {
  for (int n = 2; n <= 16; n *= 2) {
    const fem::blocks all(one_cube, n, 16);
    CHECK(std::all_of(all.filled.begin(), all.filled.end(), [](char f) { return f == 1; }));
    CHECK(all.colours.size() <= 4);
  }
}

TEST_CASE("pieces of one colour share no node, and the colours cover all blocks") {
  for_many_meshes([](const fem::topology& shared, int n) {
    CAPTURE(shared.hexahedra());
    CAPTURE(n);
    const fem::blocks all(shared, n, n % 3 == 0 ? 1 : 16);
    const fem::numbering number(shared, 2 * n);
    fem::index blocks_seen = 0;
    for (const auto& pieces : all.colours) {
      std::set<fem::index> of_others;
      for (const fem::piece& each : pieces) {
        blocks_seen += each.last - each.first;
        std::set<fem::index> mine;
        for (fem::index l = each.first * fem::W; l < each.last * fem::W; ++l) {
          const fem::element& e = all.elements[static_cast<std::size_t>(l)];
          for (int node = 0; node < 27; ++node) {
            mine.insert(number(e.hexahedron, 2 * e.x + node / 9, 2 * e.y + node / 3 % 3,
                               2 * e.z + node % 3));
          }
        }
        bool apart = true;
        for (const fem::index node : mine) apart = apart && of_others.count(node) == 0;
        CHECK(apart);
        of_others.insert(mine.begin(), mine.end());
      }
    }
    CHECK(blocks_seen == all.count());
  });
}

TEST_CASE("hexahedra share vertices, edges and faces, and know the boundary") {
  const auto check = [](const fem::topology& shared, const std::array<double, 4>& counts,
                        int faces_outside) {
    CHECK(shared.counts() == counts);
    int outside = 0;
    for (const fem::topology::entity& e : shared.entities()) {
      if (e.dimension == 2) outside += e.boundary;
      if (e.dimension == 3) CHECK_FALSE(e.boundary);
    }
    CHECK(outside == faces_outside);
  };
  check(one_cube, {8, 12, 6, 1}, 6);
  check(fem::ball().shared, {16, 32, 24, 7}, 6);
  check(turned_cube(3, 0, true).shared, {64, 144, 108, 27}, 54);
}

TEST_CASE("points have one number where they are one, those on the boundary last") {
  // On a cube that is not bent, a point is where it lies; how the hexahedra lie does not matter.
  for (const int hexahedra : {1, 2, 3}) {
    for (const int N : {1, 2, 3, 4}) {
      CAPTURE(hexahedra);
      CAPTURE(N);
      const fem::domain cube = turned_cube(hexahedra, 0, true);
      const fem::numbering number(cube.shared, N);
      const fem::index side = hexahedra * N + 1;
      CHECK(number.nodes == side * side * side);
      CHECK(number.free == (side - 2) * (side - 2) * (side - 2));
      std::map<std::array<long, 3>, fem::index> at;
      std::set<fem::index> numbers;
      for (int h = 0; h < hexahedra * hexahedra * hexahedra; ++h) {
        for (int x = 0; x <= N; ++x) {
          for (int y = 0; y <= N; ++y) {
            for (int z = 0; z <= N; ++z) {
              const double n = N;
              const fem::point X = cube.map(h, {x / n, y / n, z / n});
              std::array<long, 3> place{};
              bool boundary = false;
              for (std::size_t d = 0; d < 3; ++d) {
                place[d] = std::lround(X[d] * static_cast<double>(side - 1));
                boundary = boundary || place[d] == 0 || place[d] == side - 1;
              }
              const fem::index l = number(h, x, y, z);
              REQUIRE(l >= 0);
              REQUIRE(l < number.nodes);
              CHECK(boundary == (l >= number.free));
              CHECK(at.try_emplace(place, l).first->second == l);
              numbers.insert(l);
            }
          }
        }
      }
      CHECK(static_cast<fem::index>(numbers.size()) == number.nodes);
    }
  }
}

TEST_CASE("inside a cube, points are numbered along z, then y, then x") {
  const fem::numbering number(one_cube, 5);
  CHECK(number(0, 1, 1, 1) == 0);
  CHECK(number(0, 1, 1, 4) == 3);
  CHECK(number(0, 1, 2, 1) == 4);
  CHECK(number(0, 2, 1, 1) == 16);
}

TEST_CASE("gather reads what scatter wrote, and scatter_add counts the elements at each node") {
  const fem::blocks all(one_cube, 3, 2);
  const fem::numbering number(one_cube, 6);
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
        CHECK(y[static_cast<std::size_t>(number(0, i, j, k))] ==
              elements_at(i) * elements_at(j) * elements_at(k));
      }
    }
  }
}
