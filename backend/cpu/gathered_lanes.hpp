#pragma once

#include <algorithm>
#include <tenfold/backend/cpu/permute.hpp>

namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Vectors of entries that lie anywhere near each other, the same way again and again: which
/// vectors of memory hold them, and which lane each is there.
///
/// Whole vectors of memory are loaded where all of them is the operand's: a masked load waits for
/// what is not in the caches (outer products of order 3 from memory, Zen 5: 39 GB/s, masked 14;
/// transpositions of order 4 44 and 11).
template <class T, int W, int MostVectors>
class gathered_lanes {
 public:
  /// Entry i of `count` lies at distance(i). Returns false, and is of no use, where a vector of
  /// entries takes more than some vectors of memory.
  template <class F>
  bool set(index count, F distance) {
    int parts = 0;
    for (index v = 0; v * W < count; ++v) {
      first_[v] = parts;
      unsigned left = count - v * W >= W ? (1u << W) - 1 : (1u << (count - v * W)) - 1;
      const auto is_left = [&](int i) { return (left >> i & 1) != 0; };
      for (int part = 0; left != 0; ++part) {
        if (part == most_parts) return false;
        index begin = 0, end = 0;
        for (int i = W - 1; i >= 0; --i)
          if (is_left(i)) begin = distance(v * W + i);
        for (int i = 0; i < W; ++i)
          if (is_left(i)) begin = std::min(begin, distance(v * W + i));
        memory_part& x = parts_[parts++];
        unsigned found = 0;
        x.order.set([&](int i) {
          const index lane = is_left(i) ? distance(v * W + i) - begin : 0;
          if (!is_left(i) || lane >= W) return 0;
          found |= 1u << i;
          end = std::max(end, lane + 1);
          return static_cast<int>(lane);
        });
        x.lanes.set([&](int i) { return (found >> i & 1) != 0; });
        x.begin = begin;
        x.count = static_cast<int>(end);
        left &= ~found;
      }
    }
    first_[(count + W - 1) / W] = parts;
    for (int p = 0; p < parts; ++p) reach_ = std::max(reach_, parts_[p].begin + W);
    return true;
  }

  /// From x to the end of all vectors of memory, as loaded whole.
  index reach() const { return reach_; }

  /// Entries v * W and on, around x; nothing else is read unless `Whole`.
  template <bool Whole>
  [[gnu::always_inline]] vec<T, W> load(const T* x, index v) const {
    int p = first_[v];
    vec<T, W> lanes = part<Whole>(x, p);
    if (p + 1 == first_[v + 1]) return lanes;
    lanes = parts_[p].lanes.kept(lanes);
    while (++p < first_[v + 1]) lanes = both(lanes, parts_[p].lanes.kept(part<Whole>(x, p)));
    return lanes;
  }

 private:
  static constexpr int most_parts = 4;

  /// A vector of memory.
  struct memory_part {
    index begin;
    int count;  ///< lanes of it that are read
    lane_order<T, W> order;
    lane_set<T, W> lanes;  ///< those of the result that come from it
  };

  template <bool Whole>
  [[gnu::always_inline]] vec<T, W> part(const T* x, int p) const {
    const memory_part& from = parts_[p];
    const T* const at = x + from.begin;
    return from.order.permuted(Whole ? cpu::load<T, W>(at) : load_between<T, W>(at, 0, from.count));
  }

  memory_part parts_[MostVectors * most_parts];
  int first_[MostVectors + 1];
  index reach_ = 0;
};

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
