#include <cstring>
#include <new>
#include <tenfold/backend/cpu/scratch.hpp>

namespace tenfold::cpu {
namespace {

constexpr std::size_t smallest_chunk = std::size_t{64} << 10;

std::byte* allocate(std::size_t bytes) {
  return static_cast<std::byte*>(
      ::operator new (bytes, std::align_val_t{scratch_block::alignment}));
}

void deallocate(std::byte* memory) noexcept {
  ::operator delete (memory, std::align_val_t{scratch_block::alignment});
}

/// Fills memory with NaN under the address sanitizer: nobody may read what nobody wrote. Not in
/// every build with assertions, because it costs a small tile 20 % of its time.
void poison([[maybe_unused]] std::byte* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  if (bytes != 0) std::memset(memory, 0xff, bytes);
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  if (bytes != 0) std::memset(memory, 0xff, bytes);
#endif
#endif
}

/// The stack of one thread. Chunks fill in order; only an empty one is ever replaced by a larger
/// one, so blocks in use never move.
struct thread_stack {
  static constexpr int max_chunks = 16;

  struct chunk {
    std::byte* memory = nullptr;
    std::size_t size = 0, used = 0;

    bool fits(std::size_t bytes) const { return size - used >= bytes; }
  };

  chunk chunks[max_chunks];
  int top = 0;  ///< the chunk of the last block; those above it are empty
  std::size_t kept = 0;

  thread_stack() = default;
  thread_stack(const thread_stack&) = delete;
  thread_stack& operator=(const thread_stack&) = delete;
  ~thread_stack() {
    for (chunk& c : chunks) deallocate(c.memory);
  }

  /// The chunk that can take `bytes` more, or -1 if none may.
  int place(std::size_t bytes) {
    if (chunks[top].fits(bytes)) return top;
    const int i = chunks[top].used == 0 ? top : top + 1;
    if (i == max_chunks) return -1;
    chunk& c = chunks[i];
    if (c.fits(bytes)) return i;
    const std::size_t size = bytes < smallest_chunk ? smallest_chunk : bytes;
    if (size > scratch_block::kept_bytes - (kept - c.size)) return -1;
    std::byte* const memory = allocate(size);
    deallocate(c.memory);
    kept += size - c.size;
    c = {memory, size, 0};
    return i;
  }
};

/// The stack of this thread: null before its first block, and again when the thread's variables are
/// gone, as in the destructors of objects that outlive them.
thread_local thread_stack* stack = nullptr;
thread_local bool has_ended = false;

struct stack_owner {
  thread_stack own;

  stack_owner() = default;
  stack_owner(const stack_owner&) = delete;
  stack_owner& operator=(const stack_owner&) = delete;
  ~stack_owner() {
    stack = nullptr;
    has_ended = true;
  }
};

thread_stack* stack_of_thread() {
  if (stack == nullptr && !has_ended) {
    static thread_local stack_owner owner;
    stack = &owner.own;
  }
  return stack;
}

}  // namespace

scratch_block::scratch_block(std::size_t bytes) : bytes_(bytes) {
  constexpr std::size_t mask = alignment - 1;
  if (bytes > static_cast<std::size_t>(-1) - mask) throw std::bad_alloc();
  const std::size_t rounded = (bytes + mask) & ~mask;
  // An empty block stands outside: it does not keep its chunk from being replaced.
  thread_stack* const of_thread = rounded == 0 ? nullptr : stack_of_thread();
  chunk_ = of_thread == nullptr ? -1 : of_thread->place(rounded);
  if (chunk_ < 0) {
    data_ = rounded == 0 ? nullptr : allocate(rounded);
  } else {
    thread_stack::chunk& c = of_thread->chunks[chunk_];
    data_ = c.memory + c.used;
    c.used += rounded;
    before_ = of_thread->top;
    of_thread->top = chunk_;
  }
  poison(data_, bytes);
}

scratch_block::~scratch_block() {
  if (chunk_ < 0) {
    deallocate(data_);
    return;
  }
  thread_stack::chunk& c = stack->chunks[chunk_];
  c.used = static_cast<std::size_t>(data_ - c.memory);
  stack->top = before_;
}

std::size_t scratch_block::kept_by_this_thread() { return stack == nullptr ? 0 : stack->kept; }

}  // namespace tenfold::cpu
