#pragma once

#include <tenfold/contraction/problem.hpp>

/// What an index space costs.
namespace tenfold {

/// Number of points of the index space spanned by a set of labels, for many sets of one problem:
/// a product of table look-ups, one per six labels, so that the path search stays within the
/// compilers' default budgets for constant evaluation.
template <limits L>
class index_space {
 public:
  /// Unknown extents count as `unknown`.
  constexpr index_space(const problem<L>& p, double unknown) {
    for (int t = 0; t * digit < p.label_count; ++t) {
      double* table = points_[t];
      table[0] = 1;
      int filled = 1;
      for (int l = t * digit; l < p.label_count && l < (t + 1) * digit; ++l, filled *= 2) {
        const double extent = p.extent[l] == dyn ? unknown : static_cast<double>(p.extent[l]);
        for (int i = 0; i < filled; ++i) table[filled + i] = table[i] * extent;
      }
      tables_ = t + 1;
    }
  }

  /// Points spanned by `labels`; 1 for none.
  constexpr double operator()(label_set labels) const {
    double n = 1;
    for (int t = 0; t < tables_; ++t, labels >>= digit) n *= points_[t][labels & (size - 1)];
    return n;
  }

 private:
  static constexpr int digit = 6, size = 1 << digit;
  int tables_ = 0;
  double points_[(L.labels + digit - 1) / digit][size] = {};
};

/// Flops of one pairwise product over `points` points: a multiplication, and an addition if there
/// is a sum.
constexpr double pair_flops(double points, bool sums) { return sums ? 2 * points : points; }

}  // namespace tenfold
