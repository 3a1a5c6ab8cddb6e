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
#include <cstddef>
#include <cstdint>
#include <tenfold/tensor/extents.hpp>
#include <utility>
#include <vector>

#include "mesh.hpp"
#include "numbering.hpp"
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
  std::vector<std::vector<piece>> colours;

  tenfold::index count() const { return static_cast<tenfold::index>(elements.size()) / W; }

  /// Cuts n^3 elements in each hexahedron into bars along z of up to `most` blocks, but into 64
  /// bars at least where that leaves one block to each; bars that are shorter than that share a
  /// piece.
  blocks(const topology& shared, int n, int most) {
    const auto hexahedra = static_cast<int>(shared.hexahedra());
    const tenfold::index enough = tenfold::index(hexahedra) * n * n * n / (64 * W);
    const int in_bar = W * static_cast<int>(std::clamp<tenfold::index>(enough, 1, most));
    const int dy = std::min(n, (in_bar + n - 1) / n);
    const int dx = std::min(n, (in_bar + n * dy - 1) / (n * dy));
    std::vector<piece> pieces;
    tenfold::index first = 0;
    const auto end_piece = [&] {
      filled.resize(elements.size(), 1);
      while (elements.size() % W != 0) elements.push_back(element(elements.back()));
      filled.resize(elements.size(), 0);
      if (first < count()) pieces.push_back({first, count()});
      first = count();
    };
    for (int h = 0; h < hexahedra; ++h) {
      for (int x = 0; x < n; x += dx) {
        for (int y = 0; y < n; y += dy) {
          append_bar(h, n, x, std::min(n, x + dx), y, std::min(n, y + dy));
          const auto open = static_cast<tenfold::index>(elements.size()) - first * W;
          if (open >= in_bar) end_piece();
        }
      }
    }
    end_piece();
    colour(std::move(pieces), numbering(shared, n));
  }

 private:
  void append_bar(int h, int n, int x0, int x1, int y0, int y1) {
    for (int x = x0; x < x1; ++x) {
      for (int y = y0; y < y1; ++y) {
        for (int z = 0; z < n; ++z) elements.push_back({h, x, y, z});
      }
    }
  }

  /// Each piece in its turn gets the first colour that none has with which it shares a vertex: one
  /// colour after the other is given to all that can have it. Bars of a cube get four colours.
  void colour(std::vector<piece> pieces, const numbering& vertex) {
    std::vector<std::int32_t> last(static_cast<std::size_t>(vertex.nodes), -1);
    for (std::int32_t c = 0; !pieces.empty(); ++c) {
      std::vector<piece> left;
      colours.emplace_back();  // the first piece at least will have it
      for (const piece& each : pieces) {
        const std::vector<std::size_t> mine = vertices(each, vertex);
        const auto apart = [&](std::size_t v) { return last[v] != c; };
        if (std::all_of(mine.begin(), mine.end(), apart)) {
          for (const std::size_t v : mine) last[v] = c;
          colours.back().push_back(each);
        } else {
          left.push_back(each);
        }
      }
      pieces = std::move(left);
    }
  }

  /// The vertices of the elements of a piece.
  std::vector<std::size_t> vertices(const piece& of, const numbering& vertex) const {
    std::vector<std::size_t> found;
    for (tenfold::index l = of.first * W; l < of.last * W; ++l) {
      const element& e = elements[static_cast<std::size_t>(l)];
      for (int corner = 0; corner < 8; ++corner) {
        found.push_back(static_cast<std::size_t>(
            vertex(e.hexahedron, e.x + corner / 4, e.y + corner / 2 % 2, e.z + corner % 2)));
      }
    }
    return found;
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
