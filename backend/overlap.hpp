#pragma once

#include <tenfold/tensor/extents.hpp>

namespace tenfold {

/// Where the entries of a strided operand lie, in bytes: its axes that move, longest steps first.
class memory_extent {
 public:
  /// One entry of `entry_bytes` at `data`.
  memory_extent(const void* data, index entry_bytes) : data_(data), entry_(entry_bytes) {}

  /// `extent` copies of what there is so far, `stride` entries apart, at most `most_axes` times.
  /// The stride of one copy may be anything.
  void repeat(index extent, index stride);

  /// No entry has two indices, as tensor/entries_apart.hpp tells.
  bool entries_apart() const;

  /// Whether two operands may share an address: no where a cheap proof exists, else yes.
  ///
  /// The proof: let g be the greatest common divisor of the steps not shorter than some s. Modulo g
  /// these axes stand still, and each operand stays in a window that its shorter steps reach. If
  /// the windows are disjoint modulo g, so are the operands. With the shortest s this is the proof
  /// by divisibility, with a longer one that of nested strides (two ranges of columns of one
  /// matrix); before any step the windows are the ranges of addresses.
  friend bool may_overlap(const memory_extent& x, const memory_extent& y);

  static constexpr int most_axes = 32;

 private:
  const void* data_;
  index entry_;
  index steps_[most_axes], extents_[most_axes];  ///< the first count_
  int count_ = 0;
  index reach_ = 0;   ///< from the first to the last entry
  index before_ = 0;  ///< from the first entry to entry (0, 0, ...)
  bool empty_ = false;
  bool stands_ = false;  ///< an axis does not move
};

bool may_overlap(const memory_extent& x, const memory_extent& y);

}  // namespace tenfold
