#include "mesh.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <vector>

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

TEST_CASE("each element of a mesh has a number") {
  for_many_meshes([](const fem::topology& shared, int n) {
    const auto hexahedra = static_cast<int>(shared.hexahedra());
    CAPTURE(hexahedra);
    CAPTURE(n);
    const fem::mesh shape{shared, n, 1, {}};
    CHECK(shape.elements() == hexahedra * n * n * n);
    std::set<std::tuple<int, int, int, int>> seen;
    for (fem::index l = 0; l < shape.elements(); ++l) {
      const fem::element e = shape.at(l);
      CHECK(std::min({e.hexahedron, e.x, e.y, e.z}) >= 0);
      CHECK(e.hexahedron < hexahedra);
      CHECK(std::max({e.x, e.y, e.z}) < n);
      seen.insert({e.hexahedron, e.x, e.y, e.z});
    }
    CHECK(static_cast<fem::index>(seen.size()) == shape.elements());
  });
}

TEST_CASE("slabs begin and end every entry once, the first and the last that has it") {
  for_many_meshes([](const fem::topology& shared, int n) {
    CAPTURE(shared.hexahedra());
    CAPTURE(n);
    const fem::mesh shape{shared, n, 1, {}};
    const int components = n % 2 == 0 ? 3 : 1;
    // Few blocks a slab, so that there are many.
    const fem::restriction all(shape, 2, components, n % 3 + 1);
    const auto size = static_cast<std::size_t>(all.size());
    std::vector<int> begun(size, -1), ended(size, -1), first(size, -1), last(size, -1);
    const auto mark = [](std::vector<int>& of, const std::vector<fem::range>& ranges, int slab) {
      for (const fem::range& r : ranges) {
        for (fem::index i = r.first; i < r.last; ++i) {
          int& at = of[static_cast<std::size_t>(i)];
          CHECK(at == -1);
          at = slab;
        }
      }
    };
    int number = 0;
    std::set<fem::index> placed;
    for (const fem::slab& on : all.slabs()) {
      mark(begun, on.begins, number);
      mark(ended, on.ends, number);
      CHECK(on.number == number);
      placed.insert(on.first);
      for (fem::index k = 0; k < on.count * on.map.entries(); ++k) {
        const std::int32_t entry = on.map.data()[k];
        const fem::index e = on.first * fem::W + k / all.per_element();
        CHECK((entry < 0) == (e >= all.elements()));
        if (entry < 0) continue;
        last[static_cast<std::size_t>(entry)] = number;
        int& from = first[static_cast<std::size_t>(entry)];
        if (from < 0) from = number;
      }
      ++number;
    }
    CHECK(begun == first);
    CHECK(ended == last);
    CHECK(std::count(first.begin(), first.end(), -1) == 0);
    CHECK(placed.size() == all.slabs().size());
  });
}

TEST_CASE("slabs of one colour share no entry, and the colours cover all slabs") {
  for_many_meshes([](const fem::topology& shared, int n) {
    CAPTURE(shared.hexahedra());
    CAPTURE(n);
    const fem::mesh shape{shared, n, 1, {}};
    const fem::restriction all(shape, 2, 1, n % 3 + 1);
    fem::index from = 0;
    for (const fem::index behind : all.colours()) {
      CHECK(behind > from);
      std::set<fem::index> of_others;
      for (; from < behind; ++from) {
        const fem::slab& on = all.slabs()[static_cast<std::size_t>(from)];
        std::set<fem::index> mine(on.map.data(), on.map.data() + on.count * on.map.entries());
        mine.erase(-1);
        bool is_apart = true;
        for (const fem::index entry : mine) is_apart = is_apart && of_others.count(entry) == 0;
        CHECK(is_apart);
        of_others.insert(mine.begin(), mine.end());
      }
    }
    CHECK(from == static_cast<fem::index>(all.slabs().size()));
  });
}

TEST_CASE("the components of a field have the entries of a scalar one, side by side") {
  const fem::mesh shape{fem::ball().shared, 2, 1, {}};
  const fem::restriction scalars(shape, 3), vectors(shape, 3, 3);
  CHECK(vectors.size() == 3 * scalars.size());
  CHECK(vectors.unknowns() == 3 * scalars.unknowns());
  for (fem::index e = 0; e < shape.elements(); ++e) {
    for (fem::index l = 0; l < 3 * 64; ++l) {
      CHECK(vectors.entries(e)[l] == 3 * scalars.entries(e)[l % 64] + l / 64);
    }
  }
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

TEST_CASE("entries are gathered, and count the elements that have them when they are added up") {
  const fem::mesh shape{one_cube, 3, 1, {}};
  const fem::restriction all(shape, 2);
  std::vector<int> elements(static_cast<std::size_t>(all.size()));
  for (fem::index e = 0; e < shape.elements(); ++e) {
    for (int l = 0; l < 27; ++l) ++elements[static_cast<std::size_t>(all.entries(e)[l])];
  }
  for (fem::index e = 0; e < shape.elements(); ++e) {
    const fem::element at = shape.at(e);
    for (int l = 0; l < 27; ++l) {
      const int place[3] = {2 * at.x + l / 9, 2 * at.y + l / 3 % 3, 2 * at.z + l % 3};
      int expected = 1;
      bool inside = true;
      for (const int x : place) {
        if (0 < x && x < 6 && x % 2 == 0) expected *= 2;
        inside = inside && 0 < x && x < 6;
      }
      const fem::index entry = all.entries(e)[l];
      CHECK(elements[static_cast<std::size_t>(entry)] == expected);
      CHECK(inside == (entry < all.unknowns()));
    }
  }
}
