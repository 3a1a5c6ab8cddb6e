#include "fake_cublas.hpp"

#include <complex>
#include <cstdint>
#include <cstring>

namespace {

using std::int64_t;
using tenfold::testing::fake_product;

tenfold::testing::fake_cublas_state state;

constexpr int not_initialized = 1, invalid_value = 7, execution_failed = 13;
int in_context() { return state.contexts != nullptr && *state.contexts == 0 ? not_initialized : 0; }
char a_handle;

template <class R>
R conjugate(R x) {
  return x;
}
template <class R>
std::complex<R> conjugate(std::complex<R> x) {
  return std::conj(x);
}
/// Entry (i, j) of op(X), which lies by columns.
template <class T>
T entry(const T* x, int64_t ld, int op, int64_t i, int64_t j) {
  if (op == 0) return x[i + j * ld];
  return op == 1 ? x[j + i * ld] : conjugate(x[j + i * ld]);
}

/// What a call is refused with, or 0.
int refused() {
  if (in_context() != 0) return not_initialized;
  if (state.refused_products > 0) {
    --state.refused_products;
    return execution_failed;
  }
  ++state.calls;
  return 0;
}

/// at(b): the addresses of problem b.
template <class T, class At>
int multiply(fake_product p, const T& alpha, const T& beta, const At& at) {
  const bool fits = p.lda >= (p.op_a == 0 ? p.m : p.k) && p.ldb >= (p.op_b == 0 ? p.k : p.n) &&
                    p.ldc >= p.m && state.workspace != nullptr && state.workspace_bytes > 0;
  if (!fits) return invalid_value;
  for (int64_t b = 0; b < p.count; ++b) {
    const auto [x, y, z] = at(b);
    for (int64_t j = 0; j < p.n; ++j) {
      for (int64_t i = 0; i < p.m; ++i) {
        T sum{};
        for (int64_t l = 0; l < p.k; ++l)
          sum += entry(x, p.lda, p.op_a, i, l) * entry(y, p.ldb, p.op_b, l, j);
        T& to = z[i + j * p.ldc];
        to = beta == T(0) ? alpha * sum : alpha * sum + beta * to;
      }
    }
  }
  p.stream = state.stream;
  p.workspace = state.workspace;
  p.call = state.calls;
  state.products.push_back(p);
  return 0;
}

template <class T>
struct addresses {
  const T *a, *b;
  T* c;
};

}  // namespace

tenfold::testing::fake_cublas_state* tenfold_fake_cublas_state() { return &state; }

extern "C" {
const char* cublasGetStatusString(int);
int cublasCreate_v2(void**);
int cublasDestroy_v2(void*);
int cublasSetStream_v2(void*, void*);
int cublasSetWorkspace_v2(void*, void*, std::size_t);
}

const char* cublasGetStatusString(int) { return "the GPU program failed to execute"; }
int cublasCreate_v2(void** handle) {
  if (in_context() != 0) return not_initialized;
  if (state.refused_handles > 0) {
    --state.refused_handles;
    return not_initialized;
  }
  ++state.made;
  ++state.handles;
  *handle = &a_handle;
  return 0;
}
int cublasDestroy_v2(void* handle) {
  if (in_context() != 0 || handle != &a_handle) return not_initialized;
  --state.handles;
  return 0;
}
int cublasSetStream_v2(void* handle, void* stream) {
  if (handle != &a_handle) return not_initialized;
  state.stream = stream;
  state.workspace = nullptr;
  state.workspace_bytes = 0;
  return 0;
}
int cublasSetWorkspace_v2(void* handle, void* workspace, std::size_t bytes) {
  if (handle != &a_handle) return not_initialized;
  if (reinterpret_cast<std::uintptr_t>(workspace) % 16 != 0) return invalid_value;
  state.workspace = workspace;
  state.workspace_bytes = bytes;
  return 0;
}

#define TENFOLD_FAKE_GEMM(LETTER, T)                                                               \
  extern "C" int cublas##LETTER##gemmStridedBatched_64(                                            \
      void*, int op_a, int op_b, int64_t m, int64_t n, int64_t k, const T* alpha, const T* a,      \
      int64_t lda, long long step_a, const T* b, int64_t ldb, long long step_b, const T* beta,     \
      T* c, int64_t ldc, long long step_c, int64_t count) {                                        \
    if (const int status = refused(); status != 0) return status;                                  \
    return multiply(fake_product{#LETTER "gemmStridedBatched", op_a, op_b, m, n, k, lda, ldb, ldc, \
                                 step_a, step_b, step_c, count},                                   \
                    *alpha, *beta, [&](int64_t p) {                                                \
                      return addresses<T>{a + p * step_a, b + p * step_b, c + p * step_c};         \
                    });                                                                            \
  }                                                                                                \
  extern "C" int cublas##LETTER##gemmBatched_64(                                                   \
      void*, int op_a, int op_b, int64_t m, int64_t n, int64_t k, const T* alpha,                  \
      const T* const* a, int64_t lda, const T* const* b, int64_t ldb, const T* beta, T* const* c,  \
      int64_t ldc, int64_t count) {                                                                \
    if (const int status = refused(); status != 0) return status;                                  \
    return multiply(                                                                               \
        fake_product{#LETTER "gemmBatched", op_a, op_b, m, n, k, lda, ldb, ldc, 0, 0, 0, count},   \
        *alpha, *beta, [&](int64_t p) {                                                            \
          return addresses<T>{a[p], b[p], c[p]};                                                   \
        });                                                                                        \
  }

TENFOLD_FAKE_GEMM(S, float)
TENFOLD_FAKE_GEMM(D, double)
TENFOLD_FAKE_GEMM(C, std::complex<float>)
TENFOLD_FAKE_GEMM(Z, std::complex<double>)

#if !defined(TENFOLD_OLD_CUBLAS)
#define TENFOLD_FAKE_GROUPS(LETTER, T)                                                            \
  extern "C" int cublas##LETTER##gemmGroupedBatched_64(                                           \
      void*, const int* op_a, const int* op_b, const int64_t* m, const int64_t* n,                \
      const int64_t* k, const T* alpha, const T* const* a, const int64_t* lda, const T* const* b, \
      const int64_t* ldb, const T* beta, T* const* c, const int64_t* ldc, int64_t groups,         \
      const int64_t* counts) {                                                                    \
    if (const int status = refused(); status != 0) return status;                                 \
    for (int64_t g = 0; g < groups; a += counts[g], b += counts[g], c += counts[g], ++g) {        \
      const int status =                                                                          \
          multiply(fake_product{#LETTER "gemmGroupedBatched", op_a[g], op_b[g], m[g], n[g], k[g], \
                                lda[g], ldb[g], ldc[g], 0, 0, 0, counts[g]},                      \
                   alpha[g], beta[g], [&](int64_t p) {                                            \
                     return addresses<T>{a[p], b[p], c[p]};                                       \
                   });                                                                            \
      if (status != 0) return status;                                                             \
    }                                                                                             \
    return 0;                                                                                     \
  }

TENFOLD_FAKE_GROUPS(S, float)
TENFOLD_FAKE_GROUPS(D, double)
#endif
