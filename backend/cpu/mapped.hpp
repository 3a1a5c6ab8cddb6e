#pragma once

#include <cstdint>
#include <tenfold/backend/cpu/transpose.hpp>

/// Entries that lie where a map says, on their way into scratch and out of it.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Whether all of W numbers, a stride apart, are places of entries.
template <int W, class I>
[[gnu::always_inline]] inline bool all_there(const I* at, index stride) {
  I all = at[0];
  for (int l = 1; l < W; ++l) all |= at[l * stride];
  return all >= 0;
}

/// W entries that lie where numbers, a stride apart, say.
template <class T, int W, class I>
[[gnu::always_inline]] inline vec<T, W> entries_at(const T* x, const I* at, index stride) {
  return [&]<int... L>(std::integer_sequence<int, L...>) __attribute__((always_inline)) {
    return vec<T, W>(typename vec<T, W>::register_type{x[at[L * stride]]...});
  }
  (std::make_integer_sequence<int, W>{});
}

/// Fetches some of the entries that the numbers `ahead` behind these lead to, for the tile after
/// this one: every fourth along a run, which as a rule are neighbours.
template <int W, class T, class I>
[[gnu::always_inline]] inline void fetch_entries(const T* x, const I* at, index ahead, index stride,
                                                 index i) {
  if (ahead == 0 || i % 4 != 0) return;
  for (int l = 0; l < W; ++l) {
    const I number = at[ahead + l * stride];
    if (number >= 0) __builtin_prefetch(x + number);
  }
}

// S[x][w] := conj?(X[map[x * stride.x + w * stride.lane]])  for w < count, 0 where the map has -1;
//            0 for count <= w < W;  x < n
//   S    interleaved: W neighbours per x, W = lanes<T> or 1
//   X    of any scalar that widens to T
//   map  of integers, each -1 or the place of an entry of X
//   ahead  if not 0, the numbers that are as far behind these are those of the next tile
// Full vectors x by x, put together in registers: 0.7 of the time that lane by lane takes. Gather
// instructions take as long in the cache and eight times as long from memory (Zen 5).
template <class T, int W, bool Conjugated, class X, class I>
[[gnu::noinline]] void gather(T* s, const X* x, const I* map, index n, lane_strides stride,
                              int count, [[maybe_unused]] index ahead) {
  static_assert(widens<X, T> && (is_complex_type<X> || !Conjugated));
  const X nothing(0);
  const auto one = [&](const I* at) {
    return widen<T, Conjugated>(*(*at < 0 ? &nothing : x + *at));
  };
  if constexpr (W > 1 && std::is_same_v<X, T> && !is_complex_type<T>) {
    if (count == W) {
      for (index i = 0; i < n; ++i, map += stride.x, s += W) {
        fetch_entries<W>(x, map, ahead, stride.lane, i);
        if (all_there<W>(map, stride.lane)) [[likely]] {
          store<T, W>(s, entries_at<T, W>(x, map, stride.lane));
        } else {
          for (int l = 0; l < W; ++l) s[l] = one(map + l * stride.lane);
        }
      }
      return;
    }
  }
  for (int l = 0; l < count; ++l)
    for (index i = 0; i < n; ++i) s[i * W + l] = one(map + l * stride.lane + i * stride.x);
  for (int l = count; l < W; ++l)
    for (index i = 0; i < n; ++i) s[i * W + l] = T(0);
}

// Y[map[x * stride.x + w * stride.lane]] += S[x][w]  for w < count, nothing where the map has -1;
//                                                   x by x, lane by lane
//   S, map, ahead as above;  Y of the scalar T
template <class T, int W, class I>
[[gnu::noinline]] void scatter_add(T* y, const T* s, const I* map, index n, lane_strides stride,
                                   int count, [[maybe_unused]] index ahead) {
  for (index i = 0; i < n; ++i, map += stride.x, s += W) {
    if constexpr (W > 1) {
      fetch_entries<W>(y, map, ahead, stride.lane, i);
      if (count == W && all_there<W>(map, stride.lane)) [[likely]] {
        for (int l = 0; l < W; ++l) y[map[l * stride.lane]] += s[l];
        continue;
      }
    }
    for (int l = 0; l < count; ++l) {
      const I at = map[l * stride.lane];
      if (at >= 0) y[at] += s[l];
    }
  }
}

