#pragma once

#include "common/hand_vector.hpp"

/// The hand-written mass operator, the peer `hand`:
///
///   v(l,m,n) = sum_{q,r,s} B(q,l) B(r,m) B(s,n) D(q,r,s) sum_{i,j,k} B(q,i) B(r,j) B(s,k) u(i,j,k)
///   for each element, P nodes and Q points per direction
///
/// by sum factorization, W elements at a time in the lanes of the vectors. Two storages of the
/// elements:
///
///   interleaved     u [blocks][P][P][P][W],  D [blocks][Q][Q][Q][W],  v as u
///   element-major   u [elements][P][P][P],   D [elements][Q][Q][Q],   v as u; transposed in
///   registers on the way in and out; elements a multiple of W
///
/// Order of the work, per block: slab by slab of i, the contractions over k and j (everything in
/// L1); then, line by line of (r,s), the contraction over i, the scaling by D and the first
/// projection in registers and in place; then, slab by slab of l, the projections of r and s. Only
/// u and D are read, only v is written outside a scratch of P Q^2 vectors. 2 (Q P^3 + Q^2 P^2 + Q^3
/// P) multiply-adds and Q^3 multiplications.

namespace tenfold::bench {

/// How many vectors a register tile takes at once: on the way up, in the fused line, on the way
/// down.
struct tile_widths {
  int up, line, down;
};

/// As many vectors as the registers hold: `rows` accumulators and one loaded vector for each, six
/// registers spare.
constexpr int widest(int rows) {
  const int vectors = (vector_registers - 6) / (rows + 1);
  return vectors < 1 ? 1 : vectors;
}

/// Wide tiles save loads of the table where it is small. From P = 5 two vectors: each broadcast
/// serves both, and what the line spills costs less (Zen 5, both compilers: 1.10 times the rate of
/// one vector on the way up and in the line). On Zen 4 one vector was ahead of as many as the
/// registers hold by 0 to 10 %; two were not measured there.
template <int P, int Q>
inline constexpr tile_widths best_tiles =
    P <= 4 ? tile_widths{widest(Q), widest(P + Q), widest(P)} : tile_widths{2, 2, 2};

template <int N>
using count = std::make_integer_sequence<int, N>;

// The parts of a tile are folds over packs, without a lambda per entry: half the compile time.

/// x(n) := from(n), vectors Step apart, kept in registers.
template <int Step, bool Ahead, class T, int... N>
[[gnu::always_inline]] inline void load(const T* from, std::ptrdiff_t ahead, vec<T>* x,
                                        std::integer_sequence<int, N...>) {
  if constexpr (Ahead) (prefetch(from + ahead + N * Step * lanes<T>), ...);
  ((x[N] = vec<T>::load_aligned(from + N * Step * lanes<T>)), ...);
  (pin(x[N]), ...);
}

/// x(n) := x(n) w(n)
template <class T, int... N>
[[gnu::always_inline]] inline void weigh(vec<T>* x, const vec<T>* w,
                                         std::integer_sequence<int, N...>) {
  ((x[N] *= w[N]), ...);
  (pin(x[N]), ...);
}

/// sum(m, n) += a(m) x(n), or = when First: m = I / R, n = I % R; the entries of a are Step apart.
template <bool First, int R, int Step, class T, int... I>
[[gnu::always_inline]] inline void add_product(const T* a, const vec<T>* x, vec<T>* sum,
                                               std::integer_sequence<int, I...>) {
  if constexpr (First) {
    ((sum[I] = vec<T>(a[I / R * Step]) * x[I % R]), ...);
  } else {
    ((sum[I] = multiply_add(vec<T>(a[I / R * Step]), x[I % R], sum[I])), ...);
  }
}

/// y(m, n) := sum(m, n), vectors YM and YN apart.
template <bool Streaming, int R, int YM, int YN, class T, int... I>
[[gnu::always_inline]] inline void store(const vec<T>* sum, T* y,
                                         std::integer_sequence<int, I...>) {
  (store<Streaming>(sum[I], y + (I / R * YM + I % R * YN) * lanes<T>), ...);
}

/// sum(m, n) := sum_k a(m, k) x(k, n) for M rows and R vectors n.
/// Steps in vectors: XK and XN of x; in entries: AM and AK of the table. `ahead`: distance in
/// entries to what is prefetched beside x.
template <int M, int R, int AM, int AK, int XK, int XN, bool Ahead, class T, int... K>
[[gnu::always_inline]] inline void contract(const T* a, const T* x, std::ptrdiff_t ahead,
                                            vec<T>* sum, std::integer_sequence<int, K...>) {
  vec<T> column[R];
  ((load<XN, Ahead>(x + K * XK * lanes<T>, ahead, column, count<R>{}),
    add_product<K == 0, R, AM>(a + K * AK, column, sum, count<M * R>{})),
   ...);
}

/// y(m, n) := sum_k a(m, k) x(k, n) for R vectors n; steps as above.
template <class T, int M, int K, int R, int AM, int AK, int XK, int XN, int YM, int YN, bool Ahead,
          bool Streaming>
[[gnu::always_inline]] inline void multiply_tile(const T* a, const T* x, T* y,
                                                 std::ptrdiff_t ahead) {
  vec<T> sum[M * R];
  contract<M, R, AM, AK, XK, XN, Ahead>(launder(a), x, ahead, sum, count<K>{});
  store<Streaming, R, YM, YN>(sum, y, count<M * R>{});
}

/// The same for N vectors, at most R at a time, in parts as equal as can be.
template <class T, int N, int M, int K, int R, int AM, int AK, int XK, int XN, int YM, int YN,
          bool Ahead = false, bool Streaming = false>
[[gnu::always_inline]] inline void multiply(const T* a, const T* x, T* y,
                                            std::ptrdiff_t ahead = 0) {
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

/// node(l, n) := sum_q b(q, l) d(q, n) point(q, n); DQ: the step of d in vectors. The points are
/// scaled in place.
template <int P, int R, int DQ, bool Ahead, class T, int... Q>
[[gnu::always_inline]] inline void scale_and_project(const T* b, const T* d, std::ptrdiff_t ahead,
                                                     vec<T>* point, vec<T>* node,
                                                     std::integer_sequence<int, Q...>) {
  vec<T> weight[R];
  ((load<1, Ahead>(d + Q * DQ * lanes<T>, ahead, weight, count<R>{}),
    weigh(point + Q * R, weight, count<R>{}),
    add_product<Q == 0, R, 1>(b + Q * P, point + Q * R, node, count<P * R>{})),
   ...);
}

/// t(l, n) := sum_q b(q, l) d(q, n) sum_i b(q, i) t(i, n) for R vectors n: interpolation, scaling
/// and projection of a line without leaving the registers. Steps in vectors: TI of t, DQ of d; n is
/// contiguous in both.
template <class T, int P, int Q, int R, int TI, int DQ, bool Ahead>
[[gnu::always_inline]] inline void scale_tile(const T* b, const T* d, T* t, std::ptrdiff_t ahead) {
  vec<T> point[Q * R];
  vec<T> node[P * R];
  contract<Q, R, P, 1, TI, 1, false>(launder(b), t, 0, point, count<P>{});
  scale_and_project<P, R, DQ, Ahead>(launder(b), d, ahead, point, node, count<Q>{});
  store<false, R, TI, 1>(node, t, count<P * R>{});
}

/// The same for all of the vectors.
template <class T, int P, int Q, int R, int TI, int DQ, bool Ahead = false>
[[gnu::always_inline]] inline void scale(int vectors, const T* b, const T* d, T* t,
                                         std::ptrdiff_t ahead = 0) {
  constexpr int W = lanes<T>;
  int n = 0;
  for (; n + R <= vectors; n += R)
    scale_tile<T, P, Q, R, TI, DQ, Ahead>(b, d + n * W, t + n * W, ahead);
  if constexpr (R > 1) {
    for (; n < vectors; ++n) scale_tile<T, P, Q, 1, TI, DQ, Ahead>(b, d + n * W, t + n * W, ahead);
  }
}

template <class T, int P, int Q, tile_widths Tiles = best_tiles<P, Q>>
class hand_mass {
  static constexpr int W = lanes<T>;
  static constexpr int nodes = P * P * P;
  static constexpr int points = Q * Q * Q;

 public:
  /// Blocks of W elements. Streaming: v bypasses the caches and the inputs of a later block are
  /// prefetched beside those in use.
  template <bool Streaming>
  static void interleaved(const T* b, const T* u, const T* d, T* v, std::ptrdiff_t blocks) {
    alignas(64) T t[P * Q * Q * W];
    alignas(64) T s[P * Q * W];
    for (std::ptrdiff_t block = 0; block < blocks; ++block) {
      const bool last = block + later >= blocks;
      const std::ptrdiff_t u_ahead = last ? 0 : later * nodes * W;
      const std::ptrdiff_t d_ahead = last ? 0 : later * points * W;
      for (int i = 0; i < P; ++i) {
        multiply<T, P, Q, P, Tiles.up, P, 1, 1, P, 1, Q, Streaming>(b, u + i * P * P * W, s,
                                                                    u_ahead);
        multiply<T, Q, Q, P, Tiles.up, P, 1, Q, 1, Q, 1>(b, s, t + i * Q * Q * W);
      }
      scale<T, P, Q, Tiles.line, Q * Q, Q * Q, Streaming>(Q * Q, b, d, t, d_ahead);
      for (int l = 0; l < P; ++l) {
        multiply<T, Q, P, Q, Tiles.down, 1, P, Q, 1, Q, 1>(b, t + l * Q * Q * W, s);
        multiply<T, P, P, Q, Tiles.down, 1, P, 1, Q, 1, P, false, Streaming>(b, s,
                                                                             v + l * P * P * W);
      }
      u += nodes * W;
      d += points * W;
      v += nodes * W;
    }
  }

  /// Groups of W elements, one after the other in memory. Streaming: D is transposed as a whole.
  template <bool Streaming>
  static void element_major(const T* b, const T* u, const T* d, T* v, std::ptrdiff_t elements) {
    static_assert(nodes >= W && Q * Q >= W, "a transposed square must lie inside an element");
    constexpr bool whole = Streaming || points * W * sizeof(T) <= 24 << 10;
    alignas(64) T t[P * Q * Q * W];
    alignas(64) T s[P * Q * W];
    alignas(64) T x[nodes * W];
    alignas(64) T weights[whole ? points * W : Q * W * W];
    for (std::ptrdiff_t group = 0; group + W <= elements; group += W) {
      // The last square of an element starts early enough to end with it: a few entries come twice.
      int ready = 0;
      for (int i = 0; i < P; ++i) {
        for (; ready < (i + 1) * P * P; ready += W) {
          const int first = ready + W <= nodes ? ready : nodes - W;
          transpose(u + first, nodes, x + first * W, W);
        }
        multiply<T, P, Q, P, Tiles.up, P, 1, 1, P, 1, Q>(b, x + i * P * P * W, s);
        multiply<T, Q, Q, P, Tiles.up, P, 1, Q, 1, Q, 1>(b, s, t + i * Q * Q * W);
      }
      // From memory D is one stream per element: line by line there would be Q, and a software
      // prefetch does not make up for it (measured: nothing gained, with or without).
      if constexpr (whole) {
        for (int n = 0; n < points; n += W) {
          const int first = n + W <= points ? n : points - W;
          transpose(d + first, points, weights + first * W, W);
        }
        scale<T, P, Q, Tiles.line, Q * Q, Q * Q>(Q * Q, b, weights, t);
      } else {
        for (int n = 0; n < Q * Q; n += W) {
          const int first = n + W <= Q * Q ? n : Q * Q - W;
          for (int q = 0; q < Q; ++q) {
            transpose(d + q * Q * Q + first, points, weights + q * W * W, W);
          }
          scale<T, P, Q, Tiles.line, Q * Q, W>(first + W - n, b, weights + (n - first) * W,
                                               t + n * W);
        }
      }
      int done = 0;
      for (int l = 0; l < P; ++l) {
        multiply<T, Q, P, Q, Tiles.down, 1, P, Q, 1, Q, 1>(b, t + l * Q * Q * W, s);
        multiply<T, P, P, Q, Tiles.down, 1, P, 1, Q, 1, P>(b, s, x + l * P * P * W);
        for (; done + W <= (l + 1) * P * P; done += W) {
          transpose(x + done * W, W, v + done, nodes);
        }
      }
      if (done < nodes) transpose(x + (nodes - W) * W, W, v + nodes - W, nodes);
      u += nodes * W;
      d += points * W;
      v += nodes * W;
    }
  }

 private:
  /// How many blocks ahead the inputs are prefetched: one, or as many as fit in half of L1.
  static constexpr std::ptrdiff_t later =
      1 + 16384 / ((nodes + points) * W * static_cast<std::ptrdiff_t>(sizeof(T)));
};

}  // namespace tenfold::bench
