// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

/// The order in which elements are worked on: W elements make a block, blocks make a piece of the
/// mesh, pieces have colours.
///
/// A block is what SIMD works on: its W elements lie side by side, number by number, in the last
/// axis of every array of element data. A piece is what one thread works on at a time. Pieces of
/// one colour share no node, so they may add into one vector at the same time; colours follow each
/// other. What is added to a node, and in which order, is thereby a matter of the mesh alone:
/// results have the same bits for any number of threads.
#ifndef TENFOLD_EXAMPLES_FEM_BLOCKS_HPP
#define TENFOLD_EXAMPLES_FEM_BLOCKS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <tenfold/tensor/extents.hpp>
#include <vector>

#include "mesh.hpp"
#include "parallel.hpp"

namespace fem {

/// Elements in a block: the doubles in 64 bytes.
inline constexpr int W = 8;

/// Blocks first, ..., last - 1.
struct piece {
  tenfold::index first, last;
};

/// All elements of the mesh in blocks. Where a piece does not fill its last block, lanes repeat
/// the piece's last element; they count for nothing (see geometry.hpp).
struct blocks {
  std::vector<element> elements;  // element w of block b at [b W + w]
  std::vector<char> filled;       // is it the mesh's, or a repetition?
  std::array<std::vector<piece>, 4> colours;

  tenfold::index count() const { return static_cast<tenfold::index>(elements.size()) / W; }

  /// Cuts the mesh into bars along z of up to `most` blocks, but into 64 bars at least where that
  /// leaves one block to each; the colour of a bar is its place's parity in x and y.
  blocks(int n, int most) {
    const tenfold::index enough = tenfold::index(n) * n * n / (64 * W);
    const int in_bar = W * static_cast<int>(std::clamp<tenfold::index>(enough, 1, most));
    const int dy = std::min(n, (in_bar + n - 1) / n);
    const int dx = std::min(n, (in_bar + n * dy - 1) / (n * dy));
    for (int x = 0; x < n; x += dx) {
      for (int y = 0; y < n; y += dy) {
        const tenfold::index first = count();
        append_bar(n, x, std::min(n, x + dx), y, std::min(n, y + dy));
        const int colour = 2 * (x / dx % 2) + y / dy % 2;
        colours[static_cast<std::size_t>(colour)].push_back({first, count()});
      }
    }
  }

 private:
  void append_bar(int n, int x0, int x1, int y0, int y1) {
    for (int x = x0; x < x1; ++x) {
      for (int y = y0; y < y1; ++y) {
        for (int z = 0; z < n; ++z) elements.push_back({x, y, z});
      }
    }
    filled.resize(elements.size(), 1);
    while (elements.size() % W != 0) elements.push_back(element(elements.back()));
    filled.resize(elements.size(), 0);
  }
};

/// Calls work(first, count) for consecutive blocks, `most` at a time, until all are done. Calls
/// that may touch the same node come one after the other, in an order fixed by the mesh.
template <class Work>
void for_each_batch(const blocks& all, tenfold::index most, Work work) {
  for (const std::vector<piece>& pieces : all.colours) {
    in_parallel(static_cast<tenfold::index>(pieces.size()), [&](tenfold::index i) {
      const piece& mine = pieces[static_cast<std::size_t>(i)];
      for (tenfold::index first = mine.first; first < mine.last; first += most) {
        work(first, std::min(most, mine.last - first));
      }
    });
  }
}

}  // namespace fem

#endif  // TENFOLD_EXAMPLES_FEM_BLOCKS_HPP
