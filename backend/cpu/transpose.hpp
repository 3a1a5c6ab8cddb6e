#pragma once

#include <cstring>
#include <tenfold/backend/cpu/simd.hpp>
#include <tenfold/backend/interface/program.hpp>
#include <utility>

/// Conversion between memory where the lanes lie a stride apart and interleaved scratch, where they
/// are neighbours. Whole blocks are transposed in registers; gather instructions lose (40 to 57 %).
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// P neighbouring entries; P is a power of two up to the native lanes.
template <class T, int P>
struct short_vec {
  typedef T type __attribute__((vector_size(P * sizeof(T))));
};

/// One butterfly of a transposition: exchanges the blocks of H entries off the diagonal of every
/// 2 H x 2 H block whose rows are `low` and `high`.
template <int H, class V, int... I>
[[gnu::always_inline]] inline void butterfly(V& low, V& high, std::integer_sequence<int, I...>) {
  constexpr int p = sizeof...(I);
  const V a = low, b = high;
  low = __builtin_shufflevector(a, b, ((I / H) % 2 == 0 ? I : p + I - H)...);
  high = __builtin_shufflevector(a, b, ((I / H) % 2 == 0 ? I + H : p + I)...);
}

/// Transposes P x P entries held in P vectors: log2(P) rounds of butterflies.
template <int P, class V, int H = 1>
[[gnu::always_inline]] inline void transpose(V (&row)[P]) {
  if constexpr (H < P) {
#pragma GCC unroll 16
    for (int i = 0; i < P; ++i)
      if ((i & H) == 0) butterfly<H>(row[i], row[i + H], std::make_integer_sequence<int, P>{});
    transpose<P, V, 2 * H>(row);
  }
}

/// Where the runs of the lanes lie: entry x of lane w is at x * x_stride + w * lane_stride.
struct lane_strides {
  index x = 1;
  index lane = 0;
};

/// S[x][w] := X[x][w] for x < P and all W lanes, x contiguous in X.
template <class T, int P>
[[gnu::always_inline]] inline void pack_block(T* s, const T* x, index lane_stride) {
  constexpr int w = lanes<T>;
  using V = typename short_vec<T, P>::type;
  for (int first = 0; first < w; first += P) {
    V row[P];
#pragma GCC unroll 16
    for (int i = 0; i < P; ++i) std::memcpy(&row[i], x + (first + i) * lane_stride, sizeof(V));
    transpose<P>(row);
#pragma GCC unroll 16
    for (int i = 0; i < P; ++i) std::memcpy(s + i * w + first, &row[i], sizeof(V));
  }
}

/// Runs shorter than a vector: blocks of P, the last of them drawn back so that it ends with the
/// run.
template <class T, int P>
[[gnu::always_inline]] inline void pack_runs(T* s, const T* x, index n, index lane_stride) {
  constexpr int w = lanes<T>;
  if (n >= P) {
    index i = 0;
    for (; i + P <= n; i += P) pack_block<T, P>(s + i * w, x + i, lane_stride);
    if (i < n) pack_block<T, P>(s + (n - P) * w, x + n - P, lane_stride);
  } else if constexpr (P > 2) {
    pack_runs<T, P / 2>(s, x, n, lane_stride);
  } else {
    for (index i = 0; i < n; ++i)
      for (int l = 0; l < w; ++l) s[i * w + l] = x[i + l * lane_stride];
  }
}

// S[x][w] := X[x * stride.x + w * stride.lane]  for w < count;  0 for count <= w < W;  x < n
//   S  interleaved: W = lanes<T> neighbours per x;  X  any strides;  count <= W
// Nothing outside the entries named is read or written.
template <class T>
void pack(T* s, const T* x, index n, lane_strides stride, int count) {
  constexpr int w = lanes<T>;
  if (stride.x == 1 && count == w) {
    pack_runs<T, w>(s, x, n, stride.lane);
    return;
  }
  for (index i = 0; i < n; ++i) {
    for (int l = 0; l < count; ++l) s[i * w + l] = x[i * stride.x + l * stride.lane];
    for (int l = count; l < w; ++l) s[i * w + l] = T(0);
  }
}

