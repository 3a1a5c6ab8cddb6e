#pragma once

#include <vector>

#include "fem/problems.hpp"
#include "fem/tables.hpp"

namespace tenfold::bench {

/// One component of one element in long double: the result and the bound of its error's scale,
/// which is that of sums in halves: tables as |a(m, k)| + |a(m, K-1-k)|.
struct element_result {
  std::vector<long double> value, magnitude;  ///< (l, m, n)
};

/// By plain loops: u [P][P][P], d [Q][Q][Q] or [6][Q][Q][Q].
element_result apply_to_element(operator_kind, const fem_tables&, const std::vector<long double>& u,
                                const std::vector<long double>& d);

/// Sum over the contractions of (k + 2).
double element_work(operator_kind, int p);

}  // namespace tenfold::bench
