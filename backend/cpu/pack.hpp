#pragma once

#include <cstring>
#include <tenfold/backend/cpu/load_store.hpp>
#include <tenfold/backend/cpu/touching_runs.hpp>
#include <tenfold/backend/cpu/transpose.hpp>
#include <tenfold/backend/interface/program.hpp>
#include <tenfold/backend/interface/select.hpp>
#include <utility>

/// Conversion between memory where the lanes lie a stride apart and interleaved scratch, where they
/// are neighbours; on the way in, an operand of another scalar becomes one of the program's and a
/// conjugated one is conjugated, on the way out a result may be rounded to a lower precision. Whole
/// blocks are transposed in registers; gather instructions lose (40 to 57 %).
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Whether every X is a T: a real or complex number of no higher precision, complex only if T is.
template <class X, class T>
inline constexpr bool widens = sizeof(real<X>) <= sizeof(real<T>) &&
                               (is_complex_type<T> || !is_complex_type<X>);

/// Whether a T can be rounded to a Y: both real or both complex.
template <class T, class Y>
inline constexpr bool narrows =
    sizeof(real<Y>) <= sizeof(real<T>) && is_complex_type<T> == is_complex_type<Y>;

/// x, or its conjugate, as a T that holds it exactly.
template <class T, bool Conjugated, class X>
[[gnu::always_inline]] inline T widen(X x) {
  using R = real<T>;
  if constexpr (std::is_same_v<X, T> && !Conjugated)
    return x;
  else if constexpr (is_complex_type<X>)
    return T(R(x.real()), Conjugated ? -R(x.imag()) : R(x.imag()));
  else
    return T(R(x));
}

/// v rounded to a Y.
template <class Y, class T>
[[gnu::always_inline]] inline Y narrow(T v) {
  using R = real<Y>;
  if constexpr (is_complex_type<T>)
    return Y(static_cast<R>(v.real()), static_cast<R>(v.imag()));
  else
    return static_cast<Y>(v);
}

/// Calls f(std::type_identity<X>) for the C++ type X of a scalar.
template <class F>
[[gnu::always_inline]] inline void with_type(scalar type, const F& f) {
  switch (type) {
    case scalar::f32:
      return f(std::type_identity<float>{});
    case scalar::f64:
      return f(std::type_identity<double>{});
    case scalar::c32:
      return f(std::type_identity<std::complex<float>>{});
    case scalar::c64:
      return f(std::type_identity<std::complex<double>>{});
  }
}

/// Calls f(type of what lies there, whether it is conjugated) for an operand of scalar T or one
/// that widens to it.
template <class T, class F>
[[gnu::always_inline]] inline void with_entries(const operand_ref& ref, const F& f) {
  with_type(ref.type, [&]<class X>(std::type_identity<X> type) {
    if constexpr (widens<X, T>) {
      if constexpr (is_complex_type<X>) {
        if (ref.conjugated) return f(type, std::true_type{});
      }
      f(type, std::false_type{});
    }
  });
}

/// Whether an operand in memory is of scalar T, and not conjugated.
template <class T>
bool lies_as(const operand_ref& ref) {
  return ref.type == scalar_of<T> && !ref.conjugated;
}

/// alpha v and alpha v + beta old, with the roundings of the micro-kernels.
template <class T>
[[gnu::always_inline]] inline T scaled(T alpha, T v) {
  T y;
  store<T, 1>(&y, load<T, 1>(&alpha) * load<T, 1>(&v));
  return y;
}
template <class T>
[[gnu::always_inline]] inline T updated(T alpha, T v, T beta, T old) {
  T y;
  store<T, 1>(&y, fma(load<T, 1>(&alpha), load<T, 1>(&v), load<T, 1>(&beta) * load<T, 1>(&old)));
  return y;
}

