#pragma once

#include "common/eigen.hpp"
#include "common/hand_vector.hpp"
#include "gemm/static_products.hpp"

// g++ 12 warns of its own AVX-512 headers when Eigen's products are inlined.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace tenfold::bench {

/// The call that a user writes who knows the sizes.
template <class T, storage S, bool SharedA, int M, int N, int K>
void tenfold_product(const gemm_batch<T>& x) {
  if constexpr (S == storage::interleaved) {
    constexpr index W = simd_block<T>;
    const interleaved_view<const T, W, M, K> A(x.a, x.count);
    const interleaved_view<const T, W, K, N> B(x.b, x.count);
    const interleaved_view<T, W, M, N> C(x.c, x.count);
    gemm(T(1), A, B, x.beta, C);
  } else {
    const view<const T, dyn, K, N> B(x.b, x.count);
    const view<T, dyn, M, N> C(x.c, x.count);
    if constexpr (SharedA) {
      gemm(T(1), view<const T, M, K>(x.a), B, x.beta, C);
    } else {
      gemm(T(1), view<const T, dyn, M, K>(x.a, x.count), B, x.beta, C);
    }
  }
}

/// Entry by entry of C: what g++ makes the best vectors of up to 17 real columns or 8 complex ones.
/// Adding rows in place, it keeps the rows in memory there (order 8: 3 to 5 GFLOP/s instead of 59).
template <class T, bool Add, int M, int N, int K>
void strided_dots(const real_type<T>* A, const real_type<T>* B, real_type<T>* __restrict C) {
  using R = real_type<T>;
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      if constexpr (parts_of<T> == 1) {
        R sum = Add ? C[i * N + j] : R(0);
        for (int k = 0; k < K; ++k) sum += A[i * K + k] * B[k * N + j];
        C[i * N + j] = sum;
      } else {
        R* const c = C + 2 * (i * N + j);
        R re = Add ? c[0] : R(0), im = Add ? c[1] : R(0);
        for (int k = 0; k < K; ++k) {
          const R* const a = A + 2 * (i * K + k);
          const R* const b = B + 2 * (k * N + j);
          re += a[0] * b[0] - a[1] * b[1];
          im += a[0] * b[1] + a[1] * b[0];
        }
        c[0] = re;
        c[1] = im;
      }
    }
  }
}

/// Row by row, the row of C in a local array that stays in registers: the best for more columns.
template <class T, bool Add, int M, int N, int K>
void strided_rows(const real_type<T>* A, const real_type<T>* B, real_type<T>* __restrict C) {
  using R = real_type<T>;
  constexpr int parts = parts_of<T>;
  for (int i = 0; i < M; ++i) {
    R sum[N * parts];
    for (int j = 0; j < N * parts; ++j) sum[j] = Add ? C[i * N * parts + j] : R(0);
#pragma GCC unroll 64
    for (int k = 0; k < K; ++k) {
      if constexpr (parts == 1) {
        const R a = A[i * K + k];
        for (int j = 0; j < N; ++j) sum[j] += a * B[k * N + j];
      } else {
        const R re = A[2 * (i * K + k)], im = A[2 * (i * K + k) + 1];
        for (int j = 0; j < N; ++j) {
          const R b_re = B[2 * (k * N + j)], b_im = B[2 * (k * N + j) + 1];
          sum[2 * j] += re * b_re - im * b_im;
          sum[2 * j + 1] += re * b_im + im * b_re;
        }
      }
    }
    for (int j = 0; j < N * parts; ++j) C[i * N * parts + j] = sum[j];
  }
}

template <class T, bool Add, int M, int N, int K>
void strided_loops(const gemm_batch<T>& x) {
  using R = real_type<T>;
  constexpr int parts = parts_of<T>;
  const R* A = reinterpret_cast<const R*>(x.a);
  const R* B = reinterpret_cast<const R*>(x.b);
  R* C = reinterpret_cast<R*>(x.c);
  for (std::ptrdiff_t t = 0; t < x.count; ++t) {
    if constexpr (N * parts <= 17) {
      strided_dots<T, Add, M, N, K>(A, B, C);
    } else {
      strided_rows<T, Add, M, N, K>(A, B, C);
    }
    A += x.a_step() * parts;
    B += x.b_size() * parts;
    C += x.c_size() * parts;
  }
}

