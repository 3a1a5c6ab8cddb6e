#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cstddef>

namespace tenfold::testing {

/// Runs f in an arena of so many threads, on a machine of fewer cores too.
template <class F>
void on_threads(int threads, const F& f) {
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
  tbb::task_arena(threads).execute(f);
}

}  // namespace tenfold::testing
