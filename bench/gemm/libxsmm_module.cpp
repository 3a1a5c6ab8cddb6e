// A module around one LIBXSMM; bench/gemm/CMakeLists.txt makes one for each that it finds. LIBXSMM
// is column-major: row-major C = A B is its C = B A.
#include "libxsmm_module.hpp"

#include <libxsmm.h>

namespace {

// After 1.17 shapes are structs, and one function makes the kernels of all types.
#if LIBXSMM_CONFIG_VERSION_MAJOR > 1 || LIBXSMM_CONFIG_VERSION_PATCH > 0

libxsmm_gemm_shape shape_of(char scalar, int m, int n, int k) {
  const libxsmm_datatype type = scalar == 'd' ? LIBXSMM_DATATYPE_F64 : LIBXSMM_DATATYPE_F32;
  return libxsmm_create_gemm_shape(n, m, k, n, k, n, type, type, type, type);
}

libxsmm_bitfield flags_of(int beta) {
  return beta == 0 ? LIBXSMM_GEMM_FLAG_BETA_0 : LIBXSMM_GEMM_FLAG_NONE;
}

void* dispatch(char scalar, int m, int n, int k, int beta) {
  return reinterpret_cast<void*>(
      libxsmm_dispatch_gemm(shape_of(scalar, m, n, k), flags_of(beta), LIBXSMM_GEMM_PREFETCH_NONE));
}

void* dispatch_packed(char scalar, int m, int n, int k, int beta, int width) {
  return reinterpret_cast<void*>(libxsmm_create_packed_gemm(
      shape_of(scalar, m, n, k), flags_of(beta), LIBXSMM_GEMM_PREFETCH_NONE, width));
}

void run(void* kernel, const char* a, const char* b, char* c, std::ptrdiff_t a_step,
         std::ptrdiff_t b_step, std::ptrdiff_t c_step, std::ptrdiff_t count) {
  const auto f = reinterpret_cast<libxsmm_gemmfunction>(kernel);
  libxsmm_gemm_param p{};
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    p.a.primary = const_cast<char*>(b + i * b_step);
    p.b.primary = const_cast<char*>(a + i * a_step);
    p.c.primary = c + i * c_step;
    f(&p);
  }
}

constexpr libxsmm_module this_module{LIBXSMM_CONFIG_VERSION, dispatch, dispatch_packed, run};

#else

void* dispatch(char scalar, int m, int n, int k, int beta) {
  const double d_alpha = 1, d_beta = beta;
  const float s_alpha = 1, s_beta = static_cast<float>(beta);
  const int flags = LIBXSMM_GEMM_FLAG_NONE, prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
  if (scalar == 'd') {
    return reinterpret_cast<void*>(
        libxsmm_dmmdispatch(n, m, k, &n, &k, &n, &d_alpha, &d_beta, &flags, &prefetch));
  }
  return reinterpret_cast<void*>(
      libxsmm_smmdispatch(n, m, k, &n, &k, &n, &s_alpha, &s_beta, &flags, &prefetch));
}

void run(void* kernel, const char* a, const char* b, char* c, std::ptrdiff_t a_step,
         std::ptrdiff_t b_step, std::ptrdiff_t c_step, std::ptrdiff_t count) {
  const auto f = reinterpret_cast<void (*)(const void*, const void*, void*)>(kernel);
  for (std::ptrdiff_t i = 0; i < count; ++i) f(b + i * b_step, a + i * a_step, c + i * c_step);
}

constexpr libxsmm_module this_module{LIBXSMM_CONFIG_VERSION, dispatch, nullptr, run};

#endif

}  // namespace

const libxsmm_module* open_libxsmm() { return &this_module; }
