#include "common/peak.hpp"

#include <algorithm>

#include "common/hand_vector.hpp"

namespace tenfold::bench {
namespace {

/// Independent chains enough to hide the latency on two units, few enough for 16 registers.
constexpr int chains = 12;

template <class T>
constexpr double flops_of(long repetitions) {
  return 2.0 * lanes<T> * chains * static_cast<double>(repetitions);
}

template <class T>
void run_chains(long repetitions) {
  vec<T> x[chains];
  unroll<chains>([&](auto i) __attribute__((always_inline)) { x[i] = vec<T>(T(1 + 0.1 * i)); });
  vec<T> a(T(0.999)), b(T(0.001));
  pin(a);
  pin(b);
  for (long n = 0; n < repetitions; ++n) {
    unroll<chains>([&](auto i) __attribute__((always_inline)) {
      x[i] = multiply_add(a, x[i], b);
      keep(x[i]);
    });
  }
}

template <class T>
double rate_of(long repetitions) {
  const double start = cpu_seconds();
  run_chains<T>(repetitions);
  return flops_of<T>(repetitions) / (cpu_seconds() - start) * 1e-9;
}

/// The best of several: what the machine can do, not what it does on average beside others.
template <class T>
double best_rate(int samples) {
  double best = 0;
  for (int i = 0; i < samples; ++i) best = std::max(best, rate_of<T>(400'000));
  return best;
}

}  // namespace

peak_rates measure_peak(bool quick) {
  const int samples = quick ? 20 : 60;
  return {best_rate<double>(samples), best_rate<float>(samples)};
}

peak_loop multiply_adds(char scalar) {
  constexpr long repetitions = 10'000;
  if (scalar == 'd' || scalar == 'z')
    return {{"peak", [] { run_chains<double>(repetitions); }}, flops_of<double>(repetitions)};
  return {{"peak", [] { run_chains<float>(repetitions); }}, flops_of<float>(repetitions)};
}

}  // namespace tenfold::bench
