#include "common/bandwidth.hpp"

#include <algorithm>
#include <cstddef>

#include "common/buffer.hpp"
#include "common/hand_vector.hpp"
#include "common/timing.hpp"

namespace tenfold::bench {
namespace {

using T = double;
constexpr int W = lanes<T>;
constexpr int unrolled = 8;  // vectors per turn of a loop

/// Entries between two arrays, so that they do not lie at the same place of a page.
constexpr std::size_t gap = 3 * unrolled * W;

/// How many arrays a way of streaming touches.
constexpr int arrays_of(stream s) {
  return s == stream::triad ? 3 : s == stream::copy || s == stream::copy_nt ? 2 : 1;
}

/// Bytes that one entry of the first array costs.
constexpr double bytes_per_entry(stream s) {
  return sizeof(T) * (s == stream::triad                                             ? 3
                      : s == stream::read || s == stream::set || s == stream::set_nt ? 1
                                                                                     : 2);
}

/// Streams through n entries of each array, a multiple of unrolled * W; not read, see stream_read.
template <stream S>
[[gnu::noinline]] void pass(T* x, [[maybe_unused]] T* y, [[maybe_unused]] T* z, std::ptrdiff_t n) {
  vec<T> factor(T(0.999999));
  keep(factor);
  for (std::ptrdiff_t i = 0; i < n; i += unrolled * W) {
    unroll<unrolled>([&](auto j) __attribute__((always_inline)) {
      const std::ptrdiff_t at = i + j * W;
      if constexpr (S == stream::set) {
        factor.store_aligned(x + at);
        return;
      } else if constexpr (S == stream::set_nt) {
        store<true>(factor, x + at);
        return;
      }
      vec<T> entry = vec<T>::load_aligned(x + at);
      if constexpr (S == stream::copy) {
        entry.store_aligned(y + at);
      } else if constexpr (S == stream::copy_nt) {
        store<true>(entry, y + at);
      } else if constexpr (S == stream::triad) {
        multiply_add(factor, vec<T>::load_aligned(y + at), entry).store_aligned(z + at);
      } else {
        (factor * entry).store_aligned(x + at);
      }
    });
  }
}

/// The best of several samples of at least `sample_seconds`.
template <stream S>
double rate_of(buffer<T>& memory, std::size_t bytes, int samples, double sample_seconds) {
  constexpr std::size_t step = unrolled * W;
  const std::size_t entries = bytes / sizeof(T) / arrays_of(S) / step * step;
  T* const x = memory.data();
  T* const y = x + (arrays_of(S) > 1 ? entries + gap : 0);
  T* const z = y + (arrays_of(S) > 2 ? entries + gap : 0);
  const auto n = static_cast<std::ptrdiff_t>(entries);
  double best = 0;
  int passes = 1;
  for (int sample = 0; sample < samples;) {
    const double start = cpu_seconds();
    for (int i = 0; i < passes; ++i) {
      if constexpr (S == stream::read)
        stream_read(x, n);
      else
        pass<S>(x, y, z, n);
    }
    const double seconds = cpu_seconds() - start;
    if (seconds < sample_seconds) {
      passes *= 2;
      continue;
    }
    best = std::max(best, passes * static_cast<double>(n) * bytes_per_entry(S) / seconds * 1e-9);
    ++sample;
  }
  return best;
}

}  // namespace

std::size_t streaming_bytes(const machine& m) { return std::min(8 * m.l3, m.memory / 4); }

std::size_t cached_bytes(const machine& m) { return m.l2 / 2; }

bandwidths measure_bandwidths(const machine& m, bool quick) {
  const std::size_t sizes[] = {m.l1 / 2, m.l2 / 2, m.l3 / 2, streaming_bytes(m)};
  buffer<T> memory(*std::max_element(std::begin(sizes), std::end(sizes)) / sizeof(T) + 2 * gap);
  memory.fill(1);
  bandwidths result;
  for (std::size_t l = 0; l < level_names.size(); ++l) {
    const int samples = quick ? 3 : 7;
    const double seconds = quick ? 0.005 : 0.02;
    const auto measure = [&]<stream S>() {
      result.rate[static_cast<std::size_t>(S)][l] = rate_of<S>(memory, sizes[l], samples, seconds);
    };
    measure.template operator()<stream::read>();
    measure.template operator()<stream::copy>();
    measure.template operator()<stream::copy_nt>();
    measure.template operator()<stream::triad>();
    measure.template operator()<stream::upd>();
    measure.template operator()<stream::set>();
    measure.template operator()<stream::set_nt>();
  }
  return result;
}

template <class T>
void stream_read(const T* x, std::ptrdiff_t n) {
  constexpr std::ptrdiff_t turn = unrolled * lanes<T>;
  vec<T> sum[unrolled];
  unroll<unrolled>([&](auto j) __attribute__((always_inline)) { sum[j] = vec<T>(T(0)); });
  for (std::ptrdiff_t i = 0; i + turn <= n; i += turn) {
    unroll<unrolled>([&](auto j) __attribute__((always_inline)) {
      sum[j] += vec<T>::load_aligned(x + i + j * lanes<T>);
    });
  }
  unroll<unrolled>([&](auto j) __attribute__((always_inline)) { keep(sum[j]); });
}
template void stream_read(const float*, std::ptrdiff_t);
template void stream_read(const double*, std::ptrdiff_t);

void stream_sum(const double* x, const double* y, double* z, std::ptrdiff_t n, bool adds) {
  const auto pass = [&](auto write) {
    for (std::ptrdiff_t i = 0; i < n; i += W)
      write(vec<T>::load_aligned(x + i) + vec<T>::load_aligned(y + i), z + i);
  };
  if (adds) {
    pass([](vec<T> sum, T* at) { (vec<T>::load_aligned(at) + sum).store_aligned(at); });
  } else {
    pass([](vec<T> sum, T* at) { store<true>(sum, at); });
  }
}

}  // namespace tenfold::bench
