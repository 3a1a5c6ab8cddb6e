#pragma once

#include <algorithm>
#include <bit>
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
/// The Computer Journal 10, 1967, in the order of the parts). Owns what it holds. O(batch entries),
/// and for each 64 entries of the array their place among those that a part begins is sorted.
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
    choose_colours(map);
    find_begun(map);
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
  index part_count() const noexcept { return batch_ == 0 ? 0 : (batch_ - 1) / part_ + 1; }
  int colours() const noexcept { return static_cast<int>(parts_.size()); }
  /// The parts of a colour, in rising order; part k is problems [k part(), (k + 1) part()).
  const std::vector<index>& parts(int colour) const noexcept { return parts_[at(colour)]; }
  /// The entries that part k is the first to add to, colour after colour, in rising order. Each
  /// entry that the map names is of one part.
  const std::vector<range>& begun_by(index k) const noexcept { return begun_[at(k)]; }
  /// Whether parts of a colour may meet: they must run one after another.
  bool is_serial(int colour) const noexcept { return colour + 1 == static_cast<int>(most); }

 private:
  static constexpr std::size_t most = 64;
  static constexpr std::size_t at(index k) noexcept { return static_cast<std::size_t>(k); }

  /// Calls f(entry) for each number of part k that is one.
  template <class I, class F>
  void for_each_entry(const index_map<I>& map, index k, F f) const {
    const index first = k * part_, last = batch_ - first > part_ ? first + part_ : batch_;
    const I* const end = map.data() + last * map.entries();
    for (const I* number = map.data() + first * map.entries(); number < end; ++number) {
      if (*number >= 0) f(at(*number));
    }
  }

  template <class I>
  void choose_colours(const index_map<I>& map) {
    // The colours, one bit each, of the parts so far that have an entry.
    std::vector<std::uint64_t> taken(at(map.size()));
    for (index k = 0; k < part_count(); ++k) {
      std::uint64_t met = 0;
      for_each_entry(map, k, [&](std::size_t entry) { met |= taken[entry]; });
      // Beyond 64 colours the last one is shared by parts that meet: it runs one part at a time.
      std::size_t colour = 0;
      while (colour + 1 < most && (met >> colour & 1) != 0) ++colour;
      for_each_entry(map, k,
                     [&](std::size_t entry) { taken[entry] |= std::uint64_t{1} << colour; });
      if (colour >= parts_.size()) parts_.resize(colour + 1);
      parts_[colour].push_back(k);
    }
  }

  template <class I>
  void find_begun(const index_map<I>& map) {
    begun_.resize(at(part_count()));
    // One bit for each entry: whether a part so far has it, and whether this one began it.
    std::vector<std::uint64_t> known(at(map.size() / 64 + 1)), begun(known.size());
    std::vector<std::size_t> words;  // that are not 0 in `begun`
    for (const std::vector<index>& of_colour : parts_) {
      for (const index k : of_colour) {
        words.clear();
        for_each_entry(map, k, [&](std::size_t entry) {
          const std::size_t word = entry / 64;
          const std::uint64_t bit = std::uint64_t{1} << entry % 64;
          if ((known[word] & bit) != 0) return;
          known[word] |= bit;
          if (begun[word] == 0) words.push_back(word);
          begun[word] |= bit;
        });
        std::sort(words.begin(), words.end());
        for (const std::size_t word : words) {
          append(begun_[at(k)], static_cast<index>(word) * 64, begun[word]);
          begun[word] = 0;
        }
      }
    }
  }

  /// Appends the entries whose bits are set, from number `first` on, to ranges that end before.
  static void append(std::vector<range>& ranges, index first, std::uint64_t bits) {
    while (bits != 0) {
      const int begin = std::countr_zero(bits), count = std::countr_one(bits >> begin);
      if (ranges.empty() || ranges.back().end != first + begin)
        ranges.push_back({first + begin, first + begin});
      ranges.back().end = first + begin + count;
      if (begin + count == 64) return;
      bits &= ~std::uint64_t{0} << (begin + count);
    }
  }

  index batch_, map_entries_, map_size_, part_;
  std::vector<std::vector<index>> parts_;
  std::vector<std::vector<range>> begun_;
};

}  // namespace tenfold
