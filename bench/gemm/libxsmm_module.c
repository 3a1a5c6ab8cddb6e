/* A module around one LIBXSMM; bench/CMakeLists.txt makes one for each that it finds. LIBXSMM is
   column-major: row-major C = A B is its C = B A. */
#include "libxsmm_module.h"

#include <libxsmm.h>

/* The name of the branch is part of newer versions only by LIBXSMM_CONFIG_VERSION. */
#ifdef LIBXSMM_CONFIG_VERSION
#define VERSION LIBXSMM_CONFIG_VERSION
#else
#define VERSION LIBXSMM_VERSION
#endif

/* Since 1.17's successors shapes are structs and one function makes the kernels of all types. */
#if LIBXSMM_CONFIG_VERSION_MAJOR > 1 || LIBXSMM_CONFIG_VERSION_PATCH > 0
#define BENCH_SHAPES 1
#else
#define BENCH_SHAPES 0
#endif

#if BENCH_SHAPES

static libxsmm_gemm_shape shape_of(char scalar, int m, int n, int k) {
  const libxsmm_datatype type = scalar == 'd' ? LIBXSMM_DATATYPE_F64 : LIBXSMM_DATATYPE_F32;
  return libxsmm_create_gemm_shape(n, m, k, n, k, n, type, type, type, type);
}

static libxsmm_bitfield flags_of(int beta) {
  return beta == 0 ? LIBXSMM_GEMM_FLAG_BETA_0 : LIBXSMM_GEMM_FLAG_NONE;
}

static void* dispatch(char scalar, int m, int n, int k, int beta) {
  return (void*)libxsmm_dispatch_gemm(shape_of(scalar, m, n, k), flags_of(beta),
                                      LIBXSMM_GEMM_PREFETCH_NONE);
}

static void* dispatch_packed(char scalar, int m, int n, int k, int beta, int width) {
  return (void*)libxsmm_create_packed_gemm(shape_of(scalar, m, n, k), flags_of(beta),
                                           LIBXSMM_GEMM_PREFETCH_NONE, width);
}

static void run(void* kernel, const char* a, const char* b, char* c, ptrdiff_t a_step,
                ptrdiff_t b_step, ptrdiff_t c_step, ptrdiff_t count) {
  const libxsmm_gemmfunction f = (libxsmm_gemmfunction)kernel;
  libxsmm_gemm_param p = {0};
  ptrdiff_t i;
  for (i = 0; i < count; ++i) {
    p.a.primary = (void*)(b + i * b_step);
    p.b.primary = (void*)(a + i * a_step);
    p.c.primary = (void*)(c + i * c_step);
    f(&p);
  }
}

static const struct libxsmm_module this_module = {VERSION, dispatch, dispatch_packed, run};

#else

typedef void (*kernel_type)(const void*, const void*, void*);

static void* dispatch(char scalar, int m, int n, int k, int beta) {
  const double d_alpha = 1, d_beta = beta;
  const float s_alpha = 1, s_beta = (float)beta;
  const int flags = LIBXSMM_GEMM_FLAG_NONE, prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
  if (scalar == 'd') {
    return (void*)libxsmm_dmmdispatch(n, m, k, &n, &k, &n, &d_alpha, &d_beta, &flags, &prefetch);
  }
  return (void*)libxsmm_smmdispatch(n, m, k, &n, &k, &n, &s_alpha, &s_beta, &flags, &prefetch);
}

static void run(void* kernel, const char* a, const char* b, char* c, ptrdiff_t a_step,
                ptrdiff_t b_step, ptrdiff_t c_step, ptrdiff_t count) {
  const kernel_type f = (kernel_type)kernel;
  ptrdiff_t i;
  for (i = 0; i < count; ++i) f(b + i * b_step, a + i * a_step, c + i * c_step);
}

static const struct libxsmm_module this_module = {VERSION, dispatch, 0, run};

#endif

const struct libxsmm_module* open_libxsmm(void) { return &this_module; }
