// Copyright The Tenfold authors. Boost Software License 1.0 (see LICENSE).
/// The hand-written mass operator, the peer `hand`:
///
///   v(l,m,n) = sum_{q,r,s} B(q,l) B(r,m) B(s,n) D(q,r,s) sum_{i,j,k} B(q,i) B(r,j) B(s,k) u(i,j,k)      for each element, P nodes and Q points per direction
///
/// by sum factorization, W elements at a time in the lanes of the vectors. Two storages of the elements:
///
///   interleaved     u [blocks][P][P][P][W],  D [blocks][Q][Q][Q][W],  v as u
///   element-major   u [elements][P][P][P],   D [elements][Q][Q][Q],   v as u; transposed in registers on the way in and out; elements a multiple of W
///
/// Order of the work, per block: slab by slab of i, the contractions over k and j (everything in L1); then, line by line of (r,s), the contraction over i, the
/// scaling by D and the first projection in registers and in place; then, slab by slab of l, the projections of r and s. Only u and D are read, only v is written
/// outside a scratch of P Q^2 vectors. 2 (Q P^3 + Q^2 P^2 + Q^3 P) multiply-adds and Q^3 multiplications.
#pragma once

#include "hand_vector.hpp"

namespace tenfold::bench {

/// How many vectors a register tile takes at once, in the way up, the way down and the fused line. 1 lets the broadcast of the table be the memory operand of the
/// multiply-add; more saves loads.
struct tile_widths {
  int up, down, line;
};

/// As many as the registers hold: `rows` accumulators and one loaded vector for each column, six registers spare.
constexpr int widest(int rows) {
  const int columns = (vector_registers - 6) / (rows + 1);
  return columns < 1 ? 1 : columns;
}

template <int P, int Q>
inline constexpr tile_widths wide_tiles{widest(Q), widest(P), widest(P + Q)};
template <int P, int Q>
inline constexpr tile_widths lean_tiles{1, widest(P) < 2 ? 1 : 2, 1};

/// y(m, n) = sum_k a(m, k) x(k, n) for R vectors n.
/// Steps in vectors: XK and XN of x, YM and YN of y; in entries: AM and AK of the table. `ahead`: distance in entries to what is prefetched beside x (0: nothing).
template <class T, int M, int K, int R, int AM, int AK, int XK, int XN, int YM, int YN, bool Ahead, bool Streaming>
[[gnu::always_inline]] inline void multiply_tile(const T* a, const T* x, T* y, std::ptrdiff_t ahead) {
  constexpr int W = lanes<T>;
  a = launder(a);
  vec<T> sum[M * R];
  unroll<K>([&](auto k) __attribute__((always_inline)) {
    vec<T> column[R];
    unroll<R>([&](auto n) __attribute__((always_inline)) {
      column[n] = vec<T>::load_aligned(x + (k * XK + n * XN) * W);
      if constexpr (Ahead) prefetch(x + ahead + (k * XK + n * XN) * W);
      pin(column[n]);
    });
    unroll<M>([&](auto m) __attribute__((always_inline)) {
      const vec<T> factor(a[m * AM + k * AK]);
      unroll<R>([&](auto n) __attribute__((always_inline)) {
        vec<T>& s = sum[m * R + n];
        s = k == 0 ? factor * column[n] : multiply_add(factor, column[n], s);
      });
    });
  });
  unroll<M>([&](auto m) __attribute__((always_inline)) {
    unroll<R>([&](auto n) __attribute__((always_inline)) { store<Streaming>(sum[m * R + n], y + (m * YM + n * YN) * W); });
  });
}

/// The same for N vectors, at most R at a time, in parts as equal as can be.
template <class T, int N, int M, int K, int R, int AM, int AK, int XK, int XN, int YM, int YN, bool Ahead = false, bool Streaming = false>
[[gnu::always_inline]] inline void multiply(const T* a, const T* x, T* y, std::ptrdiff_t ahead = 0) {
  constexpr int W = lanes<T>;
  constexpr int parts = (N + R - 1) / R;
  constexpr int less = N / parts;
  constexpr int larger_parts = N % parts;
  if constexpr (larger_parts > 0) {
    for (int part = 0; part < larger_parts; ++part) {
      multiply_tile<T, M, K, less + 1, AM, AK, XK, XN, YM, YN, Ahead, Streaming>(a, x, y, ahead);
      x += (less + 1) * XN * W;
      y += (less + 1) * YN * W;
    }
  }
  for (int part = larger_parts; part < parts; ++part) {
    multiply_tile<T, M, K, less, AM, AK, XK, XN, YM, YN, Ahead, Streaming>(a, x, y, ahead);
    x += less * XN * W;
    y += less * YN * W;
  }
}

/// t(l, n) := sum_q B(q, l) d(q, n) sum_i B(q, i) t(i, n) for R vectors n: interpolation, scaling and projection of a line without leaving the registers.
/// Steps in vectors: TI of t (n is contiguous), DQ of d (n is contiguous).
template <class T, int P, int Q, int R, int TI, int DQ, bool Ahead>
[[gnu::always_inline]] inline void scale_tile(const T* b, const T* d, T* t, std::ptrdiff_t ahead) {
  constexpr int W = lanes<T>;
  vec<T> point[Q * R], node[P * R];
  b = launder(b);
  unroll<P>([&](auto i) __attribute__((always_inline)) {
    vec<T> column[R];
    unroll<R>([&](auto n) __attribute__((always_inline)) {
      column[n] = vec<T>::load_aligned(t + (i * TI + n) * W);
      pin(column[n]);
    });
    unroll<Q>([&](auto q) __attribute__((always_inline)) {
      const vec<T> factor(b[q * P + i]);
      unroll<R>([&](auto n) __attribute__((always_inline)) {
        vec<T>& s = point[q * R + n];
        s = i == 0 ? factor * column[n] : multiply_add(factor, column[n], s);
      });
    });
  });
  b = launder(b);
  unroll<Q>([&](auto q) __attribute__((always_inline)) {
    unroll<R>([&](auto n) __attribute__((always_inline)) {
      const T* weight = d + (q * DQ + n) * W;
      point[q * R + n] *= vec<T>::load_aligned(weight);
      if constexpr (Ahead) prefetch(weight + ahead);
      pin(point[q * R + n]);
    });
    unroll<P>([&](auto l) __attribute__((always_inline)) {
      const vec<T> factor(b[q * P + l]);
      unroll<R>([&](auto n) __attribute__((always_inline)) {
        vec<T>& s = node[l * R + n];
        s = q == 0 ? factor * point[q * R + n] : multiply_add(factor, point[q * R + n], s);
      });
    });
  });
  unroll<P>([&](auto l) __attribute__((always_inline)) {
    unroll<R>([&](auto n) __attribute__((always_inline)) { node[l * R + n].store_aligned(t + (l * TI + n) * W); });
  });
}

/// The same for `count` vectors.
template <class T, int P, int Q, int R, int TI, int DQ, bool Ahead = false>
[[gnu::always_inline]] inline void scale(int count, const T* b, const T* d, T* t, std::ptrdiff_t ahead = 0) {
  constexpr int W = lanes<T>;
  int n = 0;
  for (; n + R <= count; n += R) scale_tile<T, P, Q, R, TI, DQ, Ahead>(b, d + n * W, t + n * W, ahead);
  if constexpr (R > 1) {
    for (; n < count; ++n) scale_tile<T, P, Q, 1, TI, DQ, Ahead>(b, d + n * W, t + n * W, ahead);
  }
}

/// Entries first .. first + W - 1 of W consecutive elements of N entries each, as W interleaved vectors at `to`.
template <class T>
[[gnu::always_inline]] inline void interleave(const T* from, std::ptrdiff_t entries, T* to) {
  constexpr int W = lanes<T>;
  vec<T> square[W];
  unroll<W>([&](auto e) __attribute__((always_inline)) { square[e] = vec<T>::load_unaligned(from + e * entries); });
  transpose<T>(square);
  unroll<W>([&](auto n) __attribute__((always_inline)) { square[n].store_aligned(to + n * W); });
}

/// The way back.
template <class T>
[[gnu::always_inline]] inline void deinterleave(const T* from, T* to, std::ptrdiff_t entries) {
  constexpr int W = lanes<T>;
  vec<T> square[W];
  unroll<W>([&](auto n) __attribute__((always_inline)) { square[n] = vec<T>::load_aligned(from + n * W); });
  transpose<T>(square);
  unroll<W>([&](auto e) __attribute__((always_inline)) { square[e].store_unaligned(to + e * entries); });
}

template <class T, int P, int Q, tile_widths Tiles>
struct hand_mass {
  static constexpr int W = lanes<T>;
  static constexpr int nodes = P * P * P;
  static constexpr int points = Q * Q * Q;

