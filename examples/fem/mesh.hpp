#pragma once

/// The mesh: the hexahedra of a domain, cut into elements.

#include <string>
#include <tenfold/tensor/extents.hpp>
#include <vector>

#include "domain.hpp"
#include "topology.hpp"

namespace fem {

/// Element (x, y, z), each 0 to n - 1, of a hexahedron is the image of
/// [x, x+1] x [y, y+1] x [z, z+1] / n.
struct element {
  int hexahedron, x, y, z;
};

/// n x n x n elements in each hexahedron. Elements are curved: inside each, the hexahedron's map is
/// replaced by its interpolant of degree `geometry` at Gauss-Lobatto nodes.
struct mesh {
  topology shared;
  int n = 1;
  int geometry = 1;
  std::vector<point> nodes;  ///< of the elements' shape, by their numbers in the lattice of
                             ///< n geometry intervals; see numbering.hpp

  tenfold::index elements() const {
    return static_cast<tenfold::index>(shared.hexahedra()) * n * n * n;
  }
  /// Hexahedron by hexahedron, z is the fastest.
  element at(tenfold::index e) const {
    const auto digit = [this, e](tenfold::index of) { return static_cast<int>(e / of % n); };
    const tenfold::index m = n;
    return {static_cast<int>(e / (m * m * m)), digit(m * m), digit(m), digit(1)};
  }
};

/// Cuts each hexahedron of `whole` into n x n x n elements. What elements share has one place.
mesh cut(const domain& whole, int n, int geometry);

/// "n^3 elements", or "7 x n^3 elements" if there are seven hexahedra.
std::string elements_text(const topology& shared, const std::string& n);

}  // namespace fem
