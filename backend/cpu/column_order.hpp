#pragma once

#include <algorithm>
#include <tenfold/backend/cpu/loop_walk.hpp>

namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// The columns of a product in blocks, in the order in which blocks take them: for outer loops, for
/// runs of the inner ones, for values of the loop between them, along which B has neighbours: the
/// columns of the run (blocking::run). What is left of the inner loops is a shorter run.
class column_order {
 public:
  column_order(const step_loop* loops, int count, index run)
      : loops_(loops), outer_count_(count), run_(run) {
    for (int l = 0; l < count; ++l) extent_ *= loops[l].extent;
    if (run == 0) return;
    do --outer_count_;
    while (loops[outer_count_].b != 1);
    inner_count_ = count - outer_count_ - 1;
    near_ = loops[outer_count_];
    for (int l = outer_count_ + 1; l < count; ++l) inner_ *= loops[l].extent;
  }

  index extent() const { return extent_; }

  /// Columns of one block, in runs of one length, of the first of which so many are left.
  struct block {
    index first, count, run, left;
  };
  /// Blocks of at most so many columns: how many, and the i-th.
  index blocks(index most) const {
    if (rest() == 0) return blocks_of(extent_, most);
    return extent_ / cycle() * (blocks_of(whole(), most) + blocks_of(cycle() - whole(), most));
  }
  block at(index i, index most) const {
    const auto part = [&](index begin, index count, index run, index number) {
      const index first = number * most;
      return block{begin + first, std::min(most, count - first), run,
                   run > 0 ? run - first % run : 0};
    };
    if (rest() == 0) return part(0, extent_, run_, i);
    const index of_whole = blocks_of(whole(), most),
                of_cycle = of_whole + blocks_of(cycle() - whole(), most);
    const index begin = i / of_cycle * cycle(), number = i % of_cycle;
    return number < of_whole ? part(begin, whole(), run_, number)
                             : part(begin + whole(), cycle() - whole(), rest(), number - of_whole);
  }

  /// Where columns [first, first + count) lie in B and C.
  void fill(index first, index count, index* in_b, index* in_c) const {
    if (run_ == 0) {
      loop_walk walk(loops_, outer_count_, first);
      for (index i = 0; i < count; ++i, walk.next()) {
        in_b[i] = walk.b;
        in_c[i] = walk.c;
      }
      return;
    }
    loop_walk outer(loops_, outer_count_, first / cycle());
    index left = first % cycle();
    const bool behind_whole = left >= whole();
    index begin = behind_whole ? inner_ - rest() : left / (run_ * near_.extent) * run_;
    left -= begin * near_.extent;
    index run = behind_whole ? rest() : run_, near = left / run, skipped = left % run;
    for (index done = 0; done < count;) {
      loop_walk inner(loops_ + outer_count_ + 1, inner_count_, begin + skipped);
      for (; skipped < run && done < count; ++skipped, ++done, inner.next()) {
        in_b[done] = outer.b + near * near_.b + inner.b;
        in_c[done] = outer.c + near * near_.c + inner.c;
      }
      skipped = 0;
      if (++near < near_.extent) continue;
      near = 0;
      begin += run;
      if (begin == inner_) {
        begin = 0;
        outer.next();
      }
      run = std::min(run_, inner_ - begin);
    }
  }

 private:
  static index blocks_of(index columns, index most) { return (columns + most - 1) / most; }
  index rest() const { return run_ > 0 ? inner_ % run_ : 0; }       ///< columns of the last run
  index cycle() const { return near_.extent * inner_; }             ///< columns of one outer value
  index whole() const { return near_.extent * (inner_ - rest()); }  ///< in runs that are not short

  const step_loop* loops_;
  int outer_count_, inner_count_ = 0;
  index run_, extent_ = 1, inner_ = 1;
  step_loop near_;
};

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
