#pragma once

/// Vectors over the mesh, and loops over them that give the same bits for any number of threads.

#include <algorithm>
#include <array>
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

/// sum_i term(i) of each term: `grain` terms at a time in 8 running sums, then these partial sums
/// one after the other.
template <class... Terms>
std::array<double, sizeof...(Terms)> sums_over_entries(tenfold::index n, Terms... terms) {
  using sums = std::array<double, sizeof...(Terms)>;
  std::vector<sums> partial(static_cast<std::size_t>((n + grain - 1) / grain));
  in_parallel((n + grain - 1) / grain, [=, &partial](tenfold::index part) {
    const tenfold::index last = std::min(n, (part + 1) * grain);
    tenfold::index i = part * grain;
    double running[sizeof...(Terms)][8] = {};
    const auto add = [&](tenfold::index at, int w) {
      int s = 0;
      ((running[s++][w] += terms(at)), ...);
    };
    for (; i + 8 <= last; i += 8) {
      for (int w = 0; w < 8; ++w) add(i + w, w);
    }
    for (int w = 0; i < last; ++i, ++w) add(i, w);
    sums& own = partial[static_cast<std::size_t>(part)];
    for (std::size_t s = 0; s < own.size(); ++s) {
      const auto& r = running[s];
      own[s] = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    }
  });
  sums all{};
  for (const sums& part : partial) {
    for (std::size_t s = 0; s < all.size(); ++s) all[s] += part[s];
  }
  return all;
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

/// y = A x for a matrix over the mesh; vectors are here or on a device.
template <class Vector>
using matrix_action = std::function<void(const Vector& x, Vector& y)>;

}  // namespace fem
