#pragma once

#include <cstddef>
#include <new>
#include <tenfold/backend/cpu/simd.hpp>
#include <tenfold/backend/interface/program.hpp>

namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// More loops than a step has with those of its phase, and some that are cut.
inline constexpr int most_loops = max_step_loops + max_tile_loops + 4;

/// The loop over tiles of so many values of a loop, the last of them perhaps shorter.
inline step_loop tiles_of(const step_loop& loop, index tile) {
  return {(loop.extent + tile - 1) / tile, loop.a * tile, loop.b * tile, loop.c * tile};
}

/// A list of loops, in memory that is not filled before: most calls have few.
class loop_list {
 public:
  void add(const step_loop& loop) { new (data() + count_++) step_loop(loop); }
  void add(const step_loop* loops, int count) {
    for (int l = 0; l < count; ++l) add(loops[l]);
  }
  /// The same; one that the last loop continues in all operands lengthens it.
  void add_folded(const step_loop& loop) {
    if (loop.extent == 1) return;
    if (count_ > 0) {
      step_loop& last = data()[count_ - 1];
      if (continues(last, loop)) {
        last = {last.extent * loop.extent, loop.a, loop.b, loop.c};
        return;
      }
    }
    add(loop);
  }
  step_loop* data() { return reinterpret_cast<step_loop*>(memory_); }
  const step_loop* data() const { return reinterpret_cast<const step_loop*>(memory_); }
  int count() const { return count_; }
  const step_loop& last() const { return data()[count_ - 1]; }
  void remove_last() { --count_; }
  /// Values of all loops together.
  index extent() const {
    index all = 1;
    for (int l = 0; l < count_; ++l) all *= data()[l].extent;
    return all;
  }

 private:
  int count_ = 0;
  alignas(step_loop) std::byte memory_[most_loops * sizeof(step_loop)];
};

/// A walk through loops that are merged into one index, the last of them fastest, from any index
/// on: where the operands are there.
class loop_walk {
 public:
  loop_walk(const loop_list& loops, index begin) : loop_walk(loops.data(), loops.count(), begin) {}
  loop_walk(const step_loop* loops, int count, index begin) : loops_(loops), count_(count) {
    for (int l = count - 1; l >= 0; --l) {
      at_[l] = begin % loops[l].extent;
      begin /= loops[l].extent;
      move(loops[l], at_[l]);
    }
  }

  void next() {
    for (int l = count_ - 1; l >= 0; --l) {
      move(loops_[l], 1);
      if (++at_[l] < loops_[l].extent) return;
      move(loops_[l], -at_[l]);
      at_[l] = 0;
    }
  }

  /// The value of loop l.
  index at(int l) const { return at_[l]; }

  index a = 0, b = 0, c = 0;

 private:
  void move(const step_loop& loop, index by) {
    a += by * loop.a;
    b += by * loop.b;
    c += by * loop.c;
  }

  const step_loop* loops_;
  int count_;
  index at_[most_loops];
};

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
