#include <emulation.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <fails_alone.hpp>
#include <numeric>
#include <string>
#include <tenfold/backend/cuda/base.device.hpp>
#include <vector>

// What the emulation of blocks does, and the wrong device code that it must catch.

namespace tenfold::emulation {
namespace {

using cuda::of_lane, cuda::shared, cuda::thread_index, cuda::wait_for_block, cuda::wait_for_warp;

constexpr int threads = 96;

struct one_line {
  double entry[threads];
};
constexpr launch_shape one_block{1, threads, sizeof(one_line)};

/// Thread i := what thread i + 1 had, through shared memory. What is left out is a mistake.
struct mistakes {
  bool no_wait = false, no_write = false;
};
std::vector<double> rotated(std::uint64_t seed, const mistakes& made) {
  std::vector<double> result(threads);
  launch(one_block, seed, [&] {
    const int i = thread_index();
    auto& line = shared<one_line>();
    if (!(made.no_write && i == 7)) line.entry[i] = i;
    if (!made.no_wait) wait_for_block();
    result[static_cast<std::size_t>(i)] = line.entry[(i + 1) % threads];
  });
  return result;
}
std::vector<double> expected() {
  std::vector<double> x(threads);
  for (int i = 0; i < threads; ++i) x[static_cast<std::size_t>(i)] = (i + 1) % threads;
  return x;
}

/// Thread i := what thread i + 1 copied into shared memory.
std::vector<double> copied(std::uint64_t seed, bool waits) {
  std::vector<double> from(threads), result(threads);
  std::iota(from.begin(), from.end(), 0);
  launch(one_block, seed, [&] {
    const int i = thread_index();
    auto& line = shared<one_line>();
    cuda::copy_async(&line.entry[i], &from[static_cast<std::size_t>(i)]);
    cuda::close_copies();
    if (waits) cuda::wait_for_copies<0>();
    wait_for_block();
    result[static_cast<std::size_t>(i)] = line.entry[(i + 1) % threads];
    cuda::wait_for_copies<0>();
  });
  return result;
}

std::string error_of(const launch_shape& shape, const std::function<void()>& body) {
  std::string first;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    std::string text = "(nothing was thrown)";
    try {
      launch(shape, seed, body);
    } catch (const emulation_error& e) {
      text = e.what();
    }
    if (seed == 1) first = text;
    CHECK(text.substr(0, 10) == first.substr(0, 10));  // found in every order
  }
  return first;
}
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("what was written before a barrier is read behind it, in any order of threads") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) CHECK(rotated(seed, {}) == expected());
}

TEST_CASE("every block runs once and has its number") {
  std::vector<int> runs(5 * threads);
  launch({5, threads, 0}, 1, [&] {
    runs[static_cast<std::size_t>(cuda::block_index() * threads + thread_index())] +=
        cuda::block_count() == 5;
  });
  CHECK(runs == std::vector<int>(5 * threads, 1));
}

TEST_CASE("a shuffle takes what another lane gave") {
  std::vector<double> result(threads);
  launch(one_block, 3, [&] {
    const int i = thread_index();
    double x = i;
    for (int step = 1; step < 32; step *= 2) x += of_lane(x, (i % 32) ^ step);
    result[static_cast<std::size_t>(i)] = x;
  });
  for (int i = 0; i < threads; ++i)
    CHECK(result[static_cast<std::size_t>(i)] == 32 * (i / 32 * 32) + 31 * 16);
}

TEST_CASE("warps wait for themselves alone") {
  std::vector<double> result(threads);
  launch(one_block, 5, [&] {
    const int i = thread_index(), w = i / 32;
    auto& line = shared<one_line>();
    for (int round = 0; round <= w; ++round) {  // another number in each warp
      line.entry[i] = i + round;
      wait_for_warp();
      result[static_cast<std::size_t>(i)] = line.entry[w * 32 + (i + 1) % 32];
      wait_for_warp();
    }
  });
  for (int i = 0; i < threads; ++i)
    CHECK(result[static_cast<std::size_t>(i)] == i / 32 * 32 + (i + 1) % 32 + i / 32);
}

TEST_CASE("a missing barrier shows in values, in every one of eight orders") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto differs = [&] { return rotated(seed, {.no_wait = true}) != expected(); };
#if defined(TENFOLD_SANITIZED)
    CHECK(fails_alone(differs));
#else
    CHECK(differs());
#endif
  }
}

TEST_CASE("an entry of shared memory that nobody wrote is NaN") {
  const auto x = rotated(1, {.no_write = true});
  CHECK(std::isnan(x[6]));
  CHECK(x[5] == 6);
}

TEST_CASE("what was copied is there when its thread has waited for it, not always before") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    CHECK(copied(seed, true) == expected());
    const auto differs = [&] { return copied(seed, false) != expected(); };
#if defined(TENFOLD_SANITIZED)
    CHECK(fails_alone(differs));
#else
    CHECK(differs());
#endif
  }
}

