#include "emulation.hpp"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <tenfold/backend/cuda/base.device.hpp>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define TENFOLD_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TENFOLD_ASAN
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define TENFOLD_TSAN
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TENFOLD_TSAN
#endif
#endif
#if defined(TENFOLD_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(TENFOLD_TSAN)
#include <sanitizer/tsan_interface.h>
// What runs on fibers and touches what the scheduler touches: they are one thread.
#define TENFOLD_UNSEEN __attribute__((no_sanitize("thread"), noinline))
#else
#define TENFOLD_UNSEEN
#endif

namespace tenfold::emulation {
namespace {

constexpr int warp = 32;
constexpr std::size_t stack_bytes = 1 << 16, red_zone = 256;

enum class state : unsigned char { ready, at_block, at_warp, ended };

/// A copy that a thread has begun.
struct begun_copy {
  void* to;
  const void* from;
  std::size_t bytes;
  unsigned closing;  // by which of its thread's closings
};

struct fiber {
  ucontext_t context;
  char* stack = nullptr;
  state now = state::ready;
  const char* file = nullptr;  // where it waits
  int line = 0;
  int index = 0;
  const void* given = nullptr;  // to a shuffle
  unsigned block_epoch = 0, warp_epoch = 0;
  std::vector<begun_copy> begun;
  unsigned closings = 0;
  void* asan = nullptr;
  void* tsan = nullptr;
};

/// What is running. Fibers reach it through `now`; only one of them runs at a time.
struct run {
  launch_shape shape;
  const std::function<void()>* body = nullptr;
  fiber* fibers = nullptr;  // as many as a block has threads
  fiber* current = nullptr;
  ucontext_t scheduler;
  std::uint64_t early = 0;  // draws which copies are done when they are begun
  int misaligned = 0;    // bytes that were asked for at once elsewhere than at a multiple of them
  bool strayed = false;  // an entry was asked for that belongs to something else
  long long block = 0;
  std::byte* shared = nullptr;
  // Addresses that stand for points in time: what happened before a thread came to wait is seen by
  // those that go on. Two, in turn, because a thread that goes on may wait again before others do.
  char begin = 0, end = 0, block_token[2] = {};
  std::vector<char> warp_token;
  const void* scheduler_stack = nullptr;
  std::size_t scheduler_stack_bytes = 0;
  void *asan = nullptr, *tsan = nullptr;
};
run* now = nullptr;

// ---- switching ----------------------------------------------------------------------------------

TENFOLD_UNSEEN void release([[maybe_unused]] char& token) {
#if defined(TENFOLD_TSAN)
  __tsan_release(&token);
#endif
}
TENFOLD_UNSEEN void acquire([[maybe_unused]] char& token) {
#if defined(TENFOLD_TSAN)
  __tsan_acquire(&token);
#endif
}

TENFOLD_UNSEEN void leave(fiber& f) {
#if defined(TENFOLD_ASAN)
  __sanitizer_start_switch_fiber(&f.asan, now->scheduler_stack, now->scheduler_stack_bytes);
#endif
#if defined(TENFOLD_TSAN)
  __tsan_switch_to_fiber(now->tsan, __tsan_switch_to_fiber_no_sync);
#endif
  swapcontext(&f.context, &now->scheduler);
#if defined(TENFOLD_ASAN)
  __sanitizer_finish_switch_fiber(f.asan, &now->scheduler_stack, &now->scheduler_stack_bytes);
#endif
}

TENFOLD_UNSEEN void enter(fiber& f) {
  now->current = &f;
#if defined(TENFOLD_ASAN)
  __sanitizer_start_switch_fiber(&now->asan, f.stack, stack_bytes);
#endif
#if defined(TENFOLD_TSAN)
  __tsan_switch_to_fiber(f.tsan, __tsan_switch_to_fiber_no_sync);
#endif
  swapcontext(&now->scheduler, &f.context);
#if defined(TENFOLD_ASAN)
  __sanitizer_finish_switch_fiber(now->asan, nullptr, nullptr);
#endif
}

/// The life of a fiber: the body once for each block.
TENFOLD_UNSEEN void live() {
#if defined(TENFOLD_ASAN)
  __sanitizer_finish_switch_fiber(nullptr, &now->scheduler_stack, &now->scheduler_stack_bytes);
#endif
  fiber& f = *now->current;
  while (true) {
    acquire(now->begin);
    (*now->body)();
    release(now->end);
    f.now = state::ended;
    leave(f);
  }
}

TENFOLD_UNSEEN void wait_here(state why, const char* file, int line) {
  fiber& f = *now->current;
  char& token =
      why == state::at_block
          ? now->block_token[f.block_epoch++ % 2]
          : now->warp_token[static_cast<std::size_t>(f.index / warp * 2) + f.warp_epoch++ % 2];
  release(token);
  release(now->end);  // whatever comes: if others fail this is where it ends
  f.now = why;
  f.file = file;
  f.line = line;
  leave(f);
  acquire(token);
}

// ---- the scheduler ------------------------------------------------------------------------------

std::string place_of(const fiber& f) {
  if (f.now == state::ended) return "thread " + std::to_string(f.index) + " has ended";
  return "thread " + std::to_string(f.index) + " waits for its " +
         (f.now == state::at_block ? "block" : "warp") + " at " + f.file + ":" +
         std::to_string(f.line);
}

/// Lets the fibers from `first` to `last` go on if all of them wait at one place for `why`.
bool let_go(run& r, int first, int last, state why, std::vector<int>& ready) {
  const fiber& leader = r.fibers[first];
  for (int i = first; i < last; ++i) {
    const fiber& f = r.fibers[i];
    if (f.now != why || f.line != leader.line || std::strcmp(f.file, leader.file) != 0)
      return false;
  }
  for (int i = first; i < last; ++i) {
    r.fibers[i].now = state::ready;
    ready.push_back(i);
  }
  return true;
}

[[noreturn]] void throw_divergent(run& r) {
  acquire(r.end);
  const fiber* one = nullptr;
  for (int i = 0; i < r.shape.threads; ++i)
    if (r.fibers[i].now != state::ended) one = &r.fibers[i];
  for (int i = 0; i < r.shape.threads; ++i) {
    const fiber& f = r.fibers[i];
    const bool together = one->now == state::at_block || f.index / warp == one->index / warp;
    if (together &&
        (f.now != one->now || f.line != one->line || std::strcmp(f.file, one->file) != 0))
      throw emulation_error("divergent: " + place_of(*one) + ", but " + place_of(f));
  }
  throw emulation_error("divergent: " + place_of(*one) + " and cannot go on");
}

void run_block(run& r, std::mt19937_64& random) {
  const int threads = r.shape.threads;
  std::vector<int> ready, at_warp(static_cast<std::size_t>((threads + warp - 1) / warp));
  for (int i = 0; i < threads; ++i) {
    fiber& f = r.fibers[i];
    f.now = state::ready;
    f.block_epoch = f.warp_epoch = 0;
    f.begun.clear();
    f.closings = 0;
    ready.push_back(i);
  }
  release(r.begin);
  int ended = 0, at_block = 0;
  while (ended < threads) {
    if (ready.empty()) throw_divergent(r);
    const std::size_t k = random() % ready.size();
    const int i = ready[k];
    ready[k] = ready.back();
    ready.pop_back();
    fiber& f = r.fibers[i];
    enter(f);
    if (f.now == state::ended) {
      ++ended;
    } else if (f.now == state::at_block) {
      if (++at_block == threads) {
        if (!let_go(r, 0, threads, state::at_block, ready)) throw_divergent(r);
        at_block = 0;
      }
    } else {
      const int w = i / warp, first = w * warp;
      const int last = first + warp < threads ? first + warp : threads;
      int& waiting = at_warp[static_cast<std::size_t>(w)];
      if (++waiting == last - first) {
        if (!let_go(r, first, last, state::at_warp, ready)) throw_divergent(r);
        waiting = 0;
      }
    }
  }
  acquire(r.end);
  if (r.strayed)
    throw emulation_error("a thread asked for an entry outside what an element has of a value");
  if (r.misaligned > 0)
    throw emulation_error("a thread asked for " + std::to_string(r.misaligned) +
                          " bytes at once elsewhere than at a multiple of them");
  for (int i = 0; i < threads; ++i)
    if (!r.fibers[i].begun.empty())
      throw emulation_error("thread " + std::to_string(i) +
                            " has ended and has not waited for its copies");
}

/// Shared memory of one block: NaN in every entry, and on both sides what nobody may write.
class shared_memory {
 public:
  explicit shared_memory(std::size_t bytes) : bytes_(bytes) {
    begin_ =
        static_cast<std::byte*>(::operator new (bytes_ + 2 * red_zone, std::align_val_t{red_zone}));
    std::memset(begin_, 0xff, bytes_ + 2 * red_zone);
#if defined(TENFOLD_ASAN)
    ASAN_POISON_MEMORY_REGION(begin_, red_zone);
    ASAN_POISON_MEMORY_REGION(begin_ + red_zone + bytes_, red_zone);
#endif
  }
  ~shared_memory() {
    unpoison();
    ::operator delete (begin_, std::align_val_t{red_zone});
  }
  shared_memory(const shared_memory&) = delete;

