#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <tenfold/tensor/extents.hpp>
#include <vector>

/// Where the values of an element lie in the shared memory of a block. Its banks serve threads of
/// 128 bytes together, one entry each in a cycle: threads that ask a bank for different entries
/// wait for each other. So rows, planes and elements are laid some entries apart, by counting
/// cycles.
namespace tenfold::select {

/// Entries that are left free behind each row, plane and element of a value. Until threads are
/// known rows are an odd number of entries apart, so that threads along a column meet no bank
/// twice.
struct shared_gaps {
  static constexpr int odd = -1;
  int row = odd, plane = 0, element = 0;

  friend bool operator==(const shared_gaps&, const shared_gaps&) = default;
};
/// How many are tried behind a row.
inline constexpr int device_row_gaps = 4;

/// A value with axes of these extents, the innermost first: how far it is along each, and, last,
/// how many entries there are in all.
inline std::vector<index> shared_strides(const std::vector<index>& extents,
                                         const shared_gaps& gaps) {
  std::vector<index> strides;
  index entries = 1;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    strides.push_back(entries);
    entries *= extents[axis];
    if (axis == 0) entries = gaps.row == shared_gaps::odd ? entries | 1 : entries + gaps.row;
    if (axis == 1) entries += gaps.plane;
  }
  strides.push_back(entries + gaps.element);
  return strides;
}

/// What the lines of a pass do with a value in shared memory, so many times each: they read, or
/// write, an entry of it.
struct shared_access {
  struct loop {
    index extent = 1;
    int axis = -1;  ///< of the value, along which the loop goes; -1: none
  };
  int value = 0;
  std::vector<loop> lines;  ///< the fastest loop last
  double times = 1;
};

/// The same, for the threads of a block that has so many elements.
class shared_threads {
 public:
  shared_threads(const shared_access& a, int threads, int elements, int entry_bytes)
      : value_(a.value),
        times_(a.times),
        at_once_(static_cast<std::size_t>(std::max(128 / entry_bytes, 1))) {
    index lines = 1;
    for (const shared_access::loop& l : a.lines) lines *= l.extent;
    const index all = lines * elements;
    for (index first = 0; first < all; first += threads) {
      for (int t = 0; t < threads; ++t) {
        const index line = std::min(first + t, all - 1);  // those beyond ask for the last one
        place p{static_cast<int>(line / lines)};
        index rest = line % lines;
        for (auto l = a.lines.rbegin(); l != a.lines.rend(); ++l) {
          if (l->axis >= 0 && l->axis < axes) p.along[l->axis] = static_cast<int>(rest % l->extent);
          rest /= l->extent;
        }
        places_.push_back(p);
      }
    }
  }

  int value() const { return value_; }
  /// Cycles in which the banks serve all of them, if the value has these strides.
  double cycles(const std::vector<index>& strides) const {
    int by_axis[axes] = {};
    for (std::size_t axis = 0; axis + 1 < strides.size() && axis < axes; ++axis)
      by_axis[axis] = static_cast<int>(strides[axis]);
    int sum = 0;
    for (std::size_t first = 0; first < places_.size(); first += at_once_)
      sum += cycles_of(first, by_axis, static_cast<int>(strides.back()));
    return times_ * sum;
  }
  /// The least that can be.
  double least_cycles() const {
    return times_ * static_cast<double>((places_.size() + at_once_ - 1) / at_once_);
  }

 private:
  static constexpr int axes = 4, most_at_once = 32;
  struct place {
    int slot;
    int along[axes] = {};
  };

  /// As many as the entries, all different, that are asked of one bank.
  int cycles_of(std::size_t first, const int (&strides)[axes], int element) const {
    int asked[most_at_once], in_bank[most_at_once] = {}, most = 0;
    const std::size_t count = std::min(places_.size() - first, at_once_);
    for (std::size_t i = 0; i < count; ++i) {
      const place& p = places_[first + i];
      int at = p.slot * element;
      for (int axis = 0; axis < axes; ++axis) at += p.along[axis] * strides[axis];
      asked[i] = at;
      if (std::find(asked, asked + i, at) == asked + i)
        most = std::max(most, ++in_bank[static_cast<std::size_t>(at) % at_once_]);
    }
    return most;
  }

  int value_;
  double times_;
  std::size_t at_once_;
  std::vector<place> places_;
};

/// Gaps of a value, what an element has of it with them, and the cycles that they cost a block.
struct shared_choice {
  shared_gaps gaps;
  index entries = 0;
  double cycles = 0;
};
/// The gaps of a value with axes of these extents, but for those that take no fewer cycles than
/// smaller ones.
inline std::vector<shared_choice> device_gaps(const std::vector<index>& extents,
                                              const std::vector<shared_threads>& accesses,
                                              int elements, int entry_bytes) {
  const int banks = std::max(128 / entry_bytes, 1);
  double least = 0;
  for (const shared_threads& a : accesses) least += a.least_cycles();
  std::vector<shared_choice> choices;
  index enough = std::numeric_limits<index>::max();  // entries with which cycles are the least
  for (int row = 0; row < (extents.size() > 1 ? device_row_gaps : 1); ++row) {
    for (int plane = 0; plane < (extents.size() > 2 ? banks : 1); ++plane) {
      for (int element = 0; element < (elements > 1 ? banks : 1); ++element) {
        const shared_gaps gaps{row, plane, element};
        const std::vector<index> strides = shared_strides(extents, gaps);
        if (strides.back() >= enough) continue;
        double cycles = 0;
        for (const shared_threads& a : accesses) cycles += a.cycles(strides);
        if (cycles <= least) enough = strides.back();
        choices.push_back({gaps, strides.back(), cycles});
      }
    }
  }
  std::sort(choices.begin(), choices.end(), [](const shared_choice& x, const shared_choice& y) {
    return x.entries != y.entries ? x.entries < y.entries : x.cycles < y.cycles;
  });
  std::vector<shared_choice> best;
  for (const shared_choice& x : choices)
    if (best.empty() || x.cycles < best.back().cycles) best.push_back(x);
  return best;
}
/// Of those the one that costs least, if each entry of an element costs so many cycles.
inline shared_gaps device_gaps(const std::vector<shared_choice>& choices, int elements,
                               double entry_cycles) {
  const auto cost = [&](const shared_choice& x) {
    return x.cycles + entry_cycles * static_cast<double>(elements * x.entries);
  };
  return std::min_element(
             choices.begin(), choices.end(),
             [&](const shared_choice& x, const shared_choice& y) { return cost(x) < cost(y); })
      ->gaps;
}
/// What is tried as the cycles that an entry costs.
inline constexpr double device_entry_cycles[] = {0, 0.25, 1, 4};

}  // namespace tenfold::select
