#include "bounds.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

#include "parallel.hpp"
#include "vector.hpp"

namespace fem {
namespace {

/// Eight numbers in vector registers, whatever their size.
typedef double lanes __attribute__((vector_size(64)));

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Calls `measure` for `budget` seconds, at least three times.
template <class Measure>
void repeat(double budget, Measure measure) {
  const double end = seconds_now() + budget;
  for (int k = 0; k < 3 || seconds_now() < end; ++k) measure();
}

/// a b + c in one operation where the processor that is compiled for has it.
double multiply_add(double a, double b, double c) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// Keeps the compiler from dropping what leads to x.
void use(const lanes& x) { asm volatile("" : : "m"(x)); }

}  // namespace

double fma_bound() {
  // 12 chains of dependent operations hide the latency of 4 cycles in two pipes. Each thread counts
  // its own best burst: on a busy machine they seldom run all at once.
  constexpr int chains = 12;
  constexpr long rounds = 100'000;  // a third of a millisecond
  std::vector<double> best(static_cast<std::size_t>(thread_count()), 1e300);
  repeat(0.1, [&best] {
    on_every_thread([&best](int t) {
      const double start = seconds_now();
      lanes sum[chains];
      for (int i = 0; i < chains; ++i) sum[i] = lanes{} + i;
      for (long k = 0; k < rounds; ++k) {
#pragma GCC unroll 12
        for (int i = 0; i < chains; ++i) {
#pragma GCC unroll 8
          for (int w = 0; w < 8; ++w) sum[i][w] = multiply_add(sum[i][w], 0.999, 0.001);
        }
      }
      for (const lanes& s : sum) use(s);
      double& seconds = best[static_cast<std::size_t>(t)];
      seconds = std::min(seconds, seconds_now() - start);
    });
  });
  double rate = 0;
  for (const double seconds : best) rate += 2.0 * 8 * chains * rounds / seconds;
  return rate;
}

double read_bound(const double* data, tenfold::index n) {
  const int threads = thread_count();
  constexpr tenfold::index stride = 64;  // numbers per round: 8 independent sums of 8 lanes
  const tenfold::index rounds = n / stride;
  if (rounds == 0) return 0;
  // Small data is read often enough to make the start of the threads not count.
  const tenfold::index repeats = std::max<tenfold::index>(1, 4'000'000 / (rounds * stride));
  const auto read = [=](int t) {
    const tenfold::index first = rounds * t / threads, last = rounds * (t + 1) / threads;
    lanes sum[8] = {};
    for (tenfold::index k = 0; k < repeats; ++k) {
      for (tenfold::index l = first; l < last; ++l) {
        const auto* const line = reinterpret_cast<const lanes*>(data + l * stride);
#pragma GCC unroll 8
        for (int i = 0; i < 8; ++i) sum[i] += line[i];
      }
      for (lanes& s : sum) use(s);
    }
  };
  // Memory is one for all threads: here the slowest counts.
  double seconds = 1e300;
  repeat(0.03, [&] {
    const double start = seconds_now();
    on_every_thread(read);
    seconds = std::min(seconds, seconds_now() - start);
  });
  return static_cast<double>(rounds * stride * repeats) * sizeof(double) / seconds;
}

double triad_bound() {
  constexpr tenfold::index n = 8'000'000;
  const vector b = zeros(n), c = zeros(n);
  vector a = zeros(n);
  double seconds = 1e300;
  repeat(0.2, [&] {
    const double start = seconds_now();
    for_each_entry(n, [x = a.data(), y = b.data(), z = c.data()](tenfold::index i) {
      x[i] = y[i] + 3 * z[i];
    });
    seconds = std::min(seconds, seconds_now() - start);
  });
  return 3.0 * sizeof(double) * n / seconds;
}

double last_cache_bytes() {
  double largest = 0;
  for (int level = 0;; ++level) {
    std::ifstream in("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(level) + "/size");
    double kilobytes = 0;  // as in "32768K"
    if (!(in >> kilobytes)) return largest;
    largest = std::max(largest, 1024 * kilobytes);
  }
}

}  // namespace fem