  std::byte* data() const { return begin_ + red_zone; }
  /// Throws if something was written beside it.
  void check() const {
    unpoison();
    for (std::size_t i = 0; i < red_zone; ++i)
      if (begin_[i] != std::byte{0xff} || begin_[red_zone + bytes_ + i] != std::byte{0xff})
        throw emulation_error("a thread wrote outside the " + std::to_string(bytes_) +
                              " bytes of shared memory of its block");
  }

 private:
  void unpoison() const {
#if defined(TENFOLD_ASAN)
    ASAN_UNPOISON_MEMORY_REGION(begin_, bytes_ + 2 * red_zone);
#endif
  }
  std::size_t bytes_;
  std::byte* begin_;
};

/// The fibers of all launches: what a block needs, made once. They are of one thread, and of no use
/// after an error, because some may be where they never go on.
class fiber_pool {
 public:
  fiber_pool() : all_(new fiber[most]) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), step = stack_bytes + page;
    bytes_ = most * step;
    void* const stacks = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED) throw std::bad_alloc();
    stacks_ = static_cast<char*>(stacks);
    for (int i = 0; i < most; ++i) {
      char* const guard = stacks_ + static_cast<std::size_t>(i) * step;
      mprotect(guard, page, PROT_NONE);
      at(i).stack = guard + page;
      at(i).index = i;
    }
  }
  ~fiber_pool() {
    for (int i = 0; i < ready_; ++i) {
#if defined(TENFOLD_TSAN)
      __tsan_destroy_fiber(at(i).tsan);
#endif
#if defined(TENFOLD_ASAN)
      ASAN_UNPOISON_MEMORY_REGION(at(i).stack, stack_bytes);
#endif
    }
    munmap(stacks_, bytes_);
  }
  fiber_pool(const fiber_pool&) = delete;

  fiber* of(int threads) {
    for (; ready_ < threads; ++ready_) {
      fiber& f = at(ready_);
      getcontext(&f.context);
      f.context.uc_stack.ss_sp = f.stack;
      f.context.uc_stack.ss_size = stack_bytes;
      f.context.uc_link = nullptr;
      makecontext(&f.context, live, 0);
#if defined(TENFOLD_TSAN)
      f.tsan = __tsan_create_fiber(0);
#endif
    }
    return all_.get();
  }

 private:
  static constexpr int most = 1024;

  fiber& at(int i) const { return all_.get()[i]; }

  std::unique_ptr<fiber[]> all_;
  int ready_ = 0;
  char* stacks_ = nullptr;
  std::size_t bytes_ = 0;
};
std::unique_ptr<fiber_pool> pool;

}  // namespace

