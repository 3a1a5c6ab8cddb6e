#include "topology.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace fem {
namespace {

/// What names a vertex, an edge or a face: -1 where it has less than four vertices, then these in
/// increasing order.
using key = std::array<int, 4>;

struct key_hash {
  std::size_t operator()(const key& k) const {
    std::uint64_t h = 0;
    for (const int v : k) {
      h = (h ^ static_cast<std::uint32_t>(v)) * 0x9E3779B97F4A7C15u;
      h ^= h >> 32;
    }
    return h;
  }
};

/// Where part 9 a + 3 b + c lies along each axis.
std::array<int, 3> place(int part) { return {part / 9, part / 3 % 3, part % 3}; }

/// Corner (i, j, k) of a hexahedron, along which axis to go for the neighbouring one.
constexpr std::array<std::size_t, 3> bit = {4, 2, 1};

}  // namespace

topology::topology(const std::vector<corners>& hexahedra) {
  std::unordered_map<key, std::size_t, key_hash> known;
  parts_.reserve(hexahedra.size() * part_count);
  for (const corners& vertex : hexahedra) {
    for (int which = 0; which < part_count; ++which) {
      const std::array<int, 3> where = place(which);
      part seen{entities_.size(), {0, 1, 2}, {}};
      std::size_t lowest = 0, dimension = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        if (where[d] == 1) seen.axis[dimension++] = d;
        if (where[d] == 2) lowest |= bit[d];
      }
      if (dimension < 3) {
        key name = {-1, -1, -1, -1};
        std::size_t origin = lowest, count = 0;
        for (std::size_t corner = 0; corner < 8 && count < name.size(); ++corner) {
          bool mine = true;
          for (std::size_t d = 0; d < 3; ++d) {
            mine = mine && (where[d] == 1 || ((corner ^ lowest) & bit[d]) == 0);
          }
          if (!mine) continue;
          name[count++] = vertex[corner];
          if (vertex[corner] < vertex[origin]) origin = corner;
        }
        std::sort(name.begin(), name.end());
        // The neighbour of the origin along axis d is the corner that differs in that bit.
        if (dimension == 2 &&
            vertex[origin ^ bit[seen.axis[1]]] < vertex[origin ^ bit[seen.axis[0]]]) {
          std::swap(seen.axis[0], seen.axis[1]);
        }
        for (std::size_t d = 0; d < dimension; ++d) {
          seen.reversed[d] = (origin & bit[seen.axis[d]]) != 0;
        }
        seen.entity = known.try_emplace(name, entities_.size()).first->second;
      }
      if (seen.entity == entities_.size()) {
        entities_.push_back({static_cast<int>(dimension), 0, false});
        ++counts_[dimension];
      }
      ++entities_[seen.entity].hexahedra;
      parts_.push_back(seen);
    }
  }
  mark_boundary();
}

void topology::mark_boundary() {
  for (std::size_t h = 0; h < hexahedra(); ++h) {
    for (std::size_t d = 0; d < 3; ++d) {
      for (const int side : {0, 2}) {
        std::array<int, 3> middle = {1, 1, 1};
        middle[d] = side;
        const int face = 9 * middle[0] + 3 * middle[1] + middle[2];
        if (entities_[at(h, face).entity].hexahedra != 1) continue;
        for (int which = 0; which < part_count; ++which) {
          if (place(which)[d] == side) entities_[at(h, which).entity].boundary = true;
        }
      }
    }
  }
}

}  // namespace fem
