#pragma once

#include <cstddef>

/// What a module with LIBXSMM inside shows to the bench: one struct, so that several versions can
/// be open at once.
struct libxsmm_module {
  const char* version;
  /// A kernel C := A B + beta C, beta 0 or 1, of row-major contiguous matrices, scalar 'd' or 's'.
  /// Null when there is none.
  void* (*dispatch)(char scalar, int m, int n, int k, int beta);
  /// The same for `width` problems side by side, entry by entry. Null in versions without.
  void* (*dispatch_packed)(char scalar, int m, int n, int k, int beta, int width);
  /// Runs a kernel `count` times, steps in bytes.
  void (*run)(void* kernel, const char* a, const char* b, char* c, std::ptrdiff_t a_step,
              std::ptrdiff_t b_step, std::ptrdiff_t c_step, std::ptrdiff_t count);
};

extern "C" const libxsmm_module* open_libxsmm();
