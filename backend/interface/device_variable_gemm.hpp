#pragma once

#include <tenfold/backend/interface/gemm_sizes.hpp>

/// A variable batch of matrix products on a device: problems of sizes of their own, which lie there
/// and which the host never reads. This header is read by NVRTC too and includes nothing of the
/// standard library.
namespace tenfold {

/// gemm_problem<T> as device code reads it, byte for byte; ops are 0 none, 1 transpose, 2 conjugate
/// transpose.
template <class T>
struct device_gemm_problem {
  unsigned char op_a, op_b;
  long long m, n, k;
  T alpha;
  const T* a;
  long long lda;
  const T* b;
  long long ldb;
  T beta;
  T* c;
  long long ldc;
};

/// How the work is cut: blocks walk through the problems, one after the other, and through tiles of
/// C of each. Thread (r, c) of a block has the rows r + i threads_down and the columns c + j
/// threads_across of a tile. The sum goes in parts of `panel`, which wait in shared memory.
struct device_variable_gemm {
  int threads_down = 8, threads_across = 8;
  int thread_rows = 1, thread_columns = 1;
  int panel = 16;
  int unroll = 4;  ///< contracted values

  constexpr int threads() const { return threads_down * threads_across; }
  constexpr int rows() const { return threads_down * thread_rows; }
  constexpr int columns() const { return threads_across * thread_columns; }

  friend constexpr bool operator==(const device_variable_gemm&,
                                   const device_variable_gemm&) = default;
};

/// Lines of shared memory an odd number of entries apart: columns are read without conflicts.
constexpr int variable_pitch(int columns) { return columns | 1; }
/// Bytes of shared memory of one block.
constexpr long long shared_bytes(const device_variable_gemm& g, int entry_bytes) {
  return entry_bytes * (g.rows() * variable_pitch(g.panel) + g.panel * variable_pitch(g.columns()));
}

/// The one argument of the device kernel; all addresses are the device's.
template <class T>
struct device_variable_arguments {
  const device_gemm_problem<T>* problems;
  int* codes;  ///< one for each problem, or null
  long long count;
  bool by_row;  ///< matrices are row-major
};

}  // namespace tenfold
