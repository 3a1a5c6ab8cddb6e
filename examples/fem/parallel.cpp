#include "parallel.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cstddef>
#include <tenfold/backend/cpu/parallel.hpp>

namespace fem {

void with_threads(int threads, const std::function<void()>& work) {
  if (threads == 0) threads = tbb::this_task_arena::max_concurrency();
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  arena.execute(work);
}

int thread_count() { return tbb::this_task_arena::max_concurrency(); }

void in_parallel(tenfold::index count, const std::function<void(tenfold::index)>& task) {
  tenfold::cpu::parallel_tiles(count, 1, [&](tenfold::index begin, tenfold::index end) {
    for (tenfold::index i = begin; i < end; ++i) task(i);
  });
}

void on_every_thread(const std::function<void(int)>& part) {
  in_parallel(thread_count(), [&](tenfold::index i) { part(static_cast<int>(i)); });
}

}  // namespace fem
