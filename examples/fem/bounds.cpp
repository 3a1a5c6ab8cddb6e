// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

#include "bounds.hpp"

#include <algorithm>
#include <chrono>

#include "parallel.hpp"

namespace fem {
namespace {

/// Eight numbers in vector registers, whatever their size.
typedef double lanes __attribute__((vector_size(64)));

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Runs part(t) on every thread t of the arena at once; the shortest of the repetitions that fit
/// into `budget` seconds, at least three.
template <class Part>
double best_seconds(double budget, Part part) {
  const double end = seconds_now() + budget;
  double best = 1e300;
  for (int k = 0; k < 3 || seconds_now() < end; ++k) {
    const double start = seconds_now();
    on_every_thread(part);
    best = std::min(best, seconds_now() - start);
  }
  return best;
}

/// Keeps the compiler from dropping what leads to x.
void use(const lanes& x) { asm volatile("" : : "m"(x)); }

}  // namespace

double fma_bound() {
  // 12 chains of dependent operations hide the latency of 4 cycles in two pipes.
  constexpr int chains = 12;
  constexpr long rounds = 100'000;  // a third of a millisecond
  const double seconds = best_seconds(0.1, [](int) {
    lanes sum[chains];
    for (int i = 0; i < chains; ++i) sum[i] = lanes{} + i;
    for (long k = 0; k < rounds; ++k) {
#pragma GCC unroll 12
      for (int i = 0; i < chains; ++i) {
#pragma GCC unroll 8
        for (int w = 0; w < 8; ++w) sum[i][w] = __builtin_fma(sum[i][w], 0.999, 0.001);
      }
    }
    for (const lanes& s : sum) use(s);
  });
  const int threads = thread_count();
  return 2.0 * sizeof(lanes) / sizeof(double) * chains * rounds * threads / seconds;
}

double read_bound(const double* data, tenfold::index n) {
  const int threads = thread_count();
  constexpr tenfold::index stride = 64;  // numbers per round: 8 independent sums of 8 lanes
  const tenfold::index rounds = n / stride;
  if (rounds == 0) return 0;
  // Small data is read often enough to make the start of the threads not count.
  const tenfold::index repeats = std::max<tenfold::index>(1, 4'000'000 / (rounds * stride));
  const double seconds = best_seconds(0.03, [&](int t) {
    const tenfold::index first = rounds * t / threads, last = rounds * (t + 1) / threads;
    lanes sum[8] = {};
    for (tenfold::index repeat = 0; repeat < repeats; ++repeat) {
      for (tenfold::index k = first; k < last; ++k) {
        const auto* const line = reinterpret_cast<const lanes*>(data + k * stride);
#pragma GCC unroll 8
        for (int i = 0; i < 8; ++i) sum[i] += line[i];
      }
      for (lanes& s : sum) use(s);
    }
  });
  return static_cast<double>(rounds * stride * repeats) * sizeof(double) / seconds;
}

}  // namespace fem