/// What unpack writes: v, alpha v, or alpha v + beta old.
enum class unpack_form : unsigned char { copy, scale, update };

/// Y := form of S for a block of P values of x, contiguous in Y, and all W lanes.
template <class T, int P, unpack_form Form>
[[gnu::always_inline]] inline void unpack_block(T* y, const T* s, index lane_stride, T alpha,
                                                T beta) {
  constexpr int w = lanes<T>;
  using V = typename short_vec<T, P>::type;
  for (int first = 0; first < w; first += P) {
    V row[P];
#pragma GCC unroll 16
    for (int i = 0; i < P; ++i) std::memcpy(&row[i], s + i * w + first, sizeof(V));
    transpose<P>(row);
#pragma GCC unroll 16
    for (int i = 0; i < P; ++i) {
      T* const to = y + (first + i) * lane_stride;
      if constexpr (Form == unpack_form::copy) {
        std::memcpy(to, &row[i], sizeof(V));
      } else if constexpr (Form == unpack_form::scale) {
        const V v = row[i] * alpha;
        std::memcpy(to, &v, sizeof(V));
      } else {
        // Entry by entry where there is no vector of this length: the same roundings everywhere.
        V old;
        std::memcpy(&old, to, sizeof(V));
        if constexpr (P == w) {
          vec<T, w> v, o;
          std::memcpy(&v, &row[i], sizeof(V));
          std::memcpy(&o, &old, sizeof(V));
          store<T, w>(to, fma(broadcast<T, w>(alpha), v, broadcast<T, w>(beta) * o));
        } else {
          for (int e = 0; e < P; ++e) to[e] = fma(alpha, row[i][e], beta * old[e]);
        }
      }
    }
  }
}

/// As pack_runs; where Y is read, no entry may be visited twice and the rest goes in smaller
/// blocks.
template <class T, int P, unpack_form Form>
[[gnu::always_inline]] inline void unpack_runs(T* y, const T* s, index n, index lane_stride,
                                               T alpha, T beta) {
  constexpr int w = lanes<T>;
  index i = 0;
  for (; i + P <= n; i += P) unpack_block<T, P, Form>(y + i, s + i * w, lane_stride, alpha, beta);
  if (i == n) return;
  if (Form != unpack_form::update && i > 0) {
    unpack_block<T, P, Form>(y + n - P, s + (n - P) * w, lane_stride, alpha, beta);
  } else if constexpr (P > 1) {
    unpack_runs<T, P / 2, Form>(y + i, s + i * w, n - i, lane_stride, alpha, beta);
  }
}

// Y[x * stride.x + w * stride.lane] := finish(S[x][w])  for w < count;  x < n
//   S  interleaved: W = lanes<T> neighbours per x;  Y  any strides;  count <= W
//   finish: overwrite  Y := S  |  update  Y := alpha S + beta Y;  beta == 0: Y is not read
// Nothing outside the entries named is read or written.
template <class T, epilogue Finish>
void unpack(T* y, const T* s, index n, lane_strides stride, int count, T alpha = 1, T beta = 0) {
  constexpr int w = lanes<T>;
  if (stride.x == 1 && count == w) {
    if constexpr (Finish == epilogue::overwrite)
      unpack_runs<T, w, unpack_form::copy>(y, s, n, stride.lane, alpha, beta);
    else if (beta == T(0))
      unpack_runs<T, w, unpack_form::scale>(y, s, n, stride.lane, alpha, beta);
    else
      unpack_runs<T, w, unpack_form::update>(y, s, n, stride.lane, alpha, beta);
    return;
  }
  for (index i = 0; i < n; ++i)
    for (int l = 0; l < count; ++l) {
      T& to = y[i * stride.x + l * stride.lane];
      const T v = s[i * w + l];
      if constexpr (Finish == epilogue::overwrite)
        to = v;
      else
        to = beta == T(0) ? alpha * v : fma(alpha, v, beta * to);
    }
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
