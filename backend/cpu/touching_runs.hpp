#pragma once

#include <array>
#include <cstddef>
#include <tenfold/backend/cpu/simd.hpp>
#include <utility>

/// Runs of entries that touch in memory, into lanes and back, in registers.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Which entry of the run of lane w stands where, N entries a run, W lanes, when the runs touch: in
/// memory entry x of lane w is number w N + x of N vectors.
template <int N, int W>
struct touching_runs {
  /// Lane w of vector x, taken from the vectors of memory.
  struct in {
    static constexpr int source(int x, int w) { return (w * N + x) / W; }
    static constexpr int lane(int x, int w) { return (w * N + x) % W; }
  };
  /// Entry e of vector v of memory, taken from the lanes.
  struct out {
    static constexpr int source(int v, int e) { return (v * W + e) % N; }
    static constexpr int lane(int v, int e) { return (v * W + e) / N; }
  };
};

/// The vector number `To` that Where says to put together from N others, one more at a time: those
/// that it takes anything from, number From and behind it, into what is there of it.
template <class Where, int To, int From, int N, class V, int... I>
[[gnu::always_inline]] inline V collect_from(const V (&from)[N], V all,
                                             std::integer_sequence<int, I...> lanes) {
  constexpr int w = sizeof...(I);
  if constexpr (((Where::source(To, I) == From) || ...)) {
    all = __builtin_shufflevector(all, from[From],
                                  (Where::source(To, I) == From ? w + Where::lane(To, I) : I)...);
  }
  if constexpr (From + 1 < N) all = collect_from<Where, To, From + 1>(from, all, lanes);
  return all;
}
template <class Where, int To, int N, class V, int... I>
[[gnu::always_inline]] inline V collect(const V (&from)[N],
                                        std::integer_sequence<int, I...> lanes) {
  constexpr int w = sizeof...(I);
  if constexpr (N == 1) {
    return from[0];
  } else {
    V all = __builtin_shufflevector(
        from[0], from[1],
        (Where::source(To, I) < 2 ? Where::lane(To, I) + w * Where::source(To, I) : 0)...);
    if constexpr (N > 2) all = collect_from<Where, To, 2>(from, all, lanes);
    return all;
  }
}

/// What N vectors, a power of two, hold before round `Round` of being put together: of each lane
/// the number of the entry by where it goes, vector by vector. Each round exchanges, between
/// vectors whose numbers differ in one bit, what goes to a vector with another bit: entries lie in
/// the vector whose last bits are those of where they go, the others those of where they come from,
/// in order.
template <class Where, int N, int W, int Round>
inline constexpr auto entries_before = [] {
  std::array<std::array<int, W>, N> at{};
  std::array<std::size_t, N> count{};
  constexpr int moved = (1 << Round) - 1;
  for (int e = 0; e < N * W; ++e) {
    const int from = Where::source(e / W, e % W), lane = Where::lane(e / W, e % W);
    const auto v = static_cast<std::size_t>((from & ~moved) | (e / W & moved));
    at[v][Round == 0 ? static_cast<std::size_t>(lane) : count[v]++] = e;
  }
  return at;
}();

/// The lane, of two vectors that differ in bit Round, where vector v takes entry i from.
template <class Where, int N, int W, int Round>
constexpr int lane_before(int v, int i) {
  constexpr const auto& before = entries_before<Where, N, W, Round>;
  const int entry = entries_before<Where, N, W, Round + 1>[static_cast<std::size_t>(v)]
                                                          [static_cast<std::size_t>(i)];
  const auto low = static_cast<std::size_t>(v & ~(1 << Round));
  const auto high = static_cast<std::size_t>(v | 1 << Round);
  for (int l = 0; l < W; ++l) {
    if (before[low][static_cast<std::size_t>(l)] == entry) return l;
    if (before[high][static_cast<std::size_t>(l)] == entry) return W + l;
  }
  return -1;
}

template <class Where, int Round, int N, class V, int... I>
[[gnu::always_inline]] inline void exchange(V (&all)[N], std::integer_sequence<int, I...> lanes) {
  constexpr int w = sizeof...(I), bit = 1 << Round;
  if constexpr (bit < N) {
    [&]<int... P>(std::integer_sequence<int, P...>) __attribute__((always_inline)) {
      const auto pair = [&]<int Low>() __attribute__((always_inline)) {
        const V low = all[Low], high = all[Low + bit];
        all[Low] = __builtin_shufflevector(low, high, (lane_before<Where, N, w, Round>(Low, I))...);
        all[Low + bit] =
            __builtin_shufflevector(low, high, (lane_before<Where, N, w, Round>(Low + bit, I))...);
      };
      (pair.template operator()<P / bit * 2 * bit + P % bit>(), ...);
    }
    (std::make_integer_sequence<int, N / 2>{});
    exchange<Where, Round + 1>(all, lanes);
  }
}

/// N vectors of W lanes := those that Where puts together from them. As many as a power of two in
/// log2 N rounds of one shuffle for each (4 vectors 8 instead of 12, 8 vectors 24 instead of 56),
/// others one by one.
template <class Where, int W, int N, class V>
[[gnu::always_inline]] inline void put_together(V (&all)[N]) {
  constexpr std::make_integer_sequence<int, W> lanes{};
  if constexpr ((N & (N - 1)) == 0 && N <= W) {
    exchange<Where, 0>(all, lanes);
  } else {
    V from[N];
    for (int i = 0; i < N; ++i) from[i] = all[i];
    [&]<int... To>(std::integer_sequence<int, To...>) __attribute__((always_inline)) {
      ((all[To] = collect<Where, To>(from, lanes)), ...);
    }
    (std::make_integer_sequence<int, N>{});
  }
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
