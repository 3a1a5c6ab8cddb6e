#pragma once

/// A variable batch of matrix products on a device: problems of sizes of their own, which lie there
/// and which the host never reads. This header is read by NVRTC too and includes nothing of the
/// standard library.
namespace tenfold {

/// Entries from one line of storage to where the next may begin at the earliest: those of a row, or
/// of a column.
constexpr long long gemm_line(bool by_row, bool transposed, long long rows, long long columns) {
  return by_row != transposed ? columns : rows;
}

/// Which size of C (m, n) := op(A) (m, k) op(B) (k, n) is wrong, counted as in cblas_gemm: 4 m,
/// 5 n, 6 k, 9 lda, 11 ldb, 14 ldc; 0: none.
constexpr int wrong_gemm_size(bool by_row, bool transposes_a, bool transposes_b, long long m,
                              long long n, long long k, long long lda, long long ldb,
                              long long ldc) {
  const auto is_short = [](long long ld, long long line) { return ld < (line < 1 ? 1 : line); };
  if (m < 0) return 4;
  if (n < 0) return 5;
  if (k < 0) return 6;
  if (is_short(lda, gemm_line(by_row, transposes_a, m, k))) return 9;
  if (is_short(ldb, gemm_line(by_row, transposes_b, k, n))) return 11;
  if (is_short(ldc, gemm_line(by_row, false, m, n))) return 14;
  return 0;
}

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
