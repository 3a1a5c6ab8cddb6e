#pragma once

#include <tenfold/backend/cpu/loop_walk.hpp>

namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Sums one after another, the rows of A. Some share their row of B: a batch of small matrices,
/// times a vector each, is so as good as one long matrix.
struct sum_rows {
  index count;
  index a, b, c;   ///< from one row of A, or of B, and one entry of C, to the next
  index together;  ///< rows of A that share one of B

  /// For each of those that share a row of B there is a table of what follows: so many are the
  /// most.
  static constexpr index most_together = 64;

  /// Takes them from the end of folded loops.
  static sum_rows take(loop_list& loops) {
    const step_loop m = loops.last();
    loops.remove_last();
    if (m.b == 0 && loops.count() > 0 && m.extent <= most_together) {
      const step_loop outer = loops.last();
      if (outer.a == m.extent * m.a && outer.c == m.extent * m.c) {
        loops.remove_last();
        return {outer.extent * m.extent, m.a, outer.b, m.c, m.extent};
      }
    }
    return {m.extent, m.a, m.b, m.c, 1};
  }
};

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