TEST_CASE("the copies that were closed last need not be waited for yet") {
  double result[2] = {};
  const double from[2] = {1, 2};
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    launch({1, 1, sizeof(one_line)}, seed, [&] {
      auto& line = shared<one_line>();
      for (int i = 0; i < 2; ++i) {
        cuda::copy_async(&line.entry[i], from + i);
        cuda::close_copies();
      }
      cuda::wait_for_copies<1>();
      result[0] = line.entry[0];
      cuda::wait_for_copies<0>();
      result[1] = line.entry[1];
    });
    CHECK(result[0] == 1);
    CHECK(result[1] == 2);
  }
}

TEST_CASE("copies that nobody waits for are an error of the thread that began them") {
  const double from[64] = {};
  const std::string text = error_of({1, 1, sizeof(one_line)}, [&] {
    for (int i = 0; i < 64; ++i) cuda::copy_async(&shared<one_line>().entry[i], from + i);
    cuda::close_copies();
  });
  CHECK(text == "thread 0 has ended and has not waited for its copies");
}

TEST_CASE("values that are copied at once from where they may not begin are an error") {
  alignas(16) const double from[4] = {1, 2, 3, 4};
  const auto copies = [&](int at) {
    return [&from, at] {
      cuda::copy_together<2>(&shared<one_line>().entry[0], from + at);
      cuda::close_copies();
      cuda::wait_for_copies<0>();
    };
  };
  for (const int at : {0, 2}) CHECK_NOTHROW(launch({1, 1, sizeof(one_line)}, 1, copies(at)));
  CHECK(error_of({1, 1, sizeof(one_line)}, copies(1)) ==
        "a thread asked for 16 bytes at once elsewhere than at a multiple of them");
}

TEST_CASE("shared memory of one block is not seen by the next") {
  std::vector<double> seen;
  launch({2, 1, sizeof(one_line)}, 1, [&] {
    seen.push_back(shared<one_line>().entry[0]);
    shared<one_line>().entry[0] = 1;
  });
  CHECK(std::isnan(seen[0]));
  CHECK(std::isnan(seen[1]));
}

TEST_CASE("a barrier that some threads do not reach is an error that names both places") {
  const int here = __LINE__;
  const std::string text = error_of(one_block, [] {
    if (thread_index() < 40)
      wait_for_block();
    else
      wait_for_block();
  });
  CHECK(contains(text, "divergent"));
  CHECK(contains(text, "emulation.cpp:" + std::to_string(here + 3)));
  CHECK(contains(text, "emulation.cpp:" + std::to_string(here + 5)));
}

TEST_CASE("a barrier that an ended thread does not reach is an error") {
  const std::string text = error_of(one_block, [] {
    if (thread_index() != 11) wait_for_block();
  });
  CHECK(contains(text, "thread 11 has ended"));
  CHECK(contains(text, "waits for its block at "));
}

TEST_CASE("a shuffle without one lane is an error") {
  const std::string text = error_of(one_block, [] {
    const int i = thread_index();
    if (i != 33) of_lane(i, 0);
  });
  CHECK(contains(text, "thread 33 has ended"));
  CHECK(contains(text, "waits for its warp at "));
}

TEST_CASE("threads that wait for their warp while others wait for the block are an error") {
  const std::string text = error_of(one_block, [] {
    if (thread_index() == 3)
      wait_for_block();
    else
      wait_for_warp();
  });
  CHECK(contains(text, "divergent"));
}

TEST_CASE("a write behind shared memory is an error") {
  const auto overrun = [](int at) {
    return [at] {
      volatile int to = at;
      (&shared<one_line>().entry[0])[to] = 1;
    };
  };
#if defined(TENFOLD_SANITIZED)
  const auto runs = [&](int at) {
    return [&overrun, at] {
      launch({1, 1, sizeof(one_line)}, 1, overrun(at));
      return false;
    };
  };
  CHECK(fails_alone(runs(threads)));
  CHECK(fails_alone(runs(-1)));
  CHECK_FALSE(fails_alone(runs(threads - 1)));
#else
  CHECK(error_of({1, 1, sizeof(one_line)}, overrun(threads)) ==
        "a thread wrote outside the 768 bytes of shared memory of its block");
  CHECK(contains(error_of({1, 1, sizeof(one_line)}, overrun(-1)), "outside"));
  CHECK(error_of({1, 1, sizeof(one_line)}, overrun(threads - 1)) == "(nothing was thrown)");
#endif
}

TEST_CASE("after an error the next launch runs") {
  CHECK_THROWS_AS(launch(one_block, 1,
                         [] {
                           if (thread_index() == 0) wait_for_block();
                         }),
                  emulation_error);
  CHECK(rotated(1, {}) == expected());
}

TEST_CASE("a launch that no device could take is an error") {
  CHECK_THROWS_AS(launch({1, 1025, 0}, 1, [] {}), emulation_error);
  CHECK_THROWS_AS(launch({1, 0, 0}, 1, [] {}), emulation_error);
  CHECK_THROWS_AS(launch({1LL << 31, 32, 0}, 1, [] {}), emulation_error);
}

}  // namespace tenfold::emulation
