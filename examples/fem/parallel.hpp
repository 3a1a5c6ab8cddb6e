#pragma once

/// Threads. This file's .cpp alone knows oneTBB and the library's parallel loop.

#include <functional>
#include <tenfold/tensor/extents.hpp>

namespace fem {

/// Runs `work` with that many threads for everything below, the library's own included; 0: as many
/// as the machine offers.
void with_threads(int threads, const std::function<void()>& work);

/// The threads that `work` has.
int thread_count();

/// Calls task(0), ..., task(count - 1), side by side where there are threads. An exception of one
/// is passed on; tasks not yet begun are then left out.
void in_parallel(tenfold::index count, const std::function<void(tenfold::index)>& task);

/// Calls part(t) for t = 0, ..., thread_count() - 1, each on a thread of its own if they all come.
void on_every_thread(const std::function<void(int)>& part);

}  // namespace fem