/// (x0, x1, ...) as complex numbers: (x0, 0, x1, 0, ...).
template <class V, int... I>
[[gnu::always_inline]] inline auto with_zeros(V x, std::integer_sequence<int, I...>) {
  constexpr int p = sizeof...(I) / 2;
  return __builtin_shufflevector(x, V{}, (I % 2 == 0 ? I / 2 : p + I / 2)...);
}
/// (re, im, re, im, ...) -> (re, -im, re, -im, ...)
template <class V, int... I>
[[gnu::always_inline]] inline V conjugate_pairs(V x, std::integer_sequence<int, I...>) {
  const V minus = -x;
  return __builtin_shufflevector(x, minus, (I % 2 == 0 ? I : I + int{sizeof...(I)})...);
}

/// P neighbouring entries of X, or their conjugates, as a row of T.
template <class T, int P, bool Conjugated, class X>
[[gnu::always_inline]] inline entry_row<T, P> load_row(const X* x) {
  entry_row<T, P> row;
  if constexpr (std::is_same_v<X, T> && !Conjugated) {
    std::memcpy(&row, x, sizeof(row));
  } else {
    constexpr int numbers = is_complex_type<X> ? 2 * P : P;
    typename short_vec<real<X>, numbers>::type raw;
    std::memcpy(&raw, x, sizeof(raw));
    const auto wide = __builtin_convertvector(raw, typename short_vec<real<T>, numbers>::type);
    if constexpr (is_complex_type<T> && !is_complex_type<X>)
      row = (entry_row<T, P>)with_zeros(wide, std::make_integer_sequence<int, 2 * P>{});
    else if constexpr (Conjugated)
      row = (entry_row<T, P>)conjugate_pairs(wide, std::make_integer_sequence<int, 2 * P>{});
    else
      row = (entry_row<T, P>)wide;
  }
  return row;
}

/// Y := the P entries of T in `row`, rounded to Y.
template <class T, int P, class Y>
[[gnu::always_inline]] inline void store_row(Y* y, entry_row<T, P> row) {
  if constexpr (std::is_same_v<Y, T>) {
    std::memcpy(static_cast<void*>(y), &row, sizeof(row));
  } else {
    constexpr int numbers = is_complex_type<T> ? 2 * P : P;
    const auto wide = (typename short_vec<real<T>, numbers>::type)row;
    const auto raw = __builtin_convertvector(wide, typename short_vec<real<Y>, numbers>::type);
    std::memcpy(static_cast<void*>(y), &raw, sizeof(raw));
  }
}

/// The same past the caches, as stream() writes; y begins with a vector.
template <class T, int P>
[[gnu::always_inline]] inline void stream_row(T* y, entry_row<T, P> row) {
  using U = typename moved_unit<T>::type;
  constexpr int units = P * moved_unit<T>::count;
  if constexpr (units > 1)
    stream<U, units>(reinterpret_cast<U*>(y),
                     vec<U, units>((typename vec<U, units>::register_type)row));
  else
    store_row<T, P>(y, row);
}

/// to[i] := conj?(x[i * step]) for i < count.
template <class T, bool Conjugated, class X>
void copy_run(T* to, const X* x, index count, index step) {
  constexpr int p = block_entries<T>;
  index i = 0;
  if (step == 1)
    for (; i + p <= count; i += p) store_row<T, p>(to + i, load_row<T, p, Conjugated>(x + i));
  for (; i < count; ++i) to[i] = widen<T, Conjugated>(x[i * step]);
}

/// Where the runs of the lanes lie: entry x of lane w is at x * x_stride + w * lane_stride.
struct lane_strides {
  index x = 1;
  index lane = 0;
};

/// S[x][w] := conj?(X[x][w]) for x < P and all W lanes, x contiguous in X, lane w at x +
/// lane_at(w); entries x of S lie s_stride apart.
template <class T, int W, bool Conjugated, int P, class X, class LaneAt>
[[gnu::always_inline]] inline void pack_block_at(T* s, index s_stride, const X* x,
                                                 const LaneAt& lane_at) {
  for (int first = 0; first < W; first += P) {
    entry_row<T, P> row[P];
#pragma GCC unroll 16
    for (int i = 0; i < P; ++i) row[i] = load_row<T, P, Conjugated>(x + lane_at(first + i));
    transpose<P, moved_unit<T>::count>(row);
#pragma GCC unroll 16
    for (int i = 0; i < P; ++i) store_row<T, P>(s + i * s_stride + first, row[i]);
  }
}
/// The same for lanes a stride apart.
template <class T, int W, bool Conjugated, int P, class X>
[[gnu::always_inline]] inline void pack_block(T* s, index s_stride, const X* x, index lane_stride) {
  pack_block_at<T, W, Conjugated, P>(s, s_stride, x, [&](int w) { return w * lane_stride; });
}

