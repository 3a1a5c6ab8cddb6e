#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <tenfold/backend/cpu/parallel.hpp>

namespace tenfold::cpu {

void run_tiles(index count, index grain, range_body body, void* context) {
  if (count <= 0) return;
  if (grain < 1) grain = 1;
  if (count <= grain || tbb::this_task_arena::max_concurrency() == 1) {
    body(context, 0, count);
    return;
  }
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(
        tbb::blocked_range<index>(0, count, static_cast<std::size_t>(grain)),
        [&](const tbb::blocked_range<index>& part) { body(context, part.begin(), part.end()); });
  });
}

int threads_here() { return tbb::this_task_arena::max_concurrency(); }

void run_in_own_arena(int threads, void (*body)(const void* context), const void* context) {
  // One for each thread: a second thread would have to wait for its place in an arena of one.
  thread_local tbb::task_arena own(threads);
  own.execute([&] { body(context); });
}

}  // namespace tenfold::cpu
