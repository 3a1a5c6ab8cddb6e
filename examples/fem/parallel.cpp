// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

#include "parallel.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <cstddef>

#if defined(__SANITIZE_THREAD__)
#define TENFOLD_FEM_TSAN
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TENFOLD_FEM_TSAN
#endif
#endif
#ifdef TENFOLD_FEM_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace fem {
namespace {

/// What happens before what, for the thread sanitizer: it cannot see it inside TBB, which Debian
/// builds without it. A loop's start comes before each of its tasks, and each task before its end.
class order {
 public:
  void before_tasks() { release(start_); }
  void begin_task() { acquire(start_); }
  void end_task() { release(end_); }
  void after_tasks() { acquire(end_); }

 private:
#ifdef TENFOLD_FEM_TSAN
  static void release(char& at) { __tsan_release(&at); }
  static void acquire(char& at) { __tsan_acquire(&at); }
#else
  static void release(char&) {}
  static void acquire(char&) {}
#endif
  char start_ = 0, end_ = 0;
};

template <class Index, class Partitioner>
void loop(Index count, const std::function<void(Index)>& task, const Partitioner& partitioner) {
  struct joined {
    order hand_over;
    ~joined() { hand_over.after_tasks(); }
  } all;
  struct running {
    order& hand_over;
    explicit running(order& o) : hand_over(o) { hand_over.begin_task(); }
    ~running() { hand_over.end_task(); }
  };
  all.hand_over.before_tasks();
  tbb::parallel_for(
      Index(0), count,
      [&](Index i) {
        const running mine(all.hand_over);
        task(i);
      },
      partitioner);
}

}  // namespace

void with_threads(int threads, const std::function<void()>& work) {
  if (threads == 0) threads = tbb::this_task_arena::max_concurrency();
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  arena.execute(work);
}

int thread_count() { return tbb::this_task_arena::max_concurrency(); }

void in_parallel(tenfold::index count, const std::function<void(tenfold::index)>& task) {
  loop(count, task, tbb::auto_partitioner());
}

void on_every_thread(const std::function<void(int)>& part) {
  loop(thread_count(), part, tbb::static_partitioner());
}

}  // namespace fem
