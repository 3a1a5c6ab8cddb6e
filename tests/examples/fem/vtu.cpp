#include "vtu.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "discretization.hpp"
#include "domain.hpp"
#include "mesh.hpp"
#include "meshes.hpp"
#include "solution.hpp"

namespace {

/// The attribute of a tag's text, "" if it has none of that name.
std::string attribute(const std::string& tag, const std::string& name) {
  const std::size_t at = tag.find(' ' + name + "=\"");
  if (at == tag.npos) return "";
  const std::size_t first = at + name.size() + 3;
  return tag.substr(first, tag.find('"', first) - first);
}

std::string base64_decoded(const std::string& text) {
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    const unsigned digit = c >= 'a'   ? static_cast<unsigned>(c - 'a' + 26)
                           : c >= 'A' ? static_cast<unsigned>(c - 'A')
                           : c >= '0' ? static_cast<unsigned>(c - '0' + 52)
                           : c == '+' ? 62u
                                      : 63u;
    bits = bits << 6 | digit;
    if ((count += 6) >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 255);
    }
  }
  return bytes;
}

/// A .vtu file read by the letter: every tag is closed in order, every array is as long as it says.
struct vtu_file {
  std::map<std::string, std::string> tags;    // name -> text of the tag
  std::map<std::string, std::string> arrays;  // Name -> bytes

  explicit vtu_file(const std::string& text) {
    std::vector<std::string> open;
    std::size_t at = text.find("?>");
    REQUIRE(at != text.npos);
    for (at += 2; (at = text.find('<', at)) != text.npos;) {
      const std::size_t end = text.find('>', at);
      REQUIRE(end != text.npos);
      const std::string tag = text.substr(at + 1, end - at - 1);
      const std::string name = tag.substr(0, tag.find(' '));
      if (name[0] == '/') {
        REQUIRE(!open.empty());
        CHECK(name == '/' + open.back());
        open.pop_back();
      } else {
        open.push_back(name);
        tags[name] = tag;
        if (name == "DataArray")
          read_array(tag, text.substr(end + 1, text.find('<', end) - end - 1));
      }
      at = end + 1;
    }
    CHECK(open.empty());
  }

  template <class Number>
  std::vector<Number> numbers(const std::string& name) const {
    const std::string& bytes = arrays.at(name);
    std::vector<Number> values(bytes.size() / sizeof(Number));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

 private:
  void read_array(const std::string& tag, const std::string& content) {
    CHECK(attribute(tag, "format") == "binary");
    CHECK(content.size() % 4 == 0);
    const std::string bytes = base64_decoded(content);
    std::uint64_t size = 0;
    REQUIRE(bytes.size() >= sizeof size);
    std::memcpy(&size, bytes.data(), sizeof size);
    CHECK(bytes.size() == sizeof size + size);
    arrays[attribute(tag, "Name")] = bytes.substr(sizeof size);
  }
};

using place = std::array<int, 3>;

place along(const place& a, const place& b, int step, int p) {
  place c{};
  for (std::size_t d = 0; d < 3; ++d) c[d] = a[d] + (b[d] - a[d]) / p * step;
  return c;
}

}  // namespace

TEST_CASE("the nodes of VTK's hexahedron: corners, then edges, faces and the inside between them") {
  // Corners as VTK draws them; edges and faces between numbered corners, with their directions.
  const int edges[12][2] = {{0, 1}, {1, 2}, {3, 2}, {0, 3}, {4, 5}, {5, 6},
                            {7, 6}, {4, 7}, {0, 4}, {1, 5}, {3, 7}, {2, 6}};
  const int faces[6][3] = {{0, 3, 4}, {1, 2, 5}, {0, 1, 4}, {3, 2, 7}, {0, 1, 3}, {4, 5, 7}};
  for (int p = 1; p <= 10; ++p) {
    CAPTURE(p);
    const place corners[8] = {{0, 0, 0}, {p, 0, 0}, {p, p, 0}, {0, p, 0},
                              {0, 0, p}, {p, 0, p}, {p, p, p}, {0, p, p}};
    std::vector<place> expected(corners, corners + 8);
    for (const auto& [a, b] : edges) {
      for (int s = 1; s < p; ++s) expected.push_back(along(corners[a], corners[b], s, p));
    }
    for (const auto& [origin, first, second] : faces) {
      for (int t = 1; t < p; ++t) {
        for (int s = 1; s < p; ++s) {
          const place a = along(corners[origin], corners[first], s, p);
          const place b = along(corners[origin], corners[second], t, p);
          place c{};
          for (std::size_t d = 0; d < 3; ++d) c[d] = a[d] + b[d] - corners[origin][d];
          expected.push_back(c);
        }
      }
    }
    for (int k = 1; k < p; ++k) {
      for (int j = 1; j < p; ++j) {
        for (int i = 1; i < p; ++i) expected.push_back({i, j, k});
      }
    }
    CHECK(fem::vtk_node_order(p) == expected);
    CHECK(std::set<place>(expected.begin(), expected.end()).size() ==
          static_cast<std::size_t>((p + 1) * (p + 1) * (p + 1)));
  }
}

