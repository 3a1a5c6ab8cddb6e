#pragma once

/// What hexahedra share: their corners, edges and faces, and which way round each of them sees it.

#include <array>
#include <cstddef>
#include <vector>

namespace fem {

/// The numbers of the eight vertices of a hexahedron, that of its corner (i, j, k), each 0 or 1, at
/// [4 i + 2 j + k]. The axes i, j, k are right-handed.
using corners = std::array<int, 8>;

/// A hexahedron has 27 parts: 8 vertices, 12 edges, 6 faces and the inside. Each lies at the lower
/// end (0), inside (1) or at the upper end (2) of every axis: part (a, b, c) is 9 a + 3 b + c.
inline constexpr int part_count = 27;

/// Hexahedra that may lie in any way to each other. An edge or a face is shared by all that have
/// its vertices. It has axes of its own, on which they agree: the origin is its vertex of the
/// lowest number, and the first axis goes to the lower one of the origin's neighbours.
class topology {
 public:
  /// A vertex, an edge, a face or an inside.
  struct entity {
    int dimension;  ///< 0, 1, 2, 3
    int hexahedra;  ///< that have it
    bool boundary;  ///< it is, or belongs to, a face of a single hexahedron
  };

  /// An entity, as a hexahedron sees it: the entity's axis d is the hexahedron's axis[d], run
  /// through backwards if reversed[d]; d < dimension.
  struct part {
    std::size_t entity;
    std::array<std::size_t, 3> axis;
    std::array<bool, 3> reversed;
  };

  /// The eight vertices of each hexahedron must differ.
  explicit topology(const std::vector<corners>& hexahedra);

  std::size_t hexahedra() const { return parts_.size() / part_count; }
  const part& at(std::size_t hexahedron, int which) const {
    return parts_[hexahedron * part_count + static_cast<std::size_t>(which)];
  }
  /// In the order in which the hexahedra come to them.
  const std::vector<entity>& entities() const { return entities_; }
  /// How many there are of each dimension.
  const std::array<double, 4>& counts() const { return counts_; }

 private:
  void mark_boundary();

  std::vector<entity> entities_;
  std::vector<part> parts_;  // part c of hexahedron h at [27 h + c]
  std::array<double, 4> counts_{};
};

}  // namespace fem
