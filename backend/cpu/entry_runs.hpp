#pragma once

#include <cstdint>
#include <cstring>
#include <tenfold/backend/cpu/pack.hpp>
#include <type_traits>
#include <utility>

/// How the entries lie that a row of a map leads to: as one line of memory, as runs, or anywhere.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Whether rows of n entries for each of `width` lanes are looked at as runs.
template <class T>
constexpr bool may_be_runs(index n, int width, lane_strides stride) {
  return !is_complex_type<T> && width >= 4 && width == lanes<T> && n >= 3 && n <= 16 &&
         (stride.x == 1 || stride.lane == 1);
}

/// A row of N entries for each of W lanes that is one run: entry x of lane w is number first +
/// w (N - 1) + x of the array, each lane beginning with the last entry of the one before, as
/// elements side by side do. Only the first entry of all and the last one may not be there.
template <class I>
struct entry_line {
  bool is_line = false;  ///< else nothing of the rest is known
  I first = 0;           ///< the number of the first entry as if it were there
  I begin = 0, end = 0;  ///< the numbers of the first and of the last entry
};

/// A row of N entries for each of W lanes as runs: entry x of lane w is number first[w] + x of the
/// array, or not there, which at the ends of a run only may be. Of a lane nothing may be there. A
/// lane is joined with the one before it if it begins with the last entry of that.
template <class I, int W, int N>
struct entry_runs {
  using numbers = typename short_vec<I, W>::type;
  bool are_runs = false;      ///< else nothing of the rest is known
  unsigned joined = 0;        ///< bit w: lane w is joined
  numbers first, begin, end;  ///< entry 0 as if it were there; the numbers of entries 0 and N - 1
  numbers any;                ///< negative if nothing of the lane is there

  /// The lanes that vector v of N - 1 takes entries from: entries 0 to N - 2 of lane after lane.
  static constexpr int first_lane(int v) { return v * W / (N - 1); }
  static constexpr int last_lane(int v) { return (v * W + W - 1) / (N - 1); }
  /// Where the entries of vector v are if they are neighbours.
  index place(int v) const {
    const int w = first_lane(v);
    return static_cast<index>(first[w]) + (v * W - w * (N - 1));
  }
  /// Whether they are, and all are there.
  bool are_neighbours(int v) const {
    const int w = first_lane(v), last = last_lane(v);
    const unsigned between = (2u << last) - (2u << w);
    return (joined & between) == between && (v * W == w * (N - 1) ? begin[w] : any[w]) >= 0;
  }
  /// Calls f(place, from, to) for each lane of which entries from <= i < to of vector v are there:
  /// entry i at place + i.
  template <class F>
  [[gnu::always_inline]] void for_each_part(int v, F f) const {
    for (int w = first_lane(v); w <= last_lane(v); ++w) {
      const int shift = w * (N - 1) - v * W, begins = shift + (begin[w] < 0 ? 1 : 0);
      const int from = begins > 0 ? begins : 0, to = shift + N - 1 < W ? shift + N - 1 : W;
      if (any[w] >= 0 && from < to) f(static_cast<index>(first[w]) - shift, from, to);
    }
  }
};

// Vectors of numbers may be wider than registers are: compilers warn of those that are passed or
// returned by value.

/// v := 0, Step, 2 Step, ...
template <int Step, class V, int... J>
[[gnu::always_inline]] inline void set_multiples(V& v, std::integer_sequence<int, J...>) {
  using I = std::remove_reference_t<decltype(v[0])>;
  v = V{I(J * Step)...};
}
template <class V, int... J>
[[gnu::always_inline]] inline auto all_bits(const V& v, std::integer_sequence<int, J...>) {
  return (v[J] | ...);
}
template <class V, int... J>
[[gnu::always_inline]] inline auto common_bits(const V& v, std::integer_sequence<int, J...>) {
  return (v[J] & ...);
}

/// Whether W integers are 0: halves are joined down to 16 bytes, which are two numbers.
template <int W, class V>
[[gnu::always_inline]] inline bool are_zero(const V& v) {
  if constexpr (sizeof(V) > 16) {
    constexpr std::make_integer_sequence<int, W / 2> half{};
    return are_zero<W / 2>(low_half(v, half) | high_half(v, half));
  } else {
    std::uint64_t bits[2] = {};
    std::memcpy(bits, &v, sizeof v);
    return (bits[0] | bits[1]) == 0;
  }
}

