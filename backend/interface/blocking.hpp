#pragma once

#include <tenfold/tensor/extents.hpp>

namespace tenfold {

/// How a step that runs as a whole is cut; of a reduction, the parts alone. A product of operands
/// that leave the caches, or whose labels are scattered:
///   for parts of k: for n columns: for k contracted values: pack those of B
///     for m rows: pack those of A, multiply, add to C
/// (K. Goto, R. van de Geijn, Anatomy of high-performance matrix multiplication, 2008). Extents are
/// those of whole groups of labels, merged into one index each.
struct blocking {
  index m = 0, n = 0, k = 0;
  /// Ranges of contracted values that are summed side by side, each into a result of its own, and
  /// added in their order: where the rows and columns are too few for the threads.
  index parts = 1;
  /// The columns lie in runs: the loops that follow the one along which B has neighbours are merged
  /// and cut into so many values, the last run perhaps being shorter, and each run is gone through
  /// for all of those neighbours before the next. 0: there are no runs.
  index run = 0;

  friend constexpr bool operator==(const blocking&, const blocking&) = default;
};

}  // namespace tenfold