  /// Blocks of W elements. Streaming: v bypasses the caches and the inputs of a later block are prefetched beside those in use.
  template <bool Streaming>
  static void interleaved(const T* b, const T* u, const T* d, T* v, std::ptrdiff_t blocks) {
    alignas(64) T t[P * Q * Q * W];
    alignas(64) T s[P * Q * W];
    constexpr std::ptrdiff_t later = 1 + 16384 / ((nodes + points) * W * static_cast<std::ptrdiff_t>(sizeof(T)));
    for (std::ptrdiff_t block = 0; block < blocks; ++block) {
      const bool last = block + later >= blocks;
      const std::ptrdiff_t u_ahead = last ? 0 : later * nodes * W;
      const std::ptrdiff_t d_ahead = last ? 0 : later * points * W;
      for (int i = 0; i < P; ++i) {
        multiply<T, P, Q, P, Tiles.up, P, 1, 1, P, 1, Q, Streaming>(b, u + i * P * P * W, s, u_ahead);
        multiply<T, Q, Q, P, Tiles.up, P, 1, Q, 1, Q, 1>(b, s, t + i * Q * Q * W);
      }
      scale<T, P, Q, Tiles.line, Q * Q, Q * Q, Streaming>(Q * Q, b, d, t, d_ahead);
      for (int l = 0; l < P; ++l) {
        multiply<T, Q, P, Q, Tiles.down, 1, P, Q, 1, Q, 1>(b, t + l * Q * Q * W, s);
        multiply<T, P, P, Q, Tiles.down, 1, P, 1, Q, 1, P, false, Streaming>(b, s, v + l * P * P * W);
      }
      u += nodes * W;
      d += points * W;
      v += nodes * W;
    }
  }