TEST_CASE("a written file is well-formed, and its cells lie where the elements do") {
  constexpr int p = 3, n = 3;
  const fem::domain cube = fem::deformed_cube(0.1);
  const fem::mesh shape = fem::cut(cube, n, p);
  const fem::discretization on(shape, p);
  std::ostringstream text;
  fem::write_vtu(text, on, on.at_nodes(fem::solution));
  const vtu_file file(text.str());

  CHECK(attribute(file.tags.at("VTKFile"), "type") == "UnstructuredGrid");
  CHECK(attribute(file.tags.at("VTKFile"), "version") == "1.0");
  CHECK(attribute(file.tags.at("VTKFile"), "header_type") == "UInt64");
  CHECK(attribute(file.tags.at("Piece"), "NumberOfPoints") == "1000");
  CHECK(attribute(file.tags.at("Piece"), "NumberOfCells") == "27");

  const auto points = file.numbers<double>("Points"), u = file.numbers<double>("u");
  const auto connectivity = file.numbers<std::int64_t>("connectivity");
  const auto offsets = file.numbers<std::int64_t>("offsets");
  const auto types = file.numbers<std::uint8_t>("types");
  REQUIRE(points.size() == 3000);
  REQUIRE(u.size() == 1000);
  REQUIRE(connectivity.size() == 27 * 64);
  REQUIRE(offsets.size() == 27);
  REQUIRE(types.size() == 27);

  const std::vector<place> order = fem::vtk_node_order(p);
  std::set<std::array<int, 3>> elements;
  for (std::size_t c = 0; c < 27; ++c) {
    CHECK(types[c] == 72);
    CHECK(offsets[c] == static_cast<std::int64_t>(64 * (c + 1)));
    // The corner of the map is where it was before the cube was bent, so the element follows from
    // the cell's first point; elements go along z, then y, then x.
    const int e = static_cast<int>(c);
    const int first[3] = {e / 9, e / 3 % 3, e % 3};
    for (std::size_t l = 0; l < 64; ++l) {
      const auto node = static_cast<std::size_t>(connectivity[64 * c + l]);
      REQUIRE(node < 1000);
      fem::point X;
      for (std::size_t d = 0; d < 3; ++d) X[d] = (first[d] + order[l][d] / double(p)) / n;
      const fem::point expected = cube.map(0, X);
      // Corners exactly; in between, the element is a polynomial and the map is not.
      for (std::size_t d = 0; d < 3; ++d) {
        CHECK(std::fabs(points[3 * node + d] - expected[d]) <= (l < 8 ? 1e-15 : 2e-4));
      }
      const double exact =
          fem::solution({points[3 * node], points[3 * node + 1], points[3 * node + 2]});
      CHECK(std::fabs(u[node] - exact) <= (l < 8 ? 1e-14 : 2e-3));
    }
  }
}

TEST_CASE("cells whose elements lie in different ways are written right way round") {
  constexpr int p = 2;
  const fem::domain cube = turned_cube(2, 0.1, true);
  const fem::mesh shape = fem::cut(cube, 1, p);
  const fem::discretization on(shape, p);
  std::ostringstream text;
  fem::write_vtu(text, on, on.at_nodes(fem::solution));
  const vtu_file file(text.str());
  const auto points = file.numbers<double>("Points");
  const auto connectivity = file.numbers<std::int64_t>("connectivity");
  REQUIRE(points.size() == 3 * 125);
  REQUIRE(connectivity.size() == 8 * 27);
  const std::vector<place> order = fem::vtk_node_order(p);
  for (std::size_t l = 0; l < connectivity.size(); ++l) {
    const auto [i, j, k] = order[l % 27];
    const fem::point expected = cube.map(static_cast<int>(l / 27), {i / 2.0, j / 2.0, k / 2.0});
    for (std::size_t d = 0; d < 3; ++d) {
      const double written = points[3 * static_cast<std::size_t>(connectivity[l]) + d];
      CHECK(std::fabs(written - expected[d]) <= 1e-15);
    }
  }
}
