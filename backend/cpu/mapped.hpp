#pragma once

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
void gather(T* s, const X* x, const I* map, index n, lane_strides stride, int count,
            [[maybe_unused]] index ahead) {
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
void scatter_add(T* y, const T* s, const I* map, index n, lane_strides stride, int count,
                 [[maybe_unused]] index ahead) {
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

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
