#pragma once

#include <tenfold/backend/interface/device_capabilities.hpp>
#include <tenfold/backend/interface/device_gemm.hpp>
#include <tenfold/backend/interface/gemm.hpp>

/// The operands of a batched product on a GPU: how they are copied to shared memory, by how many
/// threads, and how they lie there.
namespace tenfold::select {

/// The most threads that a block may have (CUDA C++ Programming Guide, "Compute Capabilities").
inline constexpr int device_most_threads = 1024;
/// The most threads of one task, and those of a block of smaller tasks.
inline constexpr int device_task_threads = 256;
inline constexpr int device_block_threads = 128;

/// Warps of a multiprocessor that are taken to keep its units busy: two to each of its four
/// schedulers, where products are many and independent of each other.
inline constexpr int device_warps_needed = 8;
/// Warps that shall have room in shared memory: four to each scheduler.
inline constexpr int device_warps_wanted = 16;

/// Bytes on their way to a multiprocessor that keep its memory busy. At 16 bytes in a cycle, of
/// which two thirds are read, and 1000 cycles of latency under load 11 KB are enough; three times
/// that, because they are asked for in bursts.
inline constexpr double device_bytes_wanted = 32 * 1024;

/// Bytes that neighbouring threads shall write side by side: a sector of the caches.
inline constexpr int device_sector = 32;

/// Blocks of interleaved batches that are part of the code; that of others the call tells.
inline constexpr index device_known_block = 64;

constexpr device_matrix device_matrix_of(const matrix_batch& x, bool wide_map) {
  device_matrix d;
  d.layout = x.layout;
  d.row = x.row;
  d.column = x.column;
  d.block = x.layout != batch_layout::interleaved ? 1 : x.block <= device_known_block ? x.block : 0;
  d.shared = x.shared;
  d.conjugated = x.conjugated;
  d.wide_map = x.layout == batch_layout::gathered && wide_map;
  return d;
}

constexpr index magnitude(index x) { return x < 0 ? -x : x; }
/// Whether the entries of a column are nearer to each other than those of a row.
constexpr bool lies_by_columns(const matrix_batch& x) {
  return magnitude(x.row) < magnitude(x.column);
}

/// How an operand of rows x columns, of which a group has tiles, is copied: as many bytes at a time
/// as its alignment and all lengths allow, up to `most`. Rows are preferred, because they may be
/// laid out by banks, and then whole matrices, which may lie apart from each other.
constexpr void device_copies(device_matrix& x, const batch_alignment& lies, int problems, int rows,
                             int columns, int tile_rows, int tile_columns, scalar type, int most) {
  x.run = device_run::row;
  x.bytes = 0;
  if (x.layout != batch_layout::strided || x.column != 1 || x.row == 0) return;
  const int entry = static_cast<int>(bytes_of(type));
  const index all = index{rows} * columns;
  const bool dense = x.row == columns && tile_columns == columns;
  for (int bytes = 16; bytes > entry / (is_complex(type) ? 2 : 1); bytes /= 2) {
    if (bytes > most || lies.bytes % bytes != 0) continue;
    const auto fits = [&](index entries) { return entries * entry % bytes == 0; };
    const bool each = x.shared || (lies.step == 0 ? fits(all) : lies.step % bytes == 0);
    if (each && fits(x.row) && fits(columns) && fits(tile_columns))
      x.run = device_run::row;
    else if (each && dense && all < index{1} << 31 && fits(all) && fits(index{tile_rows} * columns))
      x.run = device_run::matrix;
    else if (dense && tile_rows == rows && lies.step == 0 && !x.shared && fits(problems * all))
      x.run = device_run::group;
    else
      continue;
    x.bytes = bytes;
    return;
  }
}

/// Which operands go by way of shared memory, and how they are copied. All that several threads
/// read; and what a thread reads or writes alone, unless its neighbours do the same beside it, as
/// in an interleaved batch. A thread has columns together where B and C are laid out for that.
constexpr void stage_operands(device_gemm& g, scalar type, const gemm_alignment& lies, int most) {
  const bool alone = g.threads_of_task() == 1;
  const auto beside = [&](const device_matrix& x) {
    return alone && x.layout == batch_layout::interleaved && !x.shared;
  };
  const int entry = static_cast<int>(bytes_of(type));
  g.a.staged = !beside(g.a);
  g.b.staged = !beside(g.b);
  device_copies(g.a, lies.a, g.problems, g.m, g.k, g.rows, g.panel, type, most);
  device_copies(g.b, lies.b, g.problems, g.k, g.n, g.panel, g.columns, type, most);
  if (!g.a.staged) g.a.bytes = 0;
  if (!g.b.staged) g.b.bytes = 0;
  for (g.together = most / entry > 1 ? most / entry : 1;; g.together /= 2) {
    const int at_once = g.together * entry;
    const bool neighbours =
        g.together == 1 || (g.thread_columns % g.together == 0 && g.columns % g.together == 0 &&
                            g.n % g.together == 0 && g.b.bytes >= at_once);
    if (!neighbours) continue;
    device_copies(g.c, lies.c, g.problems, g.m, g.n, g.rows, g.columns, type, most);
    const bool splits = g.c.bytes == 16 && g.c.run == device_run::group && entry == 4;
    g.c.staged = g.c.layout == batch_layout::interleaved
                     ? !alone && g.problems > 1
                     : g.c.column == 1 && (splits || g.threads_across() * at_once < device_sector);
    if (g.c.staged || g.together == 1) break;
    device_copies(g.c, lies.c, g.problems, g.m, g.n, g.rows, g.columns, type, at_once);
    if (g.c.bytes == at_once && g.c.run == device_run::row) break;
  }
  if (!g.c.staged && g.together == 1) {
    device_copies(g.c, lies.c, g.problems, g.m, g.n, g.rows, g.columns, type, entry);
    if (g.c.run != device_run::row) {
      g.c.run = device_run::row;
      g.c.bytes = 0;
    }
  }
}

/// Bytes of shared memory of one warp at which a multiprocessor holds as many as are wanted.
constexpr index device_warp_bytes(const device_capabilities& d) {
  return d.shared_bytes / device_warps_wanted - d.reserved_bytes * d.warp / device_block_threads;
}

// ---- where matrices lie in shared memory --------------------------------------------------------

/// Cycles in which the first warp of a group reads, or writes, one entry each: of task p and thread
/// (r, c) there that at p apart + r row + c column. In a cycle the 32 banks serve threads of 128
/// bytes together, entries of different rows of the banks one after another.
constexpr int device_bank_cycles(const device_gemm& g, int bytes, int apart, int row, int column) {
  const int at_once = 128 / bytes, across = g.threads_across(), task = g.threads_of_task();
  const int lanes = task * g.problems < 32 ? task * g.problems : 32;
  int cycles = 0;
  for (int first = 0; first < lanes; first += at_once) {
    int asked[32] = {}, most = 0;
    for (int t = first; t < lanes && t < first + at_once; ++t) {
      // Another thread of the task may have asked for the same entry.
      const int in_task = t % task;
      const int same = column == 0 && in_task % across > 0 ? t - 1
                       : row == 0 && in_task >= across     ? t - across
                                                           : -1;
      if (same >= first) continue;
      const int at = t / task * apart + in_task / across * row + in_task % across * column;
      const int here = ++asked[at % at_once];
      if (here > most) most = here;
    }
    cycles += most;
  }
  return cycles;
}

/// A row of A is read by a thread, of B by neighbours, of C written by neighbours.
enum class device_role : unsigned char { a, b, c };
/// Entries of a staged operand that a thread reads or writes at once: neighbours in a row, where
/// all rows begin at multiples of them. (Those of A the compiler finds, of unrolled values.)
constexpr int device_read_at_once(const device_gemm& g, const device_matrix& x, device_role role,
                                  int bytes) {
  int n = role == device_role::a ? 16 / bytes : g.together;
  while (n > 1 &&
         (x.pitch % n != 0 || x.apart % n != 0 || (role == device_role::a && g.unroll % n != 0)))
    n /= 2;
  return n > 1 ? n : 1;
}
/// Cycles in which a warp reads or writes them.
constexpr int device_bank_cycles(const device_gemm& g, const device_matrix& x, device_role role,
                                 int bytes) {
  const int n = device_read_at_once(g, x, role, bytes);
  return device_bank_cycles(g, bytes * n, x.apart / n, role == device_role::b ? 0 : x.pitch / n,
                            role == device_role::a ? 0 : g.together / n);
}

/// Lays matrices of rows x columns entries of one operand so far apart that the threads of a warp
/// read from different banks as far as may be. Where columns are what lies together in memory an
/// odd pitch has the same effect for those who bring them.
constexpr void device_lay_out(device_gemm& g, device_matrix& x, device_role role, int rows,
                              int columns, int bytes) {
  if (!x.staged) return;
  const int banks = 128 / bytes, by = x.at_once(bytes);
  const bool alone = x.shared || g.problems == 1 || x.run == device_run::group;
  const bool by_rows = (x.row < 0 ? -x.row : x.row) < (x.column < 0 ? -x.column : x.column);
  const int widest = columns + (x.run == device_run::row ? by : 0);
  device_matrix best = x;
  double least = 0;
  for (x.pitch = columns; x.pitch <= widest; x.pitch += by) {
    if (by_rows && x.pitch % 2 == 0) continue;
    const int close =
        x.run == device_run::group ? rows * x.pitch : (rows * x.pitch + by - 1) / by * by;
    for (x.apart = close; x.apart < close + (alone ? 1 : banks); x.apart += by) {
      const double cycles =
          1.0 * device_bank_cycles(g, x, role, bytes) / device_read_at_once(g, x, role, bytes);
      if (least > 0 && cycles >= least) continue;
      least = cycles;
      best = x;
    }
  }
  x = best;
}
/// The same, at once, without looking at banks: odd numbers are seldom bad.
constexpr void device_lay_out_odd(device_matrix& x, int rows, int columns, int bytes) {
  const int by = x.at_once(bytes);
  const auto odd = [&](int entries) { return ((entries + by - 1) / by | 1) * by; };
  x.pitch = !x.staged ? 0 : x.run == device_run::row ? odd(columns) : columns;
  x.apart = !x.staged ? 0 : x.run == device_run::group ? rows * columns : odd(rows * x.pitch);
}

}  // namespace tenfold::select
