/* What a module with LIBXSMM inside shows to the bench: one struct, so that several versions can be
   open at once. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct libxsmm_module {
  const char* version;
  /* A kernel C := A B + beta C, beta 0 or 1, of row-major contiguous matrices, scalar 'd' or 's'.
     Null when there is none. */
  void* (*dispatch)(char scalar, int m, int n, int k, int beta);
  /* The same for `width` problems side by side, entry by entry. Null in versions without. */
  void* (*dispatch_packed)(char scalar, int m, int n, int k, int beta, int width);
  /* Runs a kernel `count` times, steps in bytes. */
  void (*run)(void* kernel, const char* a, const char* b, char* c, ptrdiff_t a_step,
              ptrdiff_t b_step, ptrdiff_t c_step, ptrdiff_t count);
};

const struct libxsmm_module* open_libxsmm(void);

#ifdef __cplusplus
}
#endif
