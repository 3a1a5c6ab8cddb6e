#pragma once

/// Numbers for the points of lattices that hexahedra share.

#include <array>
#include <cstddef>
#include <tenfold/tensor/extents.hpp>
#include <vector>

#include "topology.hpp"

namespace fem {

/// Each hexahedron carries a lattice of (N + 1)^3 points; those on what it shares it has in common
/// with its neighbours, however they lie to each other. Where hexahedra are cut into n x n x n
/// elements, N = n numbers the vertices of the elements and N = n p their nodes of degree p.
///
/// Points on the boundary, whose values are given, come last: the unknowns are the first `free`
/// entries of every vector, and no mask is needed.
class numbering {
 public:
  tenfold::index nodes = 0, free = 0;

  numbering(const topology& shared, tenfold::index N);

  /// The number of point (x, y, z), each 0 to N, of a hexahedron.
  tenfold::index operator()(int hexahedron, tenfold::index x, tenfold::index y,
                            tenfold::index z) const {
    const std::size_t part = 9 * place(x) + 3 * place(y) + place(z);
    const affine& f = of_part_[static_cast<std::size_t>(hexahedron) * part_count + part];
    return f.base + f.step[0] * x + f.step[1] * y + f.step[2] * z;
  }

 private:
  /// On one part of a hexahedron, whichever way round: base + step . (x, y, z).
  struct affine {
    tenfold::index base;
    std::array<tenfold::index, 3> step;
  };

  std::size_t place(tenfold::index x) const { return x == 0 ? 0 : x < N_ ? 1 : 2; }

  tenfold::index N_;
  std::vector<affine> of_part_;  // part c of hexahedron h at [27 h + c]
};

}  // namespace fem