/// What a copy of runs of n entries is compiled for: at least so many, the same for all long ones.
template <class T>
constexpr index least_entries(index n) {
  return n < block_entries<T> ? n : block_entries<T>;
}

/// Runs as blocks of P entries, the last of them drawn back so that it ends with the run; runs
/// shorter than that as shorter blocks. A run has at least Least entries: what it cannot need is
/// not compiled.
template <class T, int W, bool Conjugated, int P, index Least, class X>
[[gnu::always_inline]] inline void pack_runs(T* s, index s_stride, const X* x, index n,
                                             index lane_stride) {
  if (n >= P) {
#pragma GCC unroll 1
    for (index i = 0; i < n; i += P) {
      const index at = i < n - P ? i : n - P;
      pack_block<T, W, Conjugated, P>(s + at * s_stride, s_stride, x + at, lane_stride);
    }
  } else if constexpr (P > 2 && Least < P) {
    pack_runs<T, W, Conjugated, P / 2, Least>(s, s_stride, x, n, lane_stride);
  } else if constexpr (Least < P) {
    for (index i = 0; i < n; ++i)
      for (int l = 0; l < W; ++l)
        s[i * s_stride + l] = widen<T, Conjugated>(x[i + l * lane_stride]);
  }
}

/// To[k * to_stride ...] := the vectors that Where puts together from those at from_stride.
template <class T, int W, int N, class Where>
[[gnu::always_inline]] inline void move_touching(T* to, index to_stride, const T* from,
                                                 index from_stride) {
  entry_row<T, W> run[N];
#pragma GCC unroll 16
  for (int i = 0; i < N; ++i) run[i] = load_row<T, W, false>(from + i * from_stride);
  put_together<Where, W>(run);
#pragma GCC unroll 16
  for (int i = 0; i < N; ++i) store_row<T, W>(to + i * to_stride, run[i]);
}

/// One vector of lanes of pack; entries x of S lie s_stride apart.
template <class T, int W, bool Conjugated, index Least, class X>
[[gnu::noinline]] void pack_vector(T* s, index s_stride, const X* x, index n, lane_strides stride,
                                   int count) {
  if constexpr (W > 1) {
    constexpr int p = block_entries<T>;
    if (stride.x == 1 && count == W) {
      return pack_runs<T, W, Conjugated, p, Least>(s, s_stride, x, n, stride.lane);
    }
    // Lanes that are neighbours already come here only to be converted.
    if constexpr (Conjugated || !std::is_same_v<X, T>) {
      if (stride.lane == 1 && count == W) {
        for (index i = 0; i < n; ++i)
          for (int l = 0; l < W; l += p)
            store_row<T, p>(s + i * s_stride + l, load_row<T, p, Conjugated>(x + i * stride.x + l));
        return;
      }
    }
  }
  for (index i = 0; i < n; ++i) {
#ifdef __clang__  // which would make 4 KB of code of what only a last tile runs
#pragma clang loop vectorize(disable) unroll(disable)
#endif
    for (int l = 0; l < W; ++l)
      s[i * s_stride + l] =
          l < count ? widen<T, Conjugated>(x[i * stride.x + l * stride.lane]) : T(0);
  }
}

