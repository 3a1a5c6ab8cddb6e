#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <tenfold/backend/cpu/parallel.hpp>

#if defined(__SANITIZE_THREAD__)
#define TENFOLD_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TENFOLD_TSAN 1
#endif
#endif

#ifdef TENFOLD_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace tenfold::cpu {
namespace {

/// Tells the thread sanitizer of the two hand-overs that TBB, which is not instrumented, makes:
/// caller to body at the start, body to caller at the end.
struct hand_over {
  char start = 0, end = 0;

#ifdef TENFOLD_TSAN
  void release(char& c) { __tsan_release(&c); }
  void acquire(char& c) { __tsan_acquire(&c); }
#else
  void release(char&) {}
  void acquire(char&) {}
#endif
};

}  // namespace

void parallel_tiles(index count, index grain, range_body body, void* context) {
  if (count <= 0) return;
  if (grain < 1) grain = 1;
  if (count <= grain || tbb::this_task_arena::max_concurrency() == 1) {
    body(context, 0, count);
    return;
  }
  hand_over sync;
  struct at_end {
    hand_over& sync;
    ~at_end() { sync.acquire(sync.end); }
  } joined{sync};
  sync.release(sync.start);
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(tbb::blocked_range<index>(0, count, static_cast<std::size_t>(grain)),
                      [&](const tbb::blocked_range<index>& part) {
                        struct in_part {
                          hand_over& sync;
                          explicit in_part(hand_over& s) : sync(s) { sync.acquire(sync.start); }
                          ~in_part() { sync.release(sync.end); }
                        } running{sync};
                        body(context, part.begin(), part.end());
                      });
  });
}

}  // namespace tenfold::cpu
