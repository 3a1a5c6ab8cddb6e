#pragma once

/// Vectors over the mesh, and loops over them that give the same bits for any number of threads.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <tenfold/tensor/tensor.hpp>
#include <vector>

#include "parallel.hpp"

namespace fem {

using vector = tenfold::tensor<double, tenfold::dyn>;

/// Entries that one thread works on at a time; part of the definition of a sum.
inline constexpr tenfold::index grain = 4096;

/// Calls work(i) for i = 0, ..., n - 1.
template <class Work>
void for_each_entry(tenfold::index n, Work work) {
  in_parallel((n + grain - 1) / grain, [=](tenfold::index part) {
    const tenfold::index last = std::min(n, (part + 1) * grain);
    for (tenfold::index i = part * grain; i < last; ++i) work(i);
  });
}

/// sum_i term(i): each `grain` terms in 8 running sums, then these partial sums one after the
/// other.
template <class Term>
double sum_over_entries(tenfold::index n, Term term) {
  std::vector<double> partial(static_cast<std::size_t>((n + grain - 1) / grain));
  in_parallel((n + grain - 1) / grain, [=, &partial](tenfold::index part) {
    const tenfold::index last = std::min(n, (part + 1) * grain);
    tenfold::index i = part * grain;
    double sum[8] = {};
    for (; i + 8 <= last; i += 8) {
      for (int w = 0; w < 8; ++w) sum[w] += term(i + w);
    }
    for (int w = 0; i < last; ++i, ++w) sum[w] += term(i);
    partial[static_cast<std::size_t>(part)] =
        ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
  });
  double sum = 0;
  for (const double part : partial) sum += part;
  return sum;
}

/// The largest of |term(i)|; NaN if one is.
template <class Term>
double largest_over_entries(tenfold::index n, Term term) {
  double largest = 0;
  for (tenfold::index i = 0; i < n && largest == largest; ++i) {
    const double size = std::fabs(term(i));
    if (!(size <= largest)) largest = size;
  }
  return largest;
}

/// A vector of n zeros; its pages go to the threads that will work on them.
inline vector zeros(tenfold::index n) {
  vector x(n);
  for_each_entry(n, [data = x.data()](tenfold::index i) { data[i] = 0; });
  return x;
}

/// y = A x for a matrix over the mesh.
using matrix_action = std::function<void(const vector& x, vector& y)>;

}  // namespace fem
