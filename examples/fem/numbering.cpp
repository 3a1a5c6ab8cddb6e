#include "numbering.hpp"

namespace fem {

numbering::numbering(const topology& shared, tenfold::index N) : N_(N) {
  // An entity of dimension d has (N - 1)^d points inside, its last axis the fastest.
  const tenfold::index m = N - 1;
  const std::array<tenfold::index, 4> size = {1, m, m * m, m * m * m};
  std::vector<tenfold::index> first(shared.entities().size());
  for (const bool boundary : {false, true}) {
    for (std::size_t e = 0; e < first.size(); ++e) {
      const topology::entity& entity = shared.entities()[e];
      if (entity.boundary != boundary) continue;
      first[e] = nodes;
      nodes += size[static_cast<std::size_t>(entity.dimension)];
    }
    if (!boundary) free = nodes;
  }

  of_part_.reserve(shared.hexahedra() * part_count);
  for (std::size_t h = 0; h < shared.hexahedra(); ++h) {
    for (int which = 0; which < part_count; ++which) {
      const topology::part& part = shared.at(h, which);
      const auto dimension = static_cast<std::size_t>(shared.entities()[part.entity].dimension);
      affine f{first[part.entity], {}};
      for (std::size_t d = 0; d < dimension; ++d) {
        // The entity's coordinate runs from 1: it is x, or N - x, of the hexahedron.
        const tenfold::index stride = size[dimension - 1 - d];
        f.base += (part.reversed[d] ? N - 1 : -1) * stride;
        f.step[part.axis[d]] = part.reversed[d] ? -stride : stride;
      }
      of_part_.push_back(f);
    }
  }
}

}  // namespace fem
