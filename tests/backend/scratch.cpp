#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <tenfold/backend/cpu/scratch.hpp>
#include <thread>

using tenfold::cpu::scratch_block;

namespace {

/// Every test on a thread of its own, whose stack is empty.
template <class F>
void on_new_thread(F f) {
  std::thread thread(f);
  thread.join();
}

bool aligned(const scratch_block& b) {
  return reinterpret_cast<std::uintptr_t>(b.data()) % scratch_block::alignment == 0;
}

void fill(const scratch_block& b, int value) {
  if (b.size() != 0) std::memset(b.data(), value, b.size());
}

bool holds(const scratch_block& b, int value) {
  for (std::size_t i = 0; i < b.size(); ++i)
    if (b.data()[i] != static_cast<std::byte>(value)) return false;
  return true;
}

}  // namespace

TEST_CASE("scratch blocks are aligned, disjoint and reused") {
  on_new_thread([] {
    const std::byte* first = nullptr;
    std::size_t kept = 0;
    for (int round = 0; round < 3; ++round) {
      const scratch_block a(100);
      const scratch_block b(200000);
      const scratch_block c(1);
      const scratch_block none(0);
      CHECK(aligned(a));
      CHECK(aligned(b));
      CHECK(aligned(c));
      fill(a, 1);
      fill(b, 2);
      fill(c, 3);
      CHECK(holds(a, 1));
      CHECK(holds(b, 2));
      CHECK(holds(c, 3));
      if (round == 0) {
        first = b.data();
        kept = scratch_block::kept_by_this_thread();
      }
      CHECK(b.data() == first);
      CHECK(scratch_block::kept_by_this_thread() == kept);
    }
    CHECK(kept >= 200100);
  });
}

TEST_CASE("scratch blocks nest like a stack") {
  on_new_thread([] {
    const scratch_block a(1000);
    fill(a, 7);
    for (const std::size_t bytes : {std::size_t{10}, std::size_t{70000}, std::size_t{300000}}) {
      const scratch_block b(bytes);
      fill(b, 8);
      const scratch_block c(bytes * 2);
      fill(c, 9);
      CHECK(holds(b, 8));
    }
    CHECK(holds(a, 7));
  });
}

TEST_CASE("a thread keeps a bounded amount of scratch") {
  on_new_thread([] {
    {
      const scratch_block large(scratch_block::kept_bytes + 1);
      CHECK(aligned(large));
      fill(large, 5);
      CHECK(scratch_block::kept_by_this_thread() == 0);
    }
    for (std::size_t bytes = 1000; bytes < 4 * scratch_block::kept_bytes; bytes *= 2) {
      const scratch_block outer(bytes);
      fill(outer, 1);
      const scratch_block inner(bytes / 3);
      fill(inner, 2);
      CHECK(holds(outer, 1));
      CHECK(scratch_block::kept_by_this_thread() <= scratch_block::kept_bytes);
    }
  });
}

TEST_CASE("many nested blocks of growing size stay intact") {
  on_new_thread([] {
    struct nest {
      static void go(int depth) {
        if (depth == 30) return;
        const scratch_block b(static_cast<std::size_t>(1000 * (depth + 1) * (depth + 1)));
        fill(b, depth);
        go(depth + 1);
        CHECK(holds(b, depth));
      }
    };
    nest::go(0);
    nest::go(0);
  });
}