/// Entry by entry of C, all problems of a block at once, with vectors written by hand.
template <class T, bool Add, int M, int N, int K>
void interleaved_loops(const gemm_batch<T>& x) {
  using R = real_type<T>;
  constexpr int parts = parts_of<T>;
  constexpr int W = static_cast<int>(simd_block<T>), V = lanes<R>;
  const R* A = reinterpret_cast<const R*>(x.a);
  const R* B = reinterpret_cast<const R*>(x.b);
  R* C = reinterpret_cast<R*>(x.c);
  for (std::ptrdiff_t block = 0; block < x.count / W; ++block) {
    for (int lane = 0; lane < W; lane += V) {
      for (int i = 0; i < M; ++i) {
        for (int j = 0; j < N; ++j) {
          R* const c = C + (i * N + j) * parts * W + lane;
          vec<R> re(R(0)), im(R(0));
          if constexpr (Add) {
            re = vec<R>::load_aligned(c);
            if constexpr (parts == 2) im = vec<R>::load_aligned(c + W);
          }
          for (int k = 0; k < K; ++k) {
            const R* const a = A + (i * K + k) * parts * W + lane;
            const R* const b = B + (k * N + j) * parts * W + lane;
            const vec<R> a_re = vec<R>::load_aligned(a), b_re = vec<R>::load_aligned(b);
            re = multiply_add(a_re, b_re, re);
            if constexpr (parts == 2) {
              const vec<R> a_im = vec<R>::load_aligned(a + W), b_im = vec<R>::load_aligned(b + W);
              re = multiply_add(-a_im, b_im, re);
              im = multiply_add(a_re, b_im, im);
              im = multiply_add(a_im, b_re, im);
            }
          }
          re.store_aligned(c);
          if constexpr (parts == 2) im.store_aligned(c + W);
        }
      }
    }
    A += x.a_size() * W * parts;
    B += x.b_size() * W * parts;
    C += x.c_size() * W * parts;
  }
}

/// Rows and columns of the register tile of `hand`.
inline constexpr int hand_rows = 4;
inline constexpr int hand_columns = vector_registers == 32 ? 6 : 3;

/// C(i, j) := sum_k A(i, k) B(k, j) + Add C(i, j), i < I and j < J of an interleaved block.
template <class R, bool Add, int W, int I, int J, int N, int K>
[[gnu::always_inline]] inline void hand_tile(const R* A, const R* B, R* C) {
  vec<R> sum[I * J];
  unroll<I * J>([&](auto at) __attribute__((always_inline)) {
    sum[at] = Add ? vec<R>::load_aligned(C + (at / J * N + at % J) * W) : vec<R>(R(0));
  });
#pragma GCC unroll 4
  for (int k = 0; k < K; ++k) {
    vec<R> b[J];
    unroll<J>([&](auto j) __attribute__((always_inline)) {
      b[j] = vec<R>::load_aligned(B + (k * N + j) * W);
      pin(b[j]);
    });
    unroll<I>([&](auto i) __attribute__((always_inline)) {
      vec<R> a = vec<R>::load_aligned(A + (i * K + k) * W);
      pin(a);
      unroll<J>([&](auto j) __attribute__((always_inline)) {
        sum[i * J + j] = multiply_add(a, b[j], sum[i * J + j]);
      });
    });
  }
  unroll<I * J>([&](auto at) __attribute__((always_inline)) {
    sum[at].store_aligned(C + (at / J * N + at % J) * W);
  });
}