// --- rows that lie in a line ---

/// Whether rows of n entries for each of `width` lanes are looked at as lines.
template <class T>
constexpr bool may_be_line(index n, int width, lane_strides stride) {
  return !is_complex_type<T> && width >= 4 && width == lanes<T> && n >= 2 && n <= 16 &&
         (stride.x == 1 || stride.lane == 1);
}

/// A row of N entries for each of W lanes in a line: entry x of lane w is number
/// first + w (N - 1) + x of the array. So lie the nodes along elements side by side, where the last
/// of one is the first of the next. Either end of the line may be missing (-1).
template <int W, int N>
struct entry_line {
  static constexpr int length = W * (N - 1);  ///< from the first entry to the last
  index first = 0;
  bool has_first = false, has_last = false;
  bool is_one = false;  ///< else the row is none
};

/// The bits in which L neighbouring numbers differ from first, first + Step, ...
template <int Step, int L, class I>
[[gnu::always_inline]] inline auto differences(const I* at, index first) {
  typename short_vec<I, L>::type numbers;
  std::memcpy(&numbers, at, sizeof numbers);
  return [&]<int... J>(std::integer_sequence<int, J...>) __attribute__((always_inline)) {
    return numbers ^ (typename short_vec<I, L>::type{I(J * Step)...} + static_cast<I>(first));
  }
  (std::make_integer_sequence<int, L>{});
}
template <class V, int... J>
[[gnu::always_inline]] inline bool has_any(const V& v, std::integer_sequence<int, J...>) {
  return (v[J] | ...) != 0;
}

/// The line that a row is, or none. Its numbers lie at x * stride.x + w * stride.lane, and are
/// compared with those of a line a vector at a time, along whichever stride is 1.
template <int W, int N, class I>
[[gnu::always_inline]] inline entry_line<W, N> find_line(const I* map, lane_strides stride) {
  entry_line<W, N> line;
  const index begin = map[0], end = map[(N - 1) * stride.x + (W - 1) * stride.lane];
  line.first = map[stride.x] - 1;  // entry 1 is there if the row is a line
  line.has_first = begin >= 0;
  line.has_last = end >= 0;
  bool differs = false;
  if (stride.lane == 1) {
    typename short_vec<I, W>::type wrong{};
#pragma GCC unroll 16
    for (int x = 0; x < N; ++x) {
      auto d = differences<N - 1, W>(map + x * stride.x, line.first + x);
      if (x == 0) d[0] = 0;
      if (x == N - 1) d[W - 1] = 0;
      wrong |= d;
    }
    differs = has_any(wrong, std::make_integer_sequence<int, W>{});
  } else {
    constexpr int l = N >= 8 ? 8 : N >= 4 ? 4 : 2;
    typename short_vec<I, l>::type wrong{};
#pragma GCC unroll 16
    for (int w = 0; w < W; ++w) {
#pragma GCC unroll 16
      for (int x = 0; x < N; x += l) {
        const int from = x + l < N ? x : N - l;
        auto d = differences<1, l>(map + from + w * stride.lane, line.first + w * (N - 1) + from);
        if (w == 0 && from == 0) d[0] = 0;
        if (w == W - 1 && from == N - l) d[l - 1] = 0;
        wrong |= d;
      }
    }
    differs = has_any(wrong, std::make_integer_sequence<int, l>{});
  }
  line.is_one = !differs && line.first >= -1 && (begin == line.first || begin < 0) &&
                (end == line.first + line.length || end < 0);
  return line;
}

/// Fetches the row whose numbers are `ahead` behind these, as if it were a line: it is if this is
/// one, as a rule.
template <int W, int N, class T, class I>
[[gnu::always_inline]] inline void fetch_line(const T* x, const I* map, index ahead,
                                              lane_strides stride) {
  if (ahead == 0) return;
  const index second = map[ahead + stride.x];
  if (second < 0) return;
  // As a number: the last lines may lie behind the array.
  const auto first = reinterpret_cast<std::uintptr_t>(x + second) - sizeof(T);
#pragma GCC unroll 16
  for (std::size_t i = 0; i <= entry_line<W, N>::length * sizeof(T); i += 64)
    __builtin_prefetch(reinterpret_cast<const void*>(first + i));
}

