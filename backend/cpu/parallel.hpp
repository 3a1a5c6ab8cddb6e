#pragma once

#include <tenfold/tensor/extents.hpp>
#include <type_traits>

#if defined(__SANITIZE_THREAD__)
#define TENFOLD_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TENFOLD_TSAN 1
#endif
#endif

#ifdef TENFOLD_TSAN
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace tenfold::cpu {

/// Runs part [begin, end) of a range; `context` is what the caller passed along.
using range_body = void (*)(void* context, index begin, index end);

/// What parallel_tiles is made of; the only place that sees TBB. It is compiled without the thread
/// sanitizer, like TBB itself: half of TBB instrumented would be reported as racing.
void run_tiles(index count, index grain, range_body body, void* context);

/// Tells the thread sanitizer of the two hand-overs that it cannot see: the caller's to every part
/// at its start, and every part's to the caller at the end. Costs nothing without it.
class hand_over {
 public:
#ifdef TENFOLD_TSAN
  void start() { __tsan_release(&started_); }
  void enter() { __tsan_acquire(&started_); }
  void leave() { __tsan_release(&done_); }
  void finish() { __tsan_acquire(&done_); }

 private:
  char started_ = 0, done_ = 0;
#else
  void start() {}
  void enter() {}
  void leave() {}
  void finish() {}
#endif
};

/// Calls `body(begin, end)` on disjoint parts that together are [0, count), on the threads of the
/// caller's arena; serial, in one call, when count <= grain or the arena has one thread.
///
/// Parts hold about `grain` entries or more; which parts there are and who runs them may differ
/// from call to call, so no result may depend on it. Nested calls are safe: a thread that waits
/// here takes no work from outside this call. An exception of `body` is passed on; parts not yet
/// begun are then skipped. Everything `body` wrote is visible to the caller on return.
template <class Body>
requires std::is_invocable_v<Body&, index, index>
void parallel_tiles(index count, index grain, Body&& body) {
  struct call {
    std::remove_reference_t<Body>* body;
    hand_over sync;
  } one{&body, {}};
  struct at_end {
    hand_over& sync;
    ~at_end() { sync.finish(); }
  } joined{one.sync};
  one.sync.start();
  run_tiles(
      count, grain,
      [](void* context, index begin, index end) {
        call& c = *static_cast<call*>(context);
        struct in_part {
          hand_over& sync;
          explicit in_part(hand_over& s) : sync(s) { sync.enter(); }
          ~in_part() { sync.leave(); }
        } part(c.sync);
        (*c.body)(begin, end);
      },
      &one);
}

/// The threads of the caller's arena.
int threads_here();

/// Calls body(context) in an arena that the calling thread keeps for itself, of as many threads,
/// this one among them, as its first call says; no more run than the machine has.
void run_in_own_arena(int threads, void (*body)(const void* context), const void* context);

/// Calls body() so. An exception of `body` is passed on.
template <class Body>
requires std::is_invocable_v<const Body&>
void run_on_threads(int threads, const Body& body) {
  run_in_own_arena(
      threads, [](const void* context) { (*static_cast<const Body*>(context))(); }, &body);
}

}  // namespace tenfold::cpu