/// All columns of I rows, in tiles as equal as can be.
template <class R, bool Add, int W, int I, int N, int K>
[[gnu::always_inline]] inline void hand_row(const R* A, const R* B, R* C) {
  constexpr int tiles = (N + hand_columns - 1) / hand_columns;
  constexpr int less = N / tiles, longer = N % tiles;
  for (int tile = 0; tile < longer; ++tile, B += (less + 1) * W, C += (less + 1) * W) {
    hand_tile<R, Add, W, I, less + 1, N, K>(A, B, C);
  }
  for (int tile = longer; tile < tiles; ++tile, B += less * W, C += less * W) {
    hand_tile<R, Add, W, I, less, N, K>(A, B, C);
  }
}

/// The peer `hand`: real interleaved blocks by register tiles, with no prefetch.
template <class R, bool Add, int M, int N, int K>
void hand_blocks(const gemm_batch<R>& x) {
  constexpr int W = static_cast<int>(simd_block<R>), V = lanes<R>;
  constexpr int tiles = (M + hand_rows - 1) / hand_rows;
  constexpr int less = M / tiles, longer = M % tiles;
  for (std::ptrdiff_t block = 0; block < x.count / W; ++block) {
    for (int lane = 0; lane < W; lane += V) {
      const R* A = x.a + block * W * x.a_size() + lane;
      const R* const B = x.b + block * W * x.b_size() + lane;
      R* C = x.c + block * W * x.c_size() + lane;
      for (int tile = 0; tile < longer; ++tile) {
        hand_row<R, Add, W, less + 1, N, K>(A, B, C);
        A += (less + 1) * K * W;
        C += (less + 1) * N * W;
      }
      for (int tile = longer; tile < tiles; ++tile) {
        hand_row<R, Add, W, less, N, K>(A, B, C);
        A += less * K * W;
        C += less * N * W;
      }
    }
  }
}

template <class R, int M, int N, int K>
void hand_product(const gemm_batch<R>& x) {
  return x.beta == R(0) ? hand_blocks<R, false, M, N, K>(x) : hand_blocks<R, true, M, N, K>(x);
}

template <class T, storage S, int M, int N, int K>
void loops_product(const gemm_batch<T>& x) {
  if constexpr (S == storage::strided) {
    return x.beta == T(0) ? strided_loops<T, false, M, N, K>(x)
                          : strided_loops<T, true, M, N, K>(x);
  } else {
    return x.beta == T(0) ? interleaved_loops<T, false, M, N, K>(x)
                          : interleaved_loops<T, true, M, N, K>(x);
  }
}

#if defined(TENFOLD_BENCH_EIGEN)
template <class T, int M, int N>
using eigen_matrix = Eigen::Matrix<T, M, N, N == 1 && M != 1 ? Eigen::ColMajor : Eigen::RowMajor>;

template <class T, int M, int N, int K>
void eigen_product(const gemm_batch<T>& x) {
  for (std::ptrdiff_t t = 0; t < x.count; ++t) {
    const Eigen::Map<const eigen_matrix<T, M, K>> A(x.a + t * x.a_step());
    const Eigen::Map<const eigen_matrix<T, K, N>> B(x.b + t * x.b_size());
    Eigen::Map<eigen_matrix<T, M, N>> C(x.c + t * x.c_size());
    if (x.beta == T(0)) {
      C.noalias() = A * B;
    } else {
      C.noalias() += A * B;
    }
  }
}
#endif

template <class T, storage S, bool SharedA, int M, int N, int K>
static_products<T> products_of() {
  static_products<T> all;
  all.tenfold = tenfold_product<T, S, SharedA, M, N, K>;
  all.loops = loops_product<T, S, M, N, K>;
  if constexpr (S == storage::interleaved && parts_of<T> == 1) {
    all.hand = hand_product<T, M, N, K>;
  }
#if defined(TENFOLD_BENCH_EIGEN)
  if constexpr (S == storage::strided) all.eigen = eigen_product<T, M, N, K>;
#endif
  return all;
}

}  // namespace tenfold::bench
