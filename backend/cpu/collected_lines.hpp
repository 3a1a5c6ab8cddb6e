#pragma once

#include <algorithm>
#include <tenfold/backend/cpu/update.hpp>

namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Results that follow one another in memory, in pieces that end anywhere: they wait in `memory`
/// until they are whole lines, which go past the caches until streams_end() of this thread.
template <class T>
class collected_lines {
 public:
  /// `memory` begins with a line and has room for `capacity` entries.
  collected_lines(T* memory, index capacity) : memory_(memory), capacity_(capacity) {}

  /// The least capacity for pieces of so many entries.
  static constexpr index room_for(index entries) { return entries + in_line + at_once; }

  /// Where the next `entries` are to be written, which belong at c.
  T* next(T* c, index entries) {
    if (end_ >= at_once || end_ + entries > capacity_) write_lines();
    if (c != to_ + (end_ - begin_)) {
      write_all();
      // Lines of memory_ are lines of the result.
      begin_ = end_ = (in_line - entries_to_line(c)) % in_line;
      to_ = c;
    }
    T* const here = memory_ + end_;
    end_ += entries;
    return here;
  }

  /// What waits goes to its place, at last in parts of lines, too.
  void write_all() {
    write_lines();
    std::copy(memory_ + begin_, memory_ + end_, to_);
    to_ += end_ - begin_;
    begin_ = end_;
  }

 private:
  static constexpr index in_line = line / index{sizeof(T)}, at_once = 4096 / index{sizeof(T)};

  /// What ends with a line; what is left moves to the front.
  void write_lines() {
    const index whole = end_ / in_line * in_line;
    if (whole == 0 || whole <= begin_) return;
    stream_run(to_, memory_ + begin_, whole - begin_);
    std::copy(memory_ + whole, memory_ + end_, memory_);
    to_ += whole - begin_;
    begin_ = 0;
    end_ -= whole;
  }

  T* memory_;
  index capacity_;
  T* to_ = nullptr;            ///< where the first entry that waits belongs
  index begin_ = 0, end_ = 0;  ///< those that wait
};

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
