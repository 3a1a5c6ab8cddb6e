#pragma once

#include <tenfold/backend/interface/device_capabilities.hpp>
#include <tenfold/backend/interface/device_gemm.hpp>
#include <tenfold/backend/interface/device_scale_gathered.hpp>
#include <tenfold/backend/interface/device_variable_gemm.hpp>
#include <tenfold/backend/interface/gemm.hpp>
#include <tenfold/backend/interface/select/tiles.hpp>

/// Batched products of matrices on a GPU: how the work of a shape is cut. What is said here of
/// registers was read from compilers; the weights follow from counts, no run has judged them yet.
namespace tenfold::select {

/// Who computes one problem.
enum class device_class : unsigned char { thread, sub_warp, warp, block, blocks };

constexpr device_class device_class_of(const device_gemm& g) {
  if (g.tasks() > 1) return device_class::blocks;
  const int t = g.threads_of_task();
  return t == 1    ? device_class::thread
         : t > 32  ? device_class::block
         : t <= 16 ? device_class::sub_warp
                   : device_class::warp;
}
constexpr const char* reason_of(device_class c) {
  switch (c) {
    case device_class::thread:
      return "a thread to each problem: its C fits into registers";
    case device_class::sub_warp:
      return "some threads of a warp to each problem: register tiles for 2 to 16";
    case device_class::warp:
      return "a warp to each problem: register tiles for 17 to 32 threads";
    case device_class::block:
      return "a block to each problem: register tiles for more than a warp";
    case device_class::blocks:
      return "a block to each tile of C: more register tiles than a block has threads";
  }
  return "";
}

/// How a batched product is cut, and why; or why it is not.
struct device_product_choice {
  bool possible = false;
  bool transposed = false;  ///< C^T := B^T A^T instead, so that C lies by rows
  device_gemm cut;
  const char* reason = "";
  double lanes_used = 0;  ///< of all products of all threads, the share that is wanted
  int warps = 0;          ///< that a multiprocessor holds at a time, estimated
  double score = 0;

