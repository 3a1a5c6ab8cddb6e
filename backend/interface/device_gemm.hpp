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
///             a task, so that neighbouring threads touch neighbours in memory; where a thread has
///             `together` neighbouring columns these count as one (way_to_column)
/// The sum over k goes in parts of `panel`, whose entries of A and B wait in shared memory. There
/// is room for `buffers` such parts: while threads work on one, the next ones are on their way.
/// A matrix that serves all problems and is one part is brought once.
namespace tenfold {

/// What of one operand lies side by side, in its memory and in shared memory alike, and is copied
/// as one line: a row, or the part of a matrix, or those of all problems of a group.
enum class device_run : unsigned char { row, matrix, group };

/// Where the entries of one operand lie, as matrix_batch says, and how they come to the threads.
struct device_matrix {
  batch_layout layout = batch_layout::strided;
  long long row = 0, column = 0;  ///< entries from (i, j) to (i + 1, j) and to (i, j + 1)
  long long block = 1;            ///< interleaved: problems in a block; 0: the call tells
  bool shared = false;            ///< one matrix serves all problems
  bool conjugated = false;
  bool wide_map = false;  ///< gathered: the map has 64-bit integers
  bool staged = false;    ///< passes through shared memory
  int pitch = 0;          ///< entries from row to row there
  int apart = 0;          ///< and from the matrix of one task to the next
  device_run run = device_run::row;
  int bytes = 0;  ///< that are copied at a time, from multiples of them; 0: a real number

  /// Entries that are copied at a time, an entry having so many bytes.
  constexpr int at_once(int entry_bytes) const {
    return bytes > entry_bytes ? bytes / entry_bytes : 1;
  }

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
  int together = 1;                         ///< columns of a thread that are neighbours
  int unroll = 1;                           ///< contracted values that are unrolled
  int buffers = 1;                          ///< panels in shared memory
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

  /// Parts of the sum of one task; there is always one, if only an empty one.
  constexpr int panels() const { return k <= panel ? 1 : (k + panel - 1) / panel; }

  constexpr int threads_of_block() const { return threads * groups; }

  /// The rows and columns that threads look at in shared memory. Register tiles may jut out of the
  /// task's tile: there they find something, of which nothing is kept.
  constexpr int rows_read() const { return threads_down() * thread_rows; }
  constexpr int columns_read() const { return threads_across() * thread_columns; }

  /// From the first column of a thread to its column j.
  constexpr int way_to_column(int j) const {
    return j / together * together * threads_across() + j % together;
  }

  friend constexpr bool operator==(const device_gemm&, const device_gemm&) = default;
};

/// Entries from the first that is looked at in shared memory of one operand of one group to the
/// last: rows x columns of each of its matrices. Multiples of four, so that what lies behind begins
/// at a multiple of 16 bytes.
constexpr long long staged_entries(const device_matrix& x, int rows, int columns, int problems) {
  const long long matrices = x.shared ? 1 : problems;
  return x.staged ? ((matrices - 1) * x.apart + (rows - 1LL) * x.pitch + columns + 3) / 4 * 4 : 0;
}
/// Whether an operand is brought once and stays.
constexpr bool stays(const device_gemm& g, const device_matrix& x) {
  return x.staged && x.shared && g.panels() == 1 && g.tasks() == 1;
}
constexpr long long staged_a(const device_gemm& g) {
  return staged_entries(g.a, g.rows_read(), g.panel, g.problems);
}
constexpr long long staged_b(const device_gemm& g) {
  return staged_entries(g.b, g.panel, g.columns_read(), g.problems);
}
constexpr long long staged_c(const device_gemm& g) {
  return staged_entries(g.c, g.rows, g.columns, g.problems);
}
/// A group has, one after another: A and B where they stay; the buffers, each with A and B where
/// they do not; C, unless there is room for it in the buffer whose entries have just been used.
constexpr long long staying_entries(const device_gemm& g) {
  return (stays(g, g.a) ? staged_a(g) : 0) + (stays(g, g.b) ? staged_b(g) : 0);
}
constexpr long long buffer_entries(const device_gemm& g) {
  return staged_a(g) + staged_b(g) - staying_entries(g);
}
constexpr bool is_in_buffer(const device_gemm& g) {
  return g.c.staged && staged_c(g) <= buffer_entries(g);
}
constexpr long long staged_entries(const device_gemm& g) {
  return staying_entries(g) + g.buffers * buffer_entries(g) + (is_in_buffer(g) ? 0 : staged_c(g));
}
/// Bytes of shared memory of one block, an entry having so many.
constexpr long long shared_bytes(const device_gemm& g, int entry_bytes) {
  return g.groups * entry_bytes * staged_entries(g);
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