void launch(const launch_shape& shape, std::uint64_t seed, const std::function<void()>& body) {
  if (shape.threads < 1 || shape.threads > 1024 || shape.blocks < 0 || shape.blocks >= 1LL << 31)
    throw emulation_error("a launch of " + std::to_string(shape.blocks) + " blocks of " +
                          std::to_string(shape.threads) + " threads");
  run r;
  r.shape = shape;
  r.body = &body;
  r.early = seed;
  r.warp_token.resize(2 * static_cast<std::size_t>((shape.threads + warp - 1) / warp));
#if defined(TENFOLD_TSAN)
  r.tsan = __tsan_get_current_fiber();
#endif
  if (pool == nullptr) pool = std::make_unique<fiber_pool>();
  r.fibers = pool->of(shape.threads);
  now = &r;
  std::mt19937_64 random(seed);
  try {
    for (r.block = 0; r.block < shape.blocks; ++r.block) {
      const shared_memory memory(shape.shared_bytes);
      r.shared = memory.data();
      run_block(r, random);
      memory.check();
    }
  } catch (...) {
    pool.reset();
    throw;
  }
}

}  // namespace tenfold::emulation

// ---- what device code asks ----------------------------------------------------------------------

namespace tenfold::cuda::emulated {

using namespace emulation;

TENFOLD_UNSEEN int thread() { return now->current->index; }
TENFOLD_UNSEEN long long block() { return now->block; }
TENFOLD_UNSEEN long long blocks() { return now->shape.blocks; }
TENFOLD_UNSEEN void* shared_memory() { return now->shared; }

TENFOLD_UNSEEN void wait_for_block(const char* file, int line) {
  wait_here(state::at_block, file, line);
}
TENFOLD_UNSEEN void wait_for_warp(const char* file, int line) {
  wait_here(state::at_warp, file, line);
}

TENFOLD_UNSEEN fiber& current_fiber() { return *now->current; }
/// Steps a linear congruential generator (Knuth, MMIX) and takes its best bit.
TENFOLD_UNSEEN bool is_early() {
  now->early = now->early * 6364136223846793005u + 1442695040888963407u;
  return now->early >> 63 != 0;
}

// All lanes show what they give, and none goes on before all have taken.
TENFOLD_UNSEEN void shuffle(const void* mine, void* taken, int bytes, int lane, const char* file,
                            int line) {
  fiber& f = *now->current;
  f.given = mine;
  wait_here(state::at_warp, file, line);
  const int from = f.index / warp * warp + (lane & (warp - 1));
  const bool there = from < now->shape.threads;
  for (int i = 0; i < bytes; ++i)
    static_cast<char*>(taken)[i] =
        there ? static_cast<const char*>(now->fibers[from].given)[i] : '\xff';
  wait_here(state::at_warp, file, line);
}

// A copy may be done as soon as it is begun, or as late as its thread waits for it. Half of them
// are early: they spoil what is still being read there. The others are late: who reads without
// waiting finds what was there before, and NaN at first.
void copy_async(void* to, const void* from, int bytes) {
  fiber& f = current_fiber();
  const auto size = static_cast<std::size_t>(bytes);
  if (is_early())
    std::memcpy(to, from, size);
  else
    f.begun.push_back({to, from, size, f.closings});
}
void check_alignment(const void* place, int bytes) {
  if (reinterpret_cast<std::uintptr_t>(place) % static_cast<unsigned>(bytes) != 0)
    now->misaligned = bytes;
}
void check_range(long long at, long long first, long long count) {
  if (at < first || at >= first + count) now->strayed = true;
}
void close_copies() { ++current_fiber().closings; }
void wait_for_copies(int last) {
  fiber& f = current_fiber();
  std::size_t done = 0;
  for (; done < f.begun.size(); ++done) {
    const begun_copy& one = f.begun[done];
    if (f.closings - one.closing <= static_cast<unsigned>(last)) break;
    std::memcpy(one.to, one.from, one.bytes);
  }
  f.begun.erase(f.begun.begin(), f.begun.begin() + static_cast<std::ptrdiff_t>(done));
}

}  // namespace tenfold::cuda::emulated