// S[x][w] := X[map[x * stride.x + w * stride.lane]], 0 where the map has -1;  x < N, all W lanes
//   S, map, ahead as for gather
// A line is N - 1 vectors of neighbours and one entry more, sorted into lanes by shuffles: 0.2 to
// 0.4 of the time of gather.
template <class T, int W, int N, class I>
void gather_row(T* s, const T* x, const I* map, lane_strides stride, index ahead) {
  const entry_line<W, N> line = find_line<W, N>(map, stride);
  if (!line.is_one) return gather<T, W, false>(s, x, map, N, stride, W, ahead);
  fetch_line<W, N>(x, map, ahead, stride);
  using row = entry_row<T, W>;
  using where = typename touching_runs<N - 1, W>::in;
  using lane_numbers = std::make_integer_sequence<int, W>;
  const T* const from = x + (line.first + 1);
  const T last = line.has_last ? from[line.length - 1] : T(0);
  row run[N - 1];
  [&]<int... L, int... E>(std::integer_sequence<int, L...>, std::integer_sequence<int, E...>)
      __attribute__((always_inline)) {
    if (line.has_first) {
      run[0] = load_row<T, W, false>(from - 1);
    } else {
      const row behind = (row)load_partial<T, W>(from, W - 1).data;
      run[0] = __builtin_shufflevector(behind, row{}, (L == 0 ? W : L - 1)...);
    }
    ((run[E + 1] = load_row<T, W, false>(from + (E + 1) * W - 1)), ...);
    const row first = collect<where, 0>(run, lane_numbers{});
    store_row<T, W>(s, first);
    (store_row<T, W>(s + (E + 1) * W, collect<where, E + 1>(run, lane_numbers{})), ...);
    store_row<T, W>(s + (N - 1) * W,
                    __builtin_shufflevector(first, row{last}, (L == W - 1 ? W : L + 1)...));
  }
  (lane_numbers{}, std::make_integer_sequence<int, N - 2>{});
}

// Y[map[x * stride.x + w * stride.lane]] += S[x][w], nothing where the map has -1;  x < N, all W
// lanes
//   S, map, ahead as for gather
// In a line the two terms of an entry that two lanes share are added first.
template <class T, int W, int N, class I>
void scatter_add_row(T* y, const T* s, const I* map, lane_strides stride, index ahead) {
  const entry_line<W, N> line = find_line<W, N>(map, stride);
  if (!line.is_one) return scatter_add<T, W>(y, s, map, N, stride, W, ahead);
  fetch_line<W, N>(y, map, ahead, stride);
  using row = entry_row<T, W>;
  using where = typename touching_runs<N - 1, W>::out;
  using lane_numbers = std::make_integer_sequence<int, W>;
  T* const to = y + (line.first + 1);
  row run[N - 1];
  [&]<int... L, int... E>(std::integer_sequence<int, L...>, std::integer_sequence<int, E...>)
      __attribute__((always_inline)) {
    run[0] = load_row<T, W, false>(s);
    ((run[E + 1] = load_row<T, W, false>(s + (E + 1) * W)), ...);
    const row ends = load_row<T, W, false>(s + (N - 1) * W);
    run[0] += __builtin_shufflevector(ends, row{}, (L == 0 ? W : L - 1)...);
    const row first = collect<where, 0>(run, lane_numbers{});
    if (line.has_first) {
      store_row<T, W>(to - 1, load_row<T, W, false>(to - 1) + first);
    } else {
      const row behind = __builtin_shufflevector(first, first, (L == W - 1 ? 0 : L + 1)...);
      const row sum = (row)load_partial<T, W>(to, W - 1).data + behind;
      store_partial<T, W>(to, vec<T, W>((typename vec<T, W>::register_type)sum), W - 1);
    }
    (store_row<T, W>(to + (E + 1) * W - 1, load_row<T, W, false>(to + (E + 1) * W - 1) +
                                               collect<where, E + 1>(run, lane_numbers{})),
     ...);
    if (line.has_last) to[line.length - 1] += ends[W - 1];
  }
  (lane_numbers{}, std::make_integer_sequence<int, N - 2>{});
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