// S[x][v][w] := conj?(X[x * stride.x + (v * W + w) * stride.lane])  for w < count;
//               0 for count <= w < W;  x < n, v < vectors
//   S  interleaved: W neighbours per x and v, W = lanes<T> or 1
//   X  of any scalar that widens to T, any strides;  count <= W, = W if there are more vectors
// Nothing outside the entries named is read or written.
template <class T, int W = lanes<T>, bool Conjugated = false, index Least = 0, class X>
void pack(T* s, const X* x, index n, lane_strides stride, int count, int vectors = 1) {
  static_assert(widens<X, T> && (is_complex_type<X> || !Conjugated));
  for (int v = 0; v < vectors; ++v)
    pack_vector<T, W, Conjugated, Least>(s + v * W, index{W} * vectors, x + v * W * stride.lane, n,
                                         stride, count);
}

/// What unpack writes: v, alpha v, or alpha v + beta old.
enum class unpack_form : unsigned char { copy, scale, update };

/// Y := form of S for a block of P values of x, contiguous in Y, and all W lanes.
template <class T, int W, int P, unpack_form Form, class Y>
[[gnu::always_inline]] inline void unpack_block(Y* y, const T* s, index s_stride, index lane_stride,
                                                T alpha, T beta) {
  using V = entry_row<T, P>;
  for (int first = 0; first < W; first += P) {
    V row[P];
#pragma GCC unroll 16
    for (int i = 0; i < P; ++i) row[i] = load_row<T, P, false>(s + i * s_stride + first);
    transpose<P, moved_unit<T>::count>(row);
#pragma GCC unroll 16
    for (int i = 0; i < P; ++i) {
      Y* const to = y + (first + i) * lane_stride;
      if constexpr (Form == unpack_form::copy) {
        store_row<T, P>(to, row[i]);
      } else if constexpr (Form == unpack_form::scale && !is_complex_type<T>) {
        store_row<T, P>(to, row[i] * alpha);
      } else if constexpr (P == W && std::is_same_v<Y, T> && !is_complex_type<T>) {
        vec<T, W> v;
        std::memcpy(&v, &row[i], sizeof(V));
        const vec<T, W> o = load<T, W>(to);
        store<T, W>(to, fma(broadcast<T, W>(alpha), v, broadcast<T, W>(beta) * o));
      } else {
        // Entry by entry where there is no vector of this length: the same roundings everywhere.
        T v[P];
        std::memcpy(static_cast<void*>(v), &row[i], sizeof(V));
        for (int e = 0; e < P; ++e)
          to[e] = narrow<Y>(Form == unpack_form::scale
                                ? scaled(alpha, v[e])
                                : updated(alpha, v[e], beta, widen<T, false>(to[e])));
      }
    }
  }
}

/// As pack_runs; where Y is read, no entry may be visited twice and the rest goes in smaller
/// blocks.
template <class T, int W, int P, unpack_form Form, index Least, class Y>
[[gnu::always_inline]] inline void unpack_runs(Y* y, const T* s, index s_stride, index n,
                                               index lane_stride, T alpha, T beta) {
  if constexpr (Form == unpack_form::update) {
    index i = 0;
#pragma GCC unroll 1
    for (; i + P <= n; i += P)
      unpack_block<T, W, P, Form>(y + i, s + i * s_stride, s_stride, lane_stride, alpha, beta);
    if constexpr (P > 1)
      if (i < n)
        unpack_runs<T, W, P / 2, Form, 0>(y + i, s + i * s_stride, s_stride, n - i, lane_stride,
                                          alpha, beta);
  } else if (n >= P) {
#pragma GCC unroll 1
    for (index i = 0; i < n; i += P) {
      const index at = i < n - P ? i : n - P;
      unpack_block<T, W, P, Form>(y + at, s + at * s_stride, s_stride, lane_stride, alpha, beta);
    }
  } else if constexpr (P > 1 && Least < P) {
    unpack_runs<T, W, P / 2, Form, Least>(y, s, s_stride, n, lane_stride, alpha, beta);
  }
}

