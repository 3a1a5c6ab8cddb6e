// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

/// Vectors over the mesh, and loops over them that give the same bits for any number of threads.
#ifndef TENFOLD_EXAMPLES_FEM_VECTOR_HPP
#define TENFOLD_EXAMPLES_FEM_VECTOR_HPP

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <functional>
#include <tenfold/tensor/tensor.hpp>

namespace fem {

using vector = tenfold::tensor<double, tenfold::dyn>;

/// Entries that one thread works on at a time; part of the definition of a sum.
inline constexpr tenfold::index grain = 4096;

/// Calls work(i) for i = 0, ..., n - 1.
template <class Work>
void for_each_entry(tenfold::index n, Work work) {
  tbb::parallel_for(tbb::blocked_range<tenfold::index>(0, n, grain), [&](const auto& range) {
    for (tenfold::index i = range.begin(); i < range.end(); ++i) work(i);
  });
}

/// sum_i term(i): `grain` terms at a time in 8 running sums, and the parts along a binary tree, both
/// fixed by n alone.
template <class Term>
double sum_over_entries(tenfold::index n, Term term) {
  return tbb::parallel_deterministic_reduce(
      tbb::blocked_range<tenfold::index>(0, n, grain), 0.0,
      [&](const auto& range, double sum) {
        double lanes[8] = {};
        tenfold::index i = range.begin();
        for (; i + 8 <= range.end(); i += 8) {
          for (int w = 0; w < 8; ++w) lanes[w] += term(i + w);
        }
        for (int w = 0; i < range.end(); ++i, ++w) lanes[w] += term(i);
        return sum + (((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
                      ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7])));
      },
      std::plus<double>());
}

/// A vector of n zeros; its pages go to the threads that will work on them.
inline vector zeros(tenfold::index n) {
  vector x(n);
  for_each_entry(n, [data = x.data()](tenfold::index i) { data[i] = 0; });
  return x;
}

}  // namespace fem

#endif  // TENFOLD_EXAMPLES_FEM_VECTOR_HPP
