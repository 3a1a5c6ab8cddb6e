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

/// Problems that a block has before it at a time, at most: each is read by a lane of its first
/// warp.
inline constexpr int variable_problems = 32;

/// How the work is cut. A block brings the factors of as many problems as fit into its room in
/// shared memory, then its threads go through the register tiles of all of them; a problem that is
/// larger than the room goes part by part.
struct device_variable_gemm {
  int threads = 64;  ///< of a block
  int blocks = 8;    ///< that a multiprocessor shall hold: how many registers a thread may have
  int room = 2048;   ///< entries
  int thread_rows = 4, thread_columns = 4;  ///< of a register tile
  int together = 1;                         ///< contracted values that are read at once
  int unroll = 4;                           ///< times that so many are read

  friend constexpr bool operator==(const device_variable_gemm&,
                                   const device_variable_gemm&) = default;
};

/// Rows of op(A) and columns of op(B) lie one after another in the room, an odd number of
/// `together` entries apart: as many neighbouring threads as shared memory serves at a time read
/// from several of them without conflicts, and each reads so many at once.
constexpr int variable_pitch(int depth, int together) {
  return ((depth + together - 1) / together | 1) * together;
}
/// Entries of both factors of a problem there.
constexpr long long variable_entries(long long m, long long n, int k, int together) {
  return (m + n) * variable_pitch(k, together);
}

/// A factor in memory: lines that begin `ld` entries apart, `along` rows of op(A) or columns of
/// op(B), or across them.
struct device_variable_factor {
  const void* data;
  long long ld;
  bool along, conjugated;
};
/// A problem whose C lies by rows: `left` (rows, depth) times `right` (depth, columns). For a
/// column-major C that is C^T = op(B)^T op(A)^T.
struct device_variable_product {
  device_variable_factor left, right;
  long long rows, columns, depth;
  void* c;
  long long ldc;
};

/// How the lines of a factor come to the room, and where they go there.
struct device_variable_lines {
  const void* data;
  long long ld;
  int place;            ///< behind those of the problems before, of all that the block has before it
  unsigned reciprocal;  ///< of the length of a line
  short lines;          ///< 0: there is nothing to bring
  short length, pitch;  ///< entries of a line; from one row or column to the next in the room
  bool along;
  signed char at_once;  ///< entries that are copied at once; 0: an entry in two parts
};
/// C of a problem, and where the problem ends among those that the block has before it.
struct device_variable_result {
  void* data;
  long long ld;
  int entries_end, tiles_end;  ///< in the room, if it held all; of the list of register tiles
  unsigned reciprocal;         ///< of what is a band of register tiles
  short rows, columns, depth;  ///< of C, and contracted values
  short down, across;          ///< register tiles
  bool conjugates_left, conjugates_right;
  bool alone;  ///< too large for the room
};

/// Bytes of shared memory of one block: the room, and what it has to know of its problems.
constexpr long long shared_bytes(const device_variable_gemm& g, int entry_bytes) {
  const long long tables = 2 * sizeof(device_variable_lines) + sizeof(device_variable_result);
  return entry_bytes * (g.room + 2LL * variable_problems) + variable_problems * tables +
         static_cast<long long>(sizeof(device_variable_product));
}

/// The one argument of the device kernel; all addresses are the device's.
template <class T>
struct device_variable_arguments {
  const device_gemm_problem<T>* problems;
  int* codes;  ///< one for each problem, or null
  long long count;
  int group;    ///< problems that a block takes at a time, at most variable_problems
  bool by_row;  ///< matrices are row-major
};

}  // namespace tenfold
