#pragma once

#include <tenfold/tensor/batch_layout.hpp>

/// A batched matrix product on a device as data: how the work is cut, for one shape. Host code
/// chooses it (select/device_products.hpp), device code has it as a template argument, so this
/// header is read by NVRTC too and includes nothing of the standard library.
///
/// The tree of the work, outermost first:
///   grid      blocks that walk through the tasks, one after another
///   block     `groups` groups of threads that know nothing of each other
///   group     `threads` threads with `problems` tasks at a time; they wait for each other
///   task      one tile of `rows` x `columns` entries of the C of one problem
///   thread    one register tile of `thread_rows` x `thread_columns` entries: of thread (r, c) the
///             rows r + i R and the columns c + j C of the task's tile, R x C being the threads of
///             a task, so that neighbouring threads touch neighbours in memory
/// The sum over k goes in parts of `panel`, whose entries of A and B wait in shared memory.
namespace tenfold {

/// Where the entries of one operand lie, as matrix_batch says, and how they come to the threads.
struct device_matrix {
  batch_layout layout = batch_layout::strided;
  long long row = 0, column = 0;  ///< entries from (i, j) to (i + 1, j) and to (i, j + 1)
  long long block = 1;            ///< interleaved: problems in a block; 0: the call tells
  bool shared = false;            ///< one matrix serves all problems
  bool conjugated = false;
  bool wide_map = false;  ///< gathered: the map has 64-bit integers
  bool staged = false;    ///< passes through shared memory, in the order in which it lies in memory

  friend constexpr bool operator==(const device_matrix&, const device_matrix&) = default;
};

/// Which threads wait for each other.
enum class device_scope : unsigned char { warp, block };

struct device_gemm {
  int m = 0, n = 0, k = 0;
  device_matrix a, b, c;
  int rows = 1, columns = 1;                ///< of C, of one task
  int thread_rows = 1, thread_columns = 1;  ///< of C, of one thread
  int panel = 1;                            ///< contracted values in shared memory at a time
  int unroll = 1;                           ///< contracted values that are unrolled
  int loads = 1;                            ///< entries on their way to a thread at a time
  device_scope scope = device_scope::warp;  ///< of a group
  int threads = 32;                         ///< of a group
  int problems = 1;                         ///< tasks of a group at a time
  int groups = 1;                           ///< of a block

  /// Threads of one task, and how they lie in it.
  constexpr int threads_down() const { return (rows + thread_rows - 1) / thread_rows; }
  constexpr int threads_across() const { return (columns + thread_columns - 1) / thread_columns; }
  constexpr int threads_of_task() const { return threads_down() * threads_across(); }

  /// Tasks of one problem.
  constexpr int tasks_down() const { return (m + rows - 1) / rows; }
  constexpr int tasks_across() const { return (n + columns - 1) / columns; }
  constexpr int tasks() const { return tasks_down() * tasks_across(); }

  constexpr int threads_of_block() const { return threads * groups; }

  friend constexpr bool operator==(const device_gemm&, const device_gemm&) = default;
};

/// How a matrix of rows x columns entries is kept in shared memory: rows an odd number of entries
/// apart, matrices too, so that threads that read one column, or one entry of as many matrices,
/// read from different banks.
constexpr int staged_pitch(int columns) { return columns | 1; }
constexpr long long staged_entries(long long rows, int columns) {
  return rows * staged_pitch(columns) | 1;
}

/// Entries of one operand in shared memory, of one group.
constexpr long long staged_entries(const device_matrix& x, int rows, int columns, int problems) {
  return x.staged ? (x.shared ? 1 : problems) * staged_entries(rows, columns) : 0;
}
/// Bytes of shared memory of one block, an entry having so many.
constexpr long long shared_bytes(const device_gemm& g, int entry_bytes) {
  return g.groups * entry_bytes *
         (staged_entries(g.a, g.rows, g.panel, g.problems) +
          staged_entries(g.b, g.panel, g.columns, g.problems) +
          staged_entries(g.c, g.rows, g.columns, g.problems));
}

/// What a call tells of one operand.
struct device_place {
  const void* data = nullptr;  ///< entries; of `pointers` the list of addresses
  long long problem = 0;       ///< entries, or map entries, from one problem or block to the next
  const void* map = nullptr;   ///< gathered: 32 or 64 bit integers
  long long block = 1;         ///< interleaved: problems in a block
};

/// The one argument of the device kernel; all addresses are the device's.
template <class T>
struct device_gemm_arguments {
  device_place a, b, c;
  long long count = 0;
  T alpha, beta;
};

}  // namespace tenfold