/// The line that a row is. Its numbers lie at x * stride.x + w * stride.lane and are compared with
/// those of a line a vector at a time, along whichever stride is 1. Most rows of a mesh need not be
/// asked for runs (a row of p = 4 is gathered in 0.73 of the time, Emerald Rapids).
template <int W, int N, class I>
[[gnu::always_inline]] inline entry_line<I> find_line(const I* map, lane_strides stride) {
  constexpr I span = W * (N - 1);
  const I second = map[stride.x];
  entry_line<I> line;
  line.first = second - 1;
  line.begin = map[0];
  line.end = map[(N - 1) * stride.x + (W - 1) * stride.lane];
  bool alike = second >= 0 && (line.begin < 0 || line.begin == line.first) &&
               (line.end < 0 || line.end - span == line.first);
  if (stride.lane == 1) {
    using numbers = typename short_vec<I, W>::type;
    numbers lane;
    set_multiples<N - 1>(lane, std::make_integer_sequence<int, W>{});
    numbers wrong{};
#pragma GCC unroll 16
    for (int x = 0; x < N; ++x) {
      numbers at;
      std::memcpy(&at, map + x * stride.x, sizeof at);
      numbers differ = (at - (lane + static_cast<I>(x))) ^ line.first;
      if (x == 0) differ[0] = 0;
      if (x == N - 1) differ[W - 1] = 0;
      wrong |= differ;
    }
    alike = alike && are_zero<W>(wrong);
  } else {
    constexpr int l = N - 1 >= 8 && W >= 8 ? 8 : N - 1 >= 4 ? 4 : 2;
    using part = typename short_vec<I, l>::type;
    part along;
    set_multiples<1>(along, std::make_integer_sequence<int, l>{});
    part wrong{};
#pragma GCC unroll 16
    for (int w = 0; w < W; ++w) {
      const int from = w == 0 ? 1 : 0, to = w == W - 1 ? N - 1 : N;
#pragma GCC unroll 16
      for (int x = from; x < to; x += l) {
        const int begin = x + l < to ? x : to - l;
        part at;
        std::memcpy(&at, map + w * stride.lane + begin, sizeof at);
        wrong |= (at - (along + static_cast<I>(w * (N - 1) + begin))) ^ line.first;
      }
    }
    alike = alike && are_zero<l>(wrong);
  }
  line.is_line = alike;
  return line;
}

/// The runs that a row is. Its numbers lie at x * stride.x + w * stride.lane and are compared with
/// those of runs a vector at a time, along whichever stride is 1.
template <int W, int N, class I>
[[gnu::always_inline]] inline entry_runs<I, W, N> find_runs(const I* map, lane_strides stride) {
  using numbers = typename entry_runs<I, W, N>::numbers;
  constexpr std::make_integer_sequence<int, W> lane_numbers{};
  constexpr int sign = 8 * static_cast<int>(sizeof(I)) - 1;
  entry_runs<I, W, N> runs;
  numbers wrong;  // not zero: the lane is no run
  if (stride.lane == 1) {
    numbers at[N];
#pragma GCC unroll 16
    for (int x = 0; x < N; ++x) std::memcpy(&at[x], map + x * stride.x, sizeof at[x]);
    runs.begin = at[0];
    runs.end = at[N - 1];
    runs.any = runs.begin & runs.end & at[1];
    runs.first = at[1] - 1;
    wrong = at[1] >> sign;
#pragma GCC unroll 16
    for (int x = 2; x < N - 1; ++x) {
      wrong |= at[x] ^ (runs.first + static_cast<I>(x));
      runs.any &= at[x];
    }
  } else {
    constexpr int l = N - 2 >= 8 ? 8 : N - 2 >= 4 ? 4 : N - 2 >= 2 ? 2 : 1;
    using part = typename short_vec<I, l>::type;
    constexpr std::make_integer_sequence<int, l> part_numbers{};
    part along;
    set_multiples<1>(along, part_numbers);
#pragma GCC unroll 16
    for (int w = 0; w < W; ++w) {
      const I* const lane = map + w * stride.lane;
      runs.begin[w] = lane[0];
      runs.end[w] = lane[N - 1];
      runs.first[w] = lane[1] - 1;
      part differ{}, any = part{} - 1;
#pragma GCC unroll 16
      for (int x = 1; x < N - 1; x += l) {
        const int from = x + l < N - 1 ? x : N - 1 - l;
        part v;
        std::memcpy(&v, lane + from, sizeof v);
        differ |= v ^ (along + static_cast<I>(lane[1] - 1 + from));
        any &= v;
      }
      wrong[w] = all_bits(differ, part_numbers) | (lane[1] >> sign);
      runs.any[w] = common_bits(any, part_numbers) & lane[0] & lane[N - 1];
    }
  }
  wrong |= (runs.begin ^ runs.first) & ~(runs.begin >> sign);
  wrong |= (runs.end ^ (runs.first + I(N - 1))) & ~(runs.end >> sign);
  runs.are_runs = are_zero<W>(numbers(wrong & ~(runs.any >> sign)));
  const auto joined = [&]<int... L>(std::integer_sequence<int, L...>)
      __attribute__((always_inline)) {
    const numbers before = __builtin_shufflevector(runs.end, runs.end, (L == 0 ? W - 1 : L - 1)...);
    const numbers is = (numbers)(before == runs.begin) & ~(runs.begin >> sign);
    return static_cast<unsigned>(all_bits(is & numbers{I(1 << L)...}, lane_numbers));
  }
  (lane_numbers);
  runs.joined = joined & ~1u;
  return runs;
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
