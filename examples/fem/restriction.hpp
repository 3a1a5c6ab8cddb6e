#pragma once

/// Between a vector over the mesh and the elements: which entries each element has.

#include <cstdint>
#include <functional>
#include <tenfold/tensor/allocation.hpp>
#include <tenfold/tensor/gathered.hpp>
#include <vector>

#include "mesh.hpp"
#include "vector.hpp"

namespace fem {

using tenfold::dyn;
using tenfold::index;

/// Elements in a block: the doubles in 64 bytes. They are what SIMD works on: numbers at their
/// points lie side by side, in the last axis of the arrays.
inline constexpr int W = 8;

/// Entries first, ..., last - 1.
struct range {
  index first, last;
};

/// Consecutive blocks of elements, worked on in one go by one thread: few enough for the entries of
/// several vectors to stay in a cache.
struct slab {
  index first, count;                    ///< blocks
  index number;                          ///< in the order in which slabs are worked on
  tenfold::index_map<std::int32_t> map;  ///< (E, w, a, i, j, k), -1 behind the last element
  index D1D;
  std::vector<range> begins;  ///< entries that no slab before this one has
  std::vector<range> ends;    ///< entries that no slab behind it has

  /// R_e x of all its elements: (E, w, i, j, k), node (i, j, k) of element w of block E, and
  /// (E, w, a, i, j, k) for fields of that many components a.
  template <index... Components, class T>
  tenfold::gathered<T, W, Components..., dyn, dyn, dyn> of(T* x) const {
    return {x, map, D1D, D1D, D1D};
  }
};

/// R_e of the textbooks, for all elements: u_e = R_e x, y = sum_e R_e^T v_e.
///
/// Slabs have colours. Those of one colour share no entry and may be worked on at the same time;
/// colours follow each other. What is added to an entry, and in which order, is thereby a matter of
/// the mesh alone: results have the same bits for any number of threads.
///
/// Entries of vectors are numbered in the order in which slabs come to them, so that what a slab
/// begins and what it ends are few ranges; those of one node are neighbours. Entries on the
/// boundary come last: the unknowns are the first `unknowns()` ones.
class restriction {
 public:
  /// The blocks that have about so many entries.
  static index blocks_of(index entries, int p, int components = 1);

  /// Fields of that many components, polynomials of degree p on the elements of `shape`, in slabs
  /// of at most so many blocks; 0: those that have some ten thousand entries, and fewer where that
  /// leaves little to share among threads.
  restriction(const mesh& shape, int p, int components = 1, index blocks_in_slab = 0);
  restriction(const restriction&) = delete;
  restriction& operator=(const restriction&) = delete;

  index components() const { return components_; }
  index size() const { return size_; }
  index unknowns() const { return unknowns_; }
  /// Those of all slabs. Slabs are of one size; elements that the last one lacks are not there.
  index blocks() const { return static_cast<index>(slabs_.size()) * slabs_.front().count; }
  index elements() const { return elements_; }
  /// In the order in which they are worked on, colour by colour.
  const std::vector<slab>& slabs() const { return slabs_; }
  /// Behind the last slab of each colour.
  const std::vector<index>& colours() const { return colours_; }

  /// The entries of element e, (a, i, j, k).
  const std::int32_t* entries(index e) const { return map_.data() + e * per_element_; }
  index per_element() const { return per_element_; }

 private:
  std::vector<index> order_slabs(index slabs, index elements_in_slab, index nodes);

  index components_, elements_, per_element_, size_ = 0, unknowns_ = 0;
  tenfold::allocation<std::int32_t> map_;  // (e, a, i, j, k); in large pages
  std::vector<slab> slabs_;
  std::vector<index> colours_;
};

/// Calls work(slab) for all slabs, side by side for those of one colour where there are threads.
void for_each_slab(const restriction& all, const std::function<void(const slab&)>& work);

/// y = sum of what add(slab) adds.
void add_up(const restriction& all, vector& y, const std::function<void(const slab&)>& add);

}  // namespace fem
