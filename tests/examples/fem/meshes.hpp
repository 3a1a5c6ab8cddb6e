#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "domain.hpp"

/// The file of that name in examples/fem/meshes.
inline std::string mesh_file(const std::string& name) {
  return std::string(TENFOLD_FEM_MESHES) + "/" + name;
}

/// One of the 24 ways in which a cube can lie: where corner or point (i, j, k) goes, each 0 to m.
inline std::array<int, 3> turned(int way, const std::array<int, 3>& ijk, int m) {
  static constexpr std::size_t axes[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                             {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  // The last three are odd: they need an odd number of reflections to be rotations.
  static constexpr bool mirrored[2][4][3] = {{{0, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}},
                                             {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}};
  const std::size_t permutation = static_cast<std::size_t>(way) / 4;
  const bool* const mirror = mirrored[permutation / 3][way % 4];
  std::array<int, 3> to{};
  for (std::size_t d = 0; d < 3; ++d) {
    const int from = ijk[axes[permutation][d]];
    to[d] = mirror[d] ? m - from : from;
  }
  return to;
}

/// A deformed cube of n x n x n hexahedra of degree 2, every one of which lies another way if
/// `turn`: neighbours see the faces and edges between them in all ways that there are.
inline fem::domain turned_cube(int n, double deform, bool turn) {
  const fem::domain cube = fem::deformed_cube(deform);
  std::vector<fem::corners> hexahedra;
  std::vector<fem::point> points;
  for (int e = 0; e < n * n * n; ++e) {
    const int way = turn ? 7 * e % 24 : 0;
    const std::array<int, 3> first = {e / (n * n), e / n % n, e % n};
    fem::corners& vertex = hexahedra.emplace_back();
    for (int corner = 0; corner < 8; ++corner) {
      const auto [i, j, k] = turned(way, {corner / 4, corner / 2 % 2, corner % 2}, 1);
      // Numbers without order, so that nothing is right by chance: 31 and (n + 1)^3 are coprime.
      const int place = ((first[0] + i) * (n + 1) + first[1] + j) * (n + 1) + first[2] + k;
      vertex[static_cast<std::size_t>(corner)] = 31 * place % ((n + 1) * (n + 1) * (n + 1));
    }
    for (int node = 0; node < 27; ++node) {
      const std::array<int, 3> at = turned(way, {node / 9, node / 3 % 3, node % 3}, 2);
      fem::point X;
      for (std::size_t d = 0; d < 3; ++d) X[d] = (first[d] + at[d] / 2.0) / n;
      points.push_back(cube.map(0, X));
    }
  }
  return fem::polynomial_hexahedra("turned", hexahedra, 2, std::move(points));
}
