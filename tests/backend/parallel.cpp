#include <doctest/doctest.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <stdexcept>
#include <tenfold/backend/cpu/parallel.hpp>
#include <thread>
#include <vector>

using tenfold::cpu::parallel_tiles;

TEST_CASE("parallel_tiles visits every index once") {
  for (const tenfold::index count : {0, 1, 2, 7, 64, 1000, 65537})
    for (const tenfold::index grain : {0, 1, 3, 64, 100000}) {
      std::vector<int> visits(static_cast<std::size_t>(count));  // not atomic: parts are disjoint
      parallel_tiles(count, grain, [&](tenfold::index begin, tenfold::index end) {
        for (tenfold::index i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
      });
      CHECK(visits == std::vector<int>(static_cast<std::size_t>(count), 1));
    }
}

TEST_CASE("parallel_tiles runs small work in one call on the calling thread") {
  int calls = 0;  // not atomic
  parallel_tiles(10, 10, [&](tenfold::index begin, tenfold::index end) {
    ++calls;
    CHECK(begin == 0);
    CHECK(end == 10);
  });
  CHECK(calls == 1);
}

TEST_CASE("parallel_tiles stays inside the caller's arena") {
  tbb::task_arena one(1);
  int calls = 0;  // not atomic
  one.execute([&] {
    parallel_tiles(1000, 1, [&](tenfold::index begin, tenfold::index end) {
      ++calls;
      CHECK(end - begin == 1000);
    });
  });
  CHECK(calls == 1);
}

TEST_CASE("parallel_tiles passes exceptions through") {
  const auto thrower = [](tenfold::index begin, tenfold::index end) {
    if (begin <= 500 && 500 < end) throw std::runtime_error("at 500");
  };
  CHECK_THROWS_WITH_AS(parallel_tiles(1000, 10, thrower), "at 500", std::runtime_error);
  CHECK_THROWS_WITH_AS(parallel_tiles(1000, 1000, thrower), "at 500", std::runtime_error);
}

TEST_CASE("run_on_threads has an arena of so many threads, and passes exceptions through") {
  std::thread([] {
    int threads = 0;
    const auto caller = std::this_thread::get_id();
    tenfold::cpu::run_on_threads(3, [&] {
      threads = tbb::this_task_arena::max_concurrency();
      CHECK(std::this_thread::get_id() == caller);
    });
    CHECK(threads == 3);
    const auto thrower = [] { throw std::runtime_error("inside"); };
    CHECK_THROWS_WITH_AS(tenfold::cpu::run_on_threads(3, thrower), "inside", std::runtime_error);
  }).join();  // the arena was that thread's
}

TEST_CASE("parallel_tiles nests") {
  std::vector<int> visits(50 * 70);
  parallel_tiles(50, 1, [&](tenfold::index begin, tenfold::index end) {
    for (tenfold::index i = begin; i < end; ++i)
      parallel_tiles(70, 1, [&visits, i](tenfold::index b, tenfold::index e) {
        for (tenfold::index j = b; j < e; ++j) ++visits[static_cast<std::size_t>(i * 70 + j)];
      });
  });
  CHECK(visits == std::vector<int>(50 * 70, 1));
}

TEST_CASE("a waiting thread takes no work from outside the call") {
  thread_local int depth = 0;
  std::atomic<int> deepest{0};
  parallel_tiles(64, 1, [&](tenfold::index begin, tenfold::index end) {
    for (tenfold::index i = begin; i < end; ++i) {
      ++depth;
      if (depth > deepest) deepest = depth;
      parallel_tiles(64, 1, [](tenfold::index, tenfold::index) {});
      --depth;
    }
  });
  CHECK(deepest == 1);
}
