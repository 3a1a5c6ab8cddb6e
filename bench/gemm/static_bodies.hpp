#pragma once

#include "common/hand_vector.hpp"
#include "gemm/static_products.hpp"

#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#elif __has_include(<eigen3/Eigen/Core>)
#include <eigen3/Eigen/Core>
#endif

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

/// Row by row, each row of C in a local array; the compiler makes the vectors.
template <class T, bool Add, int M, int N, int K>
void strided_loops(const gemm_batch<T>& x) {
  using R = real_type<T>;
  constexpr int parts = parts_of<T>;
  const R* A = reinterpret_cast<const R*>(x.a);
  const R* B = reinterpret_cast<const R*>(x.b);
  R* __restrict C = reinterpret_cast<R*>(x.c);
  for (std::ptrdiff_t t = 0; t < x.count; ++t) {
    for (int i = 0; i < M; ++i) {
      R sum[N * parts];
      for (int j = 0; j < N * parts; ++j) sum[j] = Add ? C[i * N * parts + j] : R(0);
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

#if defined(EIGEN_CORE_H)
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
#if defined(EIGEN_CORE_H)
  if constexpr (S == storage::strided) all.eigen = eigen_product<T, M, N, K>;
#endif
  return all;
}

}  // namespace tenfold::bench
