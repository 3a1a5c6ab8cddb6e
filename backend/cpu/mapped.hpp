#pragma once

#include <tenfold/backend/cpu/transpose.hpp>

/// Entries that lie where a map says, on their way into scratch and out of it.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

// S[x][w] := conj?(X[map[x * stride.x + w * stride.lane]])  for w < count, 0 where the map has -1;
//            0 for count <= w < W;  x < n
//   S    interleaved: W neighbours per x, W = lanes<T> or 1
//   X    of any scalar that widens to T
//   map  of integers, each -1 or the place of an entry of X
// Lane by lane, because a run of the map is one of neighbours in memory, as a rule of the entries,
// too. Gather instructions lose.
template <class T, int W, bool Conjugated, class X, class I>
void gather(T* s, const X* x, const I* map, index n, lane_strides stride, int count) {
  static_assert(widens<X, T> && (is_complex_type<X> || !Conjugated));
  const X nothing(0);
  for (int l = 0; l < count; ++l) {
    const I* at = map + l * stride.lane;
    for (index i = 0; i < n; ++i, at += stride.x) {
      const X* const from = *at < 0 ? &nothing : x + *at;
      s[i * W + l] = widen<T, Conjugated>(*from);
    }
  }
  for (int l = count; l < W; ++l)
    for (index i = 0; i < n; ++i) s[i * W + l] = T(0);
}

// Y[map[x * stride.x + w * stride.lane]] += S[x][w]  for w < count, nothing where the map has -1;
//                                                   lane by lane, x by x
//   S, map as above;  Y of the scalar T
template <class T, int W, class I>
void scatter_add(T* y, const T* s, const I* map, index n, lane_strides stride, int count) {
  for (int l = 0; l < count; ++l) {
    const I* at = map + l * stride.lane;
    for (index i = 0; i < n; ++i, at += stride.x) {
      if (*at >= 0) y[*at] += s[i * W + l];
    }
  }
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