/// One vector of lanes of unpack; entries x of S lie s_stride apart.
template <class T, epilogue Finish, int W, index Least, class Y>
[[gnu::noinline]] void unpack_vector(Y* y, const T* s, index s_stride, index n, lane_strides stride,
                                     int count, T alpha, T beta) {
  if constexpr (W > 1) {
    constexpr int p = block_entries<T>;
    if (stride.x == 1 && count == W) {
      if constexpr (Finish == epilogue::overwrite)
        unpack_runs<T, W, p, unpack_form::copy, Least>(y, s, s_stride, n, stride.lane, alpha, beta);
      else if (beta == T(0))
        unpack_runs<T, W, p, unpack_form::scale, Least>(y, s, s_stride, n, stride.lane, alpha,
                                                        beta);
      else
        unpack_runs<T, W, p, unpack_form::update, Least>(y, s, s_stride, n, stride.lane, alpha,
                                                         beta);
      return;
    }
    if constexpr (Finish == epilogue::overwrite && !std::is_same_v<Y, T>) {
      if (stride.lane == 1 && count == W) {
        for (index i = 0; i < n; ++i)
          for (int l = 0; l < W; l += p)
            store_row<T, p>(y + i * stride.x + l, load_row<T, p, false>(s + i * s_stride + l));
        return;
      }
    }
  }
  for (index i = 0; i < n; ++i) {
#ifdef __clang__  // as in pack_vector
#pragma clang loop vectorize(disable) unroll(disable)
#endif
    for (int l = 0; l < count; ++l) {
      Y& to = y[i * stride.x + l * stride.lane];
      const T v = s[i * s_stride + l];
      if constexpr (Finish == epilogue::overwrite)
        to = narrow<Y>(v);
      else
        to = narrow<Y>(beta == T(0) ? scaled(alpha, v)
                                    : updated(alpha, v, beta, widen<T, false>(to)));
    }
  }
}

// Y[x * stride.x + (v * W + w) * stride.lane] := finish(S[x][v][w])  for w < count;  x < n
//   S  interleaved: W neighbours per x and v < vectors, W = lanes<T> or 1
//   Y  of the scalar T or, rounded once at the end, of its kind in lower precision; any strides;
//      count <= W, = W if there are more vectors
//   finish: overwrite  Y := S  |  update  Y := alpha S + beta Y;  beta == 0: Y is not read
// Nothing outside the entries named is read or written.
template <class T, epilogue Finish, int W = lanes<T>, index Least = 0, class Y>
void unpack(Y* y, const T* s, index n, lane_strides stride, int count, T alpha = T(1),
            T beta = T(0), int vectors = 1) {
  static_assert(narrows<T, Y>);
  if constexpr (Finish == epilogue::update && is_complex_type<T>) {
    // As the micro-kernels do: a product with 1 + 0 i does not keep every bit.
    if (alpha == T(1) && beta == T(0))
      return unpack<T, epilogue::overwrite, W, Least>(y, s, n, stride, count, alpha, beta, vectors);
  }
  for (int v = 0; v < vectors; ++v)
    unpack_vector<T, Finish, W, Least>(y + v * W * stride.lane, s + v * W, index{W} * vectors, n,
                                       stride, count, alpha, beta);
}

/// Whether the runs of a copy of entries of X in memory and T in scratch touch, and are moved a
/// whole vector at a time: all lanes, nothing converted on the way.
template <class T, int W, class X>
[[gnu::always_inline]] constexpr bool moves_touching(index n, lane_strides stride, bool converts) {
  return std::is_same_v<X, T> && W == block_entries<T> && !converts && stride.x == 1 &&
         select::runs_touch(n, stride.lane, W, scalar_of<T>);
}
/// pack and unpack, which overwrites, of such runs of N entries.
template <class T, int W, int N>
void pack_touching(T* s, const T* x, int vectors) {
  for (int v = 0; v < vectors; ++v)
    move_touching<T, W, N, typename touching_runs<N, W>::in>(s + v * W, index{W} * vectors,
                                                             x + v * N * W, W);
}
template <class T, int W, int N>
void unpack_touching(T* y, const T* s, int vectors) {
  for (int v = 0; v < vectors; ++v)
    move_touching<T, W, N, typename touching_runs<N, W>::out>(y + v * N * W, W, s + v * W,
                                                              index{W} * vectors);
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
