#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tenfold/tensor/error.hpp>
#include <tenfold/tensor/gathered.hpp>

/// In which order the problems of a batch add into an array through a map, so that many threads may
/// do it at once and every entry is still the same sum, term after term.
///
/// The batch is cut into parts of consecutive problems; parts of one colour share no entry of the
/// array and may run at the same time, colours follow each other. What is added to an entry, and
/// when, is thereby a matter of the map alone.
namespace tenfold {

/// The colours of a map's parts, greedily: a part takes the first colour that no part before it
/// with which it shares an entry has (the sequential colouring of D. J. A. Welsh and M. B. Powell,
/// The Computer Journal 10, 1967, in the order of the parts). Owns what it holds. O(batch entries).
///
///     index_map map(numbers, elements, 125, nodes);
///     scatter_order order(map);
///     gathered<double, 5, 5, 5> v(vector, map, order);
class scatter_order {
 public:
  /// Parts of `part` problems, of 64 if not said: few enough to leave work for many threads, and
  /// enough for the lanes of a tile of any program. Where a problem is a block of elements, a few
  /// are enough. Where lanes are problems, a part is a multiple of them, or one thread adds
  /// everything. Throws shape_error unless part > 0.
  template <class I>
  explicit scatter_order(const index_map<I>& map, index part = 64)
      : batch_(map.batch()), map_entries_(map.entries()), map_size_(map.size()), part_(part) {
    if (part <= 0) {
      throw shape_error("tenfold: the parts of a scatter_order hold " + std::to_string(part) +
                        " problems; they need at least one");
    }
    // The colours, one bit each, of the parts so far that have an entry.
    std::vector<std::uint64_t> taken(static_cast<std::size_t>(map.size()));
    for (index first = 0; first < batch_; first += part) {
      const index last = first + part < batch_ ? first + part : batch_;
      const I* const begin = map.data() + first * map.entries();
      const I* const end = map.data() + last * map.entries();
      std::uint64_t met = 0;
      for (const I* k = begin; k < end; ++k) {
        if (*k >= 0) met |= taken[static_cast<std::size_t>(*k)];
      }
      // Beyond 64 colours the last one is shared by parts that meet: it runs one part at a time.
      std::size_t colour = 0;
      while (colour + 1 < most && (met >> colour & 1) != 0) ++colour;
      for (const I* k = begin; k < end; ++k) {
        if (*k >= 0) taken[static_cast<std::size_t>(*k)] |= std::uint64_t{1} << colour;
      }
      if (colour >= parts_.size()) parts_.resize(colour + 1);
      parts_[colour].push_back(first / part);
    }
    for (std::size_t k = 0; k < taken.size(); ++k) {
      if (taken[k] == 0) continue;
      const auto at = static_cast<index>(k);
      if (entries_.empty() || entries_.back().end < at) entries_.push_back({at, at});
      entries_.back().end = at + 1;
    }
  }

  /// Entries [begin, end) of the array.
  struct range {
    index begin, end;
  };

  /// Of the map: the number of problems, of entries of each, and of entries of the array.
  index batch() const noexcept { return batch_; }
  index map_entries() const noexcept { return map_entries_; }
  index map_size() const noexcept { return map_size_; }
  /// Problems in a part; the last one may hold fewer.
  index part() const noexcept { return part_; }
  /// The entries that the map names, in rising order.
  const std::vector<range>& entries() const noexcept { return entries_; }
  int colours() const noexcept { return static_cast<int>(parts_.size()); }
  /// The parts of a colour, in rising order; part k is problems [k part(), (k + 1) part()).
  const std::vector<index>& parts(int colour) const noexcept {
    return parts_[static_cast<std::size_t>(colour)];
  }
  /// Whether parts of a colour may meet: they must run one after another.
  bool is_serial(int colour) const noexcept { return colour + 1 == static_cast<int>(most); }

 private:
  static constexpr std::size_t most = 64;
  index batch_, map_entries_, map_size_, part_;
  std::vector<std::vector<index>> parts_;
  std::vector<range> entries_;
};

}  // namespace tenfold
