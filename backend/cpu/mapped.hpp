#pragma once

#include <cstdint>
#include <tenfold/backend/cpu/entry_runs.hpp>

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
  constexpr int locality = select::fetches_rows_into_l2(compiled_model) ? 2 : 3;
  for (int l = 0; l < W; ++l) {
    const I number = at[ahead + l * stride];
    if (number >= 0) __builtin_prefetch(x + number, 0, locality);
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

// --- rows whose entries are neighbours ---
//
// One entry after the other, gathering and adding takes longer than a mass operator of p = 4
// itself. Zen 5, mat-vecs in cache, the rate of what runs give beside that: p = 4, where all rows
// are lines, 1.36 for BP1, 1.17 for BP3, 1.24 for BP5; p = 5, where no row is one, 1.03, 1.02
// and 1.07.

/// Fetches the row whose numbers are `ahead` behind these, as if it were a line: it is if this is
/// one, as a rule.
template <int W, int N, class T, class I>
[[gnu::always_inline]] inline void fetch_line(const T* x, const I* map, index ahead,
                                              lane_strides stride) {
  if (ahead == 0) return;
  constexpr int locality = select::fetches_rows_into_l2(compiled_model) ? 2 : 3;
  const index second = map[ahead + stride.x];
  if (second < 0) return;
  // As a number: the last lines may lie behind the array.
  const auto first = reinterpret_cast<std::uintptr_t>(x + second) - sizeof(T);
#pragma GCC unroll 16
  for (std::size_t i = 0; i <= W * (N - 1) * sizeof(T); i += 64)
    __builtin_prefetch(reinterpret_cast<const void*>(first + i), 0, locality);
}

/// Whether entries of a line are put together by transposing W x W of them, from a vector for each
/// lane in log2 W rounds, instead of from vectors of neighbours, one by one: where that saves a
/// third of the shuffles (W = 8, Emerald Rapids: N = 8, 24 instead of 42, 0.79 of the time, N = 7,
/// 24 instead of 30, 0.95. Lanes added to as vectors, their ends masked: 0.95 and 1.17).
template <int W, int N>
constexpr bool transposes_lanes() {
  const int run = N - 1;
  int rounds = 0;
  while (1 << rounds < W) ++rounds;
  return run <= W && (run & (run - 1)) != 0 && 2 * run * (run - 1) > 3 * W * rounds;
}

/// S from entries 0 to N - 2 of all lanes. Entry N - 1 of a lane is entry 0 of the next, of the
/// last lane it is `last`.
template <class T, int W, int N, int... L>
[[gnu::always_inline]] inline void store_entries(T* s, const entry_row<T, W>* entry, T last,
                                                 std::integer_sequence<int, L...>) {
#pragma GCC unroll 16
  for (int x = 0; x < N - 1; ++x) store_row<T, W>(s + x * W, entry[x]);
  store_row<T, W>(s + (N - 1) * W, __builtin_shufflevector(entry[0], entry_row<T, W>{last},
                                                           (L == W - 1 ? W : L + 1)...));
}

/// The same from N - 1 vectors of neighbours: entries 0 to N - 2 of lane after lane.
template <class T, int W, int N>
[[gnu::always_inline]] inline void store_run(T* s, entry_row<T, W> (&run)[N - 1], T last) {
  put_together<typename touching_runs<N - 1, W>::in, W>(run);
  store_entries<T, W, N>(s, run, last, std::make_integer_sequence<int, W>{});
}

/// gather_row where the row is no line.
template <class T, int W, int N, class I>
[[gnu::noinline]] void gather_runs(T* s, const T* x, const I* map, lane_strides stride,
                                   index ahead) {
  const entry_runs<I, W, N> runs = find_runs<W, N>(map, stride);
  if (!runs.are_runs) return gather<T, W, false>(s, x, map, N, stride, W, ahead);
  fetch_line<W, N>(x, map, ahead, stride);
  entry_row<T, W> run[N - 1];
#pragma GCC unroll 16
  for (int v = 0; v < N - 1; ++v) {
    if (runs.are_neighbours(v)) {
      run[v] = load_row<T, W, false>(x + runs.place(v));
    } else {
      vec<T, W> parts(T(0));
      runs.for_each_part(
          v, [&](index place, int from, int to) __attribute__((always_inline)) {
            parts = parts + load_between<T, W>(x + place, from, to);
          });
      run[v] = (entry_row<T, W>)parts.data;
    }
  }
  store_run<T, W, N>(s, run, T(0));
  for (int w = 0; w < W; ++w) {
    if (w == W - 1 || (runs.joined >> (w + 1) & 1) == 0)
      s[(N - 1) * W + w] = runs.end[w] < 0 ? T(0) : x[runs.end[w]];
  }
}

// S[x][w] := X[map[x * stride.x + w * stride.lane]], 0 where the map has -1;  x < N, all W lanes
//   S, map, ahead as for gather
template <class T, int W, int N, class I>
void gather_row(T* s, const T* x, const I* map, lane_strides stride, index ahead) {
  const entry_line<I> line = find_line<W, N>(map, stride);
  if (!line.is_line) return gather_runs<T, W, N>(s, x, map, stride, ahead);
  fetch_line<W, N>(x, map, ahead, stride);
  const T* const from = x + line.first;
  const T last = line.end < 0 ? T(0) : x[line.end];
  const entry_row<T, W> first = line.begin < 0
                                    ? (entry_row<T, W>)load_between<T, W>(from, 1, W).data
                                    : load_row<T, W, false>(from);
  if constexpr (transposes_lanes<W, N>()) {
    static_assert(W <= 2 * (N - 1), "all lanes but the last read within the line");
    entry_row<T, W> lane[W] = {first};
#pragma GCC unroll 16
    for (int w = 1; w < W - 1; ++w) lane[w] = load_row<T, W, false>(from + w * (N - 1));
    lane[W - 1] = (entry_row<T, W>)load_between<T, W>(from + (W - 1) * (N - 1), 0, N - 1).data;
    transpose<W, 1>(lane);
    store_entries<T, W, N>(s, lane, last, std::make_integer_sequence<int, W>{});
  } else {
    entry_row<T, W> run[N - 1] = {first};
#pragma GCC unroll 16
    for (int v = 1; v < N - 1; ++v) run[v] = load_row<T, W, false>(from + v * W);
    store_run<T, W, N>(s, run, last);
  }
}

/// Calls f.operator()<V>(vector) for the N - 1 vectors of neighbours that are entries 0 to N - 2 of
/// lane after lane, entry 0 increased by `more`.
template <class T, int W, int N, class F, int... V>
[[gnu::always_inline]] inline void for_each_vector(const T* s, const entry_row<T, W>& more, F f,
                                                   std::integer_sequence<int, V...>) {
  entry_row<T, W> lane[N - 1] = {load_row<T, W, false>(s + V * W)...};
  lane[0] += more;
  put_together<typename touching_runs<N - 1, W>::out, W>(lane);
  (f.template operator()<V>(lane[V]), ...);
}

/// Entries from <= i < W of Y += those of V.
template <class T, int W>
[[gnu::always_inline]] inline void add_to(T* y, const entry_row<T, W>& v, int from, int to) {
  const vec<T, W> more((typename vec<T, W>::register_type)v);
  if (from == 0 && to == W) {
    store<T, W>(y, load<T, W>(y) + more);
  } else {
    store_between<T, W>(y, load_between<T, W>(y, from, to) + more, from, to);
  }
}

/// scatter_add_row where the row is no line.
template <class T, int W, int N, class I>
[[gnu::noinline]] void scatter_add_runs(T* y, const T* s, const I* map, lane_strides stride,
                                        index ahead) {
  const entry_runs<I, W, N> runs = find_runs<W, N>(map, stride);
  if (!runs.are_runs) return scatter_add<T, W>(y, s, map, N, stride, W, ahead);
  fetch_line<W, N>(y, map, ahead, stride);
  for_each_vector<T, W, N>(
      s, entry_row<T, W>{},
      [&]<int V>(const entry_row<T, W>& all) __attribute__((always_inline)) {
        if (runs.are_neighbours(V)) {
          add_to<T, W>(y + runs.place(V), all, 0, W);
        } else {
          runs.for_each_part(
              V, [&](index place, int from, int to)
                     __attribute__((always_inline)) { add_to<T, W>(y + place, all, from, to); });
        }
      },
      std::make_integer_sequence<int, N - 1>{});
  for (int w = 0; w < W; ++w)
    if (runs.end[w] >= 0) y[runs.end[w]] += s[(N - 1) * W + w];
}

// Y[map[x * stride.x + w * stride.lane]] += S[x][w], nothing where the map has -1;  x < N, w < W
//   S, map, ahead as for gather
// In a line the two terms of an entry at which lanes are joined are added first.
template <class T, int W, int N, class I>
void scatter_add_row(T* y, const T* s, const I* map, lane_strides stride, index ahead) {
  const entry_line<I> line = find_line<W, N>(map, stride);
  if (!line.is_line) return scatter_add_runs<T, W, N>(y, s, map, stride, ahead);
  fetch_line<W, N>(y, map, ahead, stride);
  T* const to = y + line.first;
  const auto ends = load_row<T, W, false>(s + (N - 1) * W);
  const auto joined = [&]<int... L>(std::integer_sequence<int, L...>)
      __attribute__((always_inline)) {
    return __builtin_shufflevector(ends, entry_row<T, W>{}, (L == 0 ? W : L - 1)...);
  }
  (std::make_integer_sequence<int, W>{});
  for_each_vector<T, W, N>(
      s, joined,
      [&]<int V>(const entry_row<T, W>& all) __attribute__((always_inline)) {
        if (V > 0 || line.begin >= 0) {
          add_to<T, W>(to + V * W, all, 0, W);
        } else {
          add_to<T, W>(to, all, 1, W);
        }
      },
      std::make_integer_sequence<int, N - 1>{});
  if (line.end >= 0) y[line.end] += ends[W - 1];
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
