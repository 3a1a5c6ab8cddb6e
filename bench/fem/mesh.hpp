#pragma once

#include <cstddef>
#include <cstdint>
#include <tenfold/tensor/allocation.hpp>
#include <vector>

#include "fem/problems.hpp"
#include "fem/tables.hpp"

namespace tenfold::bench {

/// The unit cube in n x n x n elements of degree p, deformed by x_d += 0.1 prod sin(pi x_i).
/// Elements come in blocks of `width`, those that lie side by side along the last axis; lanes
/// behind the last element of the last block are empty.
struct cube_mesh {
  int p, n, width, components;
  std::ptrdiff_t nodes;  ///< of a component; all of them, those of the boundary too
  std::ptrdiff_t blocks;
  /// In large pages, as a user's (docs/fuse.md).
  allocation<std::int32_t> map;  ///< [blocks][components][P][P][P][width]; -1 empty or constrained

  /// Constrained: the entries at the boundary are not there.
  cube_mesh(int degree, int elements_along, int block_width, int component_count, bool constrained);

  std::ptrdiff_t elements() const { return std::ptrdiff_t{n} * n * n; }
  std::ptrdiff_t dofs() const { return nodes * components; }
  int P() const { return p + 1; }
  /// Numbers of the map in a block.
  std::ptrdiff_t numbers() const { return std::ptrdiff_t{components} * P() * P() * P() * width; }
  /// The number of node (i, j, k) of the element (x, y, z), i and x outermost.
  std::ptrdiff_t node(int x, int y, int z, int i, int j, int k) const {
    const std::ptrdiff_t along = std::ptrdiff_t{n} * p + 1;
    return ((std::ptrdiff_t{x} * p + i) * along + std::ptrdiff_t{y} * p + j) * along +
           std::ptrdiff_t{z} * p + k;
  }
};

/// As many cache lines as the entries of one component of a block of neighbours lie in.
constexpr int lines_of_block(int P, int width, std::size_t scalar) {
  return P * P * (width * (P - 1) * static_cast<int>(scalar) / 64 + 2);
}

/// Where the entries of each block and component lie: lines_of_block numbers of cache lines, each
/// once, then the last one again.
std::vector<std::int32_t> lines_of_blocks(const cube_mesh&, std::size_t scalar);

/// What is stored at the points, d [blocks][data_entries][width], from elements that are images of
/// polynomials of degree p: their nodes are where the deformation takes those of the cube. Empty
/// lanes repeat the last element.
template <class T>
void store_geometry(const cube_mesh&, const fem_tables&, operator_kind, T* d);

extern template void store_geometry(const cube_mesh&, const fem_tables&, operator_kind, double*);
extern template void store_geometry(const cube_mesh&, const fem_tables&, operator_kind, float*);

}  // namespace tenfold::bench