  /// Groups of W elements, one after the other in memory.
  static void element_major(const T* b, const T* u, const T* d, T* v, std::ptrdiff_t elements) {
    static_assert(nodes >= W && Q * Q >= W, "a transposed square must lie inside an element");
    alignas(64) T t[P * Q * Q * W];
    alignas(64) T s[P * Q * W];
    alignas(64) T x[nodes * W];
    alignas(64) T weights[Q * W * W];
    for (std::ptrdiff_t group = 0; group + W <= elements; group += W) {
      // The last square of an element starts early enough to end with it: a few entries come twice.
      int ready = 0;
      for (int i = 0; i < P; ++i) {
        for (; ready < (i + 1) * P * P; ready += W) {
          const int first = ready + W <= nodes ? ready : nodes - W;
          interleave(u + first, nodes, x + first * W);
        }
        multiply<T, P, Q, P, Tiles.up, P, 1, 1, P, 1, Q>(b, x + i * P * P * W, s);
        multiply<T, Q, Q, P, Tiles.up, P, 1, Q, 1, Q, 1>(b, s, t + i * Q * Q * W);
      }
      for (int n = 0; n < Q * Q; n += W) {
        const int first = n + W <= Q * Q ? n : Q * Q - W;
        for (int q = 0; q < Q; ++q) interleave(d + q * Q * Q + first, points, weights + q * W * W);
        scale<T, P, Q, Tiles.line, Q * Q, W>(first + W - n, b, weights + (n - first) * W, t + n * W);
      }
      int done = 0;
      for (int l = 0; l < P; ++l) {
        multiply<T, Q, P, Q, Tiles.down, 1, P, Q, 1, Q, 1>(b, t + l * Q * Q * W, s);
        multiply<T, P, P, Q, Tiles.down, 1, P, 1, Q, 1, P>(b, s, x + l * P * P * W);
        for (; done + W <= (l + 1) * P * P; done += W) deinterleave(x + done * W, v + done, nodes);
      }
      if (done < nodes) deinterleave(x + (nodes - W) * W, v + nodes - W, nodes);
      u += nodes * W;
      d += points * W;
      v += nodes * W;
    }
  }
};

}  // namespace tenfold::bench
