#pragma once

#include <tenfold/backend/cuda/base.device.hpp>
#include <tenfold/backend/cuda/matrix.device.hpp>
#include <tenfold/backend/interface/device_scale_gathered.hpp>

/// Entries that a map names, scaled once each. device_scale_gathered.hpp says in which launches.
namespace tenfold::cuda {

// One step of C[x] := beta C[x] for every x that the map names          map (count, rows, columns)
//   -1 in the map: nothing is read or written; an x that is named more than once is scaled once
//   clear: C is not read.   kept (count, rows, columns): entry e is that of number e of the map
// Grid: any number of blocks, of K.threads threads.
template <class T, device_scale_gathered K>
TENFOLD_DEVICE void scale_gathered(const device_scaling_arguments<T>& x) {
  auto* const entries = static_cast<T*>(const_cast<void*>(x.c.data));
  const long long of_problem = x.rows * x.columns, total = x.count * of_problem;
  const long long step = block_count() * K.threads;
  for (long long e = block_index() * K.threads + thread_index(); e < total; e += step) {
    const long long in_problem = e % of_problem;
    const long long i = in_problem / x.columns, j = in_problem % x.columns;
    const long long to =
        number_in_map<K.wide_map>(x.c.map, e / of_problem * x.c.problem + i * x.row + j * x.column);
    if (to < 0) continue;
    // Who shares an entry writes the same.
    if constexpr (K.step == gathered_scaling::clear)
      atomic_set(entries + to, T{});
    else if constexpr (K.step == gathered_scaling::keep)
      x.kept[e] = entries[to];
    else
      atomic_set(entries + to, multiply(x.beta, x.kept[e]));
  }
}

}  // namespace tenfold::cuda