  friend constexpr bool operator==(const device_product_choice&,
                                   const device_product_choice&) = default;
};

/// Contracted values that are unrolled: double 32 x 32 x 32 in 8 x 8 tiles compiles in 120, 147 and
/// 578 ms for 1, 4 and all.
inline constexpr int device_unroll = 4;

/// Entries that each thread has on their way to shared memory at a time. Not measured.
inline constexpr int device_loads = 4;

/// Registers of 32 bits that one register tile may take for its sums: 4 x 4 doubles make a kernel
/// of some 70 registers, 8 x 8 floats one of 128, 8 x 8 doubles one of 252.
constexpr int device_sum_registers(scalar type) { return type == scalar::f32 ? 64 : 32; }
/// The longest side of a register tile.
constexpr int device_tile_side(scalar type) { return type == scalar::f32 ? 8 : 4; }
constexpr int words_of(scalar type) { return static_cast<int>(bytes_of(type)) / 4; }
/// Registers of one thread, estimated: sums, one row and one column of factors, and the rest.
constexpr int device_registers(const device_gemm& g, scalar type) {
  return words_of(type) * (g.thread_rows * g.thread_columns + g.thread_rows + g.thread_columns) +
         32;
}

/// The most threads of one task, and those of a block of smaller tasks.
inline constexpr int device_task_threads = 256;
inline constexpr int device_block_threads = 128;

/// Warps of a multiprocessor that are taken to keep its memory busy; with device_loads for each
/// thread they have 16 KB of doubles on their way. Not measured.
inline constexpr int device_warps_wanted = 16;

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

/// Which operands go by way of shared memory. All that several threads read; and what a thread
/// reads or writes alone, unless its neighbours do the same beside it, as in an interleaved batch.
constexpr void stage_operands(device_gemm& g, scalar type) {
  const bool alone = g.threads_of_task() == 1;
  const auto beside = [&](const device_matrix& x) {
    return alone && x.layout == batch_layout::interleaved && !x.shared;
  };
  g.a.staged = !beside(g.a);
  g.b.staged = !beside(g.b);
  const int run = g.threads_across() * static_cast<int>(bytes_of(type));
  g.c.staged = g.c.layout == batch_layout::interleaved ? !alone && g.problems > 1
                                                       : g.c.column == 1 && run < device_sector;
}

/// Bytes of shared memory of one warp at which a multiprocessor holds as many as are wanted.
constexpr index device_warp_bytes(const device_capabilities& d) {
  return d.shared_bytes / device_warps_wanted - d.reserved_bytes * d.warp / device_block_threads;
}

/// Entries of C from which on a problem may be cut into tasks: for so few large problems the cut
/// depends on how many there are, lest multiprocessors have nothing to do.
inline constexpr index device_large_result = 64 * 64;
/// Problems that the cut depends on: 0, if it does not.
constexpr index device_few(const gemm_shape& s, index count, const device_capabilities& d) {
  return s.m * s.n > device_large_result && count < d.multiprocessors ? count : 0;
}

/// The cut with register tiles of this shape, at most `side` x `side` of them to a task.
constexpr device_product_choice device_cut(const gemm_shape& s, const wide_maps& wide,
                                           tile_shape tile, index side, index few,
                                           const device_capabilities& d) {
  device_product_choice choice;
  device_gemm& g = choice.cut;
  const int bytes = static_cast<int>(bytes_of(s.type));
  g.m = static_cast<int>(s.m);
  g.n = static_cast<int>(s.n);
  g.k = static_cast<int>(s.k);
  g.a = device_matrix_of(s.a, wide.a);
  g.b = device_matrix_of(s.b, wide.b);
  g.c = device_matrix_of(s.c, wide.c);
  g.thread_rows = tile.m;
  g.thread_columns = tile.n;
  g.unroll = device_unroll;
  g.loads = device_loads;

  // Tasks: whole matrices, or tiles.
  g.rows = chunks(s.m, side * tile.m).longer;
  g.columns = chunks(s.n, side * tile.n).longer;
  const int t = g.threads_of_task();
  const bool whole = g.tasks() == 1;

  // Groups: warps of as many problems as there is room for, or blocks.
  const int warp = d.warp;
  if (t <= warp) {
    g.scope = device_scope::warp;
    g.threads = warp;
    g.problems = whole ? warp / t : 1;
    g.groups = device_block_threads / warp;
  } else {
    g.scope = device_scope::block;
    g.problems = whole && t < device_block_threads ? device_block_threads / t : 1;
    g.threads = (t * g.problems + warp - 1) / warp * warp;
    g.groups = 1;
  }
  stage_operands(g, s.type);

  // Panels: all of k where it leaves room for the warps that are wanted; else a part; and where not
  // even eight values do, fewer problems at a time.
  const auto group_bytes = [&] { return shared_bytes(g, bytes) / g.groups; };
  const index most = device_warp_bytes(d) * (g.threads / warp);
  const int k = s.k < 1 ? 1 : static_cast<int>(s.k);
  g.panel = k;
  while (group_bytes() > most && (g.panel > 8 || g.problems > 1)) {
    if (g.panel > 8) {
      g.panel = chunks(k, (g.panel > 64 ? 64 : g.panel) - 4).longer;
      if (g.panel < 8) g.panel = 8;
    } else {
      g.problems -= 1;
      stage_operands(g, s.type);
    }
  }
  while (g.groups > 1 && shared_bytes(g, bytes) > d.shared_bytes_block) g.groups -= 1;
  choice.possible = shared_bytes(g, bytes) <= d.shared_bytes_block;

  // What is won: products for each operation of a thread, loads from shared memory being
  // operations, of threads that have something to do; less where warps are few.
  const double wanted =
      static_cast<double>(s.m) * static_cast<double>(s.n) / g.tasks() * g.problems;
  const int products = tile.m * tile.n;
  choice.lanes_used = wanted / (g.threads * products);
  const int block = g.threads_of_block();
  const index blocks =
      device_resident_blocks(d, block, device_registers(g, s.type), shared_bytes(g, bytes));
  choice.warps = static_cast<int>(blocks) * (block / warp);
  choice.score =
      choice.lanes_used * products / (products + tile.m + tile.n) *
      (choice.warps < device_warps_wanted ? static_cast<double>(choice.warps) / device_warps_wanted
                                          : 1);
  const index tasks = few * g.tasks();
  if (few > 0 && tasks < d.multiprocessors)
    choice.score *= static_cast<double>(tasks) / d.multiprocessors;
  choice.reason = reason_of(device_class_of(g));
  return choice;
}

/// How C(b) := alpha A(b) B(b) + beta C(b) is cut for a GPU. `few`: device_few.
constexpr device_product_choice device_product(const gemm_shape& shape,
                                               const device_capabilities& d,
                                               const wide_maps& wide = {}, index few = 0) {
  device_product_choice best;
  const index most = index{1} << 30;
  if (shape.m > most || shape.n > most || shape.k > most) {
    best.reason = "an extent is beyond 2^30";
    return best;
  }
  // An int counts the tiles, whatever the register tile: one for each 16 x 16 entries at most.
  if (shape.m * shape.n > index{1} << 38) {
    best.reason = "a result has more than 2^38 entries";
    return best;
  }
  const bool turned = lies_by_columns(shape.c);
  const gemm_shape s = turned ? transposed(shape) : shape;
  const int side = device_tile_side(s.type);
  for (int m = 1; m <= side && m <= s.m; ++m) {
    for (int n = 1; n <= side && n <= s.n; ++n) {
      if (m * n * words_of(s.type) > device_sum_registers(s.type)) continue;
      for (const index threads : {index{8}, index{16}}) {
        if (threads < 16 && few == 0) continue;
        const auto one = device_cut(s, turned ? transposed(wide) : wide, {m, n}, threads, few, d);
        if (one.possible && one.score >= best.score) best = one;
      }
    }
  }
  best.transposed = turned;
  if (!best.possible) best.reason = "a block has too little shared memory";
  return best;
}

/// Blocks of a launch for so many problems: one for each part of the work, as many as a grid can be
/// long; they walk on from there.
constexpr index device_blocks(const device_gemm& g, index count) {
  const index of_block = index{g.groups} * g.problems, most = (index{1} << 31) - 1;
  const index tasks = count * g.tasks();  // fits: C has more entries
  const index blocks = tasks / of_block + (tasks % of_block != 0);
  return blocks < most ? blocks : most;
}

/// How a step of scaling what a map names is cut: a thread to an entry. Blocks of 256 threads fill
/// a multiprocessor. Not measured.
constexpr device_scale_gathered device_scaling(gathered_scaling step, bool wide_map) {
  return {step, wide_map, 256};
}
/// Blocks of a launch for so many numbers of the map: as many as a grid can be long; they walk on
/// from there.
constexpr index device_blocks(const device_scale_gathered& g, index entries) {
  const index most = (index{1} << 31) - 1, blocks = (entries - 1) / g.threads + 1;
  return blocks < most ? blocks : most;
}

/// How a variable batch is cut: 64 threads to a problem, whose register tiles are as large as
/// problems of `usual` rows and columns fill, and as the sums have registers.
constexpr device_variable_gemm device_variable_product(scalar type, index usual) {
  device_variable_gemm g;
  g.unroll = device_unroll;
  while (g.rows() < usual && 2 * g.thread_rows <= device_tile_side(type) &&
         4 * g.thread_rows * g.thread_rows * words_of(type) <= device_sum_registers(type))
    g.thread_rows = g.thread_columns = 2 * g.thread_rows;
  return g;
}
/// Blocks of a launch: one to each problem, up to twice as many as the device holds at a time;
/// these walk on. Not measured.
constexpr index device_variable_blocks(const device_variable_gemm& g, index count,
                                       const device_capabilities& d) {
  const index most = index{2} * d.multiprocessors * d.threads / g.threads();
  return count < most ? count : most;
}

}  // namespace tenfold::select
