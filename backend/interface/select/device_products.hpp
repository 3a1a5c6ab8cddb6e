#pragma once

#include <tenfold/backend/interface/select/device_matrices.hpp>
#include <tenfold/backend/interface/select/device_tunings.hpp>
#include <tenfold/backend/interface/select/register_tiles.hpp>

/// Batched products of matrices on a GPU: how the work of a shape is cut. What is said here of
/// registers was read from compilers; the times follow from counts of what a multiprocessor does,
/// by weights that were fitted to measured ones.
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
  device_tiling tiling;     ///< that made the cut
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

/// Panels in shared memory, where a tiling does not say: one is computed while the next one is on
/// its way.
inline constexpr int device_buffers = 2;

/// Registers of 32 bits that one register tile may take for its sums: 4 x 4 doubles make a kernel
/// of some 70 registers, 8 x 8 floats one of 128, 8 x 8 doubles one of 252.
constexpr int device_sum_registers(scalar type) { return type == scalar::f32 ? 64 : 32; }
/// The same, and the longest side of a register tile, where buffers and shared memory are cut for
/// it, too: 7 x 4 doubles make a kernel of some 140 registers.
inline constexpr int device_product_registers = 64, device_product_side = 8;
constexpr int words_of(scalar type) { return static_cast<int>(bytes_of(type)) / 4; }
/// Registers of one thread, estimated: sums, the factors of two steps, because the assembler reads
/// ahead, and the rest. Where there are more to be had it reads further ahead and takes up to 30
/// more.
constexpr int device_registers(const device_gemm& g, scalar type) {
  const int steps = g.panel < 2 ? g.panel : 2;
  return words_of(type) *
             (g.thread_rows * g.thread_columns + steps * (g.thread_rows + g.thread_columns)) +
         24;
}

/// Entries of C from which on a problem may be cut into tasks: for so few large problems the cut
/// depends on how many there are, lest multiprocessors have nothing to do.
inline constexpr index device_large_result = 64 * 64;
/// Problems that the cut depends on: 0, if it does not.
constexpr index device_few(const gemm_shape& s, index count, const device_capabilities& d) {
  return s.m * s.n > device_large_result && count < d.multiprocessors ? count : 0;
}

/// Instructions of a group that bring, or write, tiles of rows x columns entries of one operand:
/// those of the walk through them (tile_walk).
constexpr double device_copies_of(const device_gemm& g, const device_matrix& x, int rows,
                                  int columns, int entry_bytes, int warp) {
  const auto least = [](int a, int b) { return a < b ? a : b; };
  const auto chunks_of = [](int all, int some) { return (all + some - 1) / some; };
  const int at_once = x.at_once(entry_bytes), matrices = x.shared ? 1 : g.problems;
  const int pieces = x.bytes > 0 && x.bytes < entry_bytes ? entry_bytes / x.bytes : 1;
  int neighbours = columns / at_once, lines = rows, all = matrices;
  if (x.run != device_run::row) {
    neighbours = rows * columns * (x.run == device_run::group ? matrices : 1) / at_once;
    lines = 1;
    if (x.run == device_run::group) all = 1;
  }
  const int n = least(neighbours, g.threads), l = least(lines, g.threads / n);
  const int p = least(all, g.threads / n / l);
  return 1.0 * pieces * chunks_of(neighbours, n) * chunks_of(lines, l) * chunks_of(all, p) *
         g.threads / warp;
}

/// The share of its bandwidth that a device's memory has for a copy: 4150 of 4814 GB/s of an H200.
inline constexpr double device_bandwidth_share = 0.86;

/// Cycles of a multiprocessor for one problem. The weights were fitted to the times of 346 cuts of
/// square products of order 2 to 32 on an H200, of float and of double, to 5 % (root mean square).
/// All of them copied number by number: that 16 bytes take no longer than 4 is not measured.
struct device_cycles {
  double memory = 0;  ///< for all operands to cross to the memory or back
  double again = 0;   ///< for what is read more than once
  double work = 0;    ///< for instructions, some of which wait for others of the same unit

  /// Both together: neither hides all of the other.
  constexpr double square() const { return (memory + again) * (memory + again) + work * work; }
};
constexpr device_cycles device_cycles_of(const device_gemm& g, scalar type,
                                         const device_capabilities& d) {
  const scalar real = type == scalar::f32 || type == scalar::c32 ? scalar::f32 : scalar::f64;
  const int bytes = static_cast<int>(bytes_of(type));
  const double m = g.m, n = g.n, k = g.k;
  const double a = g.a.shared ? 0 : m * k, b = g.b.shared ? 0 : k * n, c = m * n;
  // Warps that do one step of the sum of one problem.
  const double warps = 1.0 * g.threads / d.warp / g.problems * g.tasks();
  const double products = k * warps * g.thread_rows * g.thread_columns * (is_complex(type) ? 4 : 1);
  const double reads = k * warps * (g.thread_rows + 1.0 * g.thread_columns / g.together);
  const double groups = 1.0 * g.tasks() / g.problems;  // that a problem keeps busy
  const auto brought = [&](const device_matrix& x, int rows, int columns) {
    return !x.staged || stays(g, x)
               ? 0
               : groups * g.panels() * device_copies_of(g, x, rows, columns, bytes, d.warp);
  };
  const double copies = brought(g.a, g.rows, g.panel) + brought(g.b, g.panel, g.columns);
  const double sums = warps * g.thread_rows * g.thread_columns / g.together;
  const double writes =
      sums +
      (g.c.staged ? 2 * groups * device_copies_of(g, g.c, g.rows, g.columns, bytes, d.warp) : 0);
  device_cycles x;
  // What is read again comes from the cache of all multiprocessors, taken to be twice as fast. Not
  // measured.
  const double again = m * k * g.tasks_across() / (g.a.shared ? g.problems : 1) +
                       k * n * g.tasks_down() / (g.b.shared ? g.problems : 1);
  const double stayed = (stays(g, g.a) ? m * k : 0) + (stays(g, g.b) ? k * n : 0);
  const double memory_cycles =
      bytes * d.clock * d.multiprocessors / (device_bandwidth_share * d.bandwidth);
  x.memory = (a + b + c) * memory_cycles;
  x.again = (again - stayed / g.problems - a - b) / 2 * memory_cycles;
  // A group that has fewer problems of an interleaved block than a sector reads the others, too. On
  // an H200 doubles of order 16 ran at 0.47 of a copy by groups of one problem.
  const auto beside = [&](const device_matrix& o, double entries) {
    const int together = g.problems * (is_complex(type) ? bytes / 2 : bytes);
    const bool is_part =
        o.layout == batch_layout::interleaved && !o.shared && together < device_sector;
    return is_part ? entries * (1.0 * device_sector / together - 1) : 0;
  };
  x.again += (beside(g.a, a) + beside(g.b, b) + beside(g.c, c)) * memory_cycles;
  // A copy into shared memory is taken to cost five cycles, whatever its width; what belongs to a
  // stage five for each warp, and 36 where warps wait for each other. Four instructions begin in a
  // cycle, of doubles two products.
  const double stage = g.scope == device_scope::warp ? 5 : 36;
  const double issue = 1.25 * (products + reads) / 4;
  const double arithmetic = products * d.warp / device_fma_per_cycle(d.architecture, real);
  x.work = 5 * copies + 0.7 * writes + stage * g.panels() * warps +
           (issue > arithmetic ? issue : arithmetic);
  return x;
}

/// The cut that a tiling makes.
constexpr device_product_choice device_cut(const gemm_shape& s, const wide_maps& wide,
                                           const device_tiling& tiling, index few,
                                           const device_capabilities& d,
                                           const gemm_alignment& lies = {}) {
  device_product_choice choice;
  choice.tiling = tiling;
  device_gemm& g = choice.cut;
  const int bytes = static_cast<int>(bytes_of(s.type));
  g.m = static_cast<int>(s.m);
  g.n = static_cast<int>(s.n);
  g.k = static_cast<int>(s.k);
  g.a = device_matrix_of(s.a, wide.a);
  g.b = device_matrix_of(s.b, wide.b);
  g.c = device_matrix_of(s.c, wide.c);
  g.thread_rows = tiling.thread_rows;
  g.thread_columns = tiling.thread_columns;
  g.unroll = tiling.unroll > 0 ? tiling.unroll : device_unroll;
  g.buffers = tiling.buffers > 0 ? tiling.buffers : device_buffers;

  // Tasks: whole matrices, or tiles.
  const index side = tiling.side;
  g.rows = chunks(s.m, side * g.thread_rows).longer;
  g.columns = chunks(s.n, side * g.thread_columns).longer;
  const int t = g.threads_of_task();
  const bool whole = g.tasks() == 1;

  // Groups: warps of as many problems as there is room for, or blocks.
  const int warp = d.warp;
  if (t <= warp && !(tiling.block != 0 && whole)) {
    g.scope = device_scope::warp;
    g.threads = warp;
    g.problems = whole ? warp / t : 1;
    g.groups = device_block_threads / warp;
    if (tiling.problems > 0 && tiling.problems < g.problems) g.problems = tiling.problems;
    if (tiling.groups > 0) g.groups = tiling.groups;
  } else {
    g.scope = device_scope::block;
    g.problems = whole && t < device_block_threads ? device_block_threads / t : 1;
    // As many as lie side by side in multiples of 16 bytes, whatever their order.
    const int even = bytes < 16 ? 16 / bytes : 1;
    if (tiling.block != 0 && g.problems > even) g.problems -= g.problems % even;
    if (whole && tiling.problems > 0) g.problems = tiling.problems;
    g.threads = (t * g.problems + warp - 1) / warp * warp;
    g.groups = 1;
  }
  const auto group_bytes = [&] {
    stage_operands(g, s.type, lies, tiling.bytes);
    device_lay_out_odd(g.a, g.rows, g.panel, bytes);
    device_lay_out_odd(g.b, g.panel, g.columns, bytes);
    device_lay_out_odd(g.c, g.rows, g.columns, bytes);
    return bytes * staged_entries(g);
  };

  // Panels: all of k where it leaves room for the warps that are wanted; else a part; and where not
  // even eight values do, fewer problems at a time.
  const index most = device_warp_bytes(d) * (g.threads / warp);
  const int k = s.k < 1 ? 1 : static_cast<int>(s.k);
  // (More than 1024 values of one row are more than a block has room for, too.)
  g.panel = tiling.panel > 0 && tiling.panel < k ? tiling.panel
            : k > 1024                           ? static_cast<int>(chunks(k, 64).longer)
                                                 : k;
  while (tiling.panel == 0 && group_bytes() > most && (g.panel > 8 || g.problems > 1)) {
    if (g.panel > 8) {
      g.panel = chunks(k, (g.panel > 64 ? 64 : g.panel) - 4).longer;
      if (g.panel < 8) g.panel = 8;
    } else {
      g.problems -= 1;
    }
  }
  group_bytes();
  while (g.groups > 1 && shared_bytes(g, bytes) > d.shared_bytes_block) g.groups -= 1;
  choice.possible =
      shared_bytes(g, bytes) <= d.shared_bytes_block && g.threads_of_block() <= device_most_threads;

  // The square of the share of a copy's speed that is expected: less where warps, or bytes on their
  // way, are few, and where others have to be waited for.
  choice.lanes_used = static_cast<double>(s.m) * static_cast<double>(s.n) / g.tasks() * g.problems /
                      (1.0 * g.threads * g.thread_rows * g.thread_columns);
  const int block = g.threads_of_block();
  const index blocks =
      device_resident_blocks(d, block, device_registers(g, s.type), shared_bytes(g, bytes));
  choice.warps = static_cast<int>(blocks) * (block / warp);
  const auto share = [](double x, double wanted) {
    return x < wanted ? x / wanted * (x / wanted) : 1;
  };
  const device_cycles cycles = device_cycles_of(g, s.type, d);
  choice.score =
      cycles.memory * cycles.memory / cycles.square() * share(choice.warps, device_warps_needed);
  if (g.a.staged || g.b.staged) {
    const double on_the_way = static_cast<double>(blocks * g.groups * bytes) *
                              static_cast<double>(staged_a(g) + staged_b(g)) *
                              (g.buffers > 1 ? g.buffers - 1 : 0.5);
    choice.score *= share(on_the_way, device_bytes_wanted);
  }
  const index tasks = few * g.tasks();
  if (few > 0) choice.score *= share(static_cast<double>(tasks), d.multiprocessors);
  choice.reason = reason_of(device_class_of(g));
  return choice;
}

/// The same with its matrices laid out by banks, if there is room for that.
constexpr device_product_choice device_laid_out(device_product_choice choice, scalar type,
                                                const device_capabilities& d) {
  device_gemm g = choice.cut;
  const int bytes = static_cast<int>(bytes_of(type));
  device_lay_out(g, g.a, device_role::a, g.rows, g.panel, bytes);
  device_lay_out(g, g.b, device_role::b, g.panel, g.columns, bytes);
  device_lay_out(g, g.c, device_role::c, g.rows, g.columns, bytes);
  if (shared_bytes(g, bytes) <= d.shared_bytes_block) choice.cut = g;
  return choice;
}

/// Calls consider(choice) with each cut that comes into question for a product as it is cut, not
/// laid out by banks.
template <class F>
constexpr void for_each_device_cut(const gemm_shape& s, const device_capabilities& d,
                                   const wide_maps& wide, index few, const gemm_alignment& lies,
                                   F consider) {
  const int side = device_product_side;
  for (int m = 1; m <= side && m <= s.m; ++m) {
    for (int n = 1; n <= side && n <= s.n; ++n) {
      if (m * n * words_of(s.type) > device_product_registers) continue;
      for (const int threads : {8, 16}) {
        if (threads < 16 && few == 0) continue;
        device_tiling tiling{.thread_rows = m, .thread_columns = n, .side = threads};
        const auto cut = [&] {
          const auto one = device_cut(s, wide, tiling, few, d, lies);
          const bool helps = tiling.block == 0 || one.cut.a.bytes > 0 || one.cut.b.bytes > 0;
          if (one.possible && helps) consider(one);
          return one.cut;
        };
        for (const int buffers : {1, 2}) {
          tiling.buffers = buffers;
          tiling.block = 0;
          // Few matrices of odd order may be no multiple of what is copied at a time.
          const device_gemm by_warps = cut();
          if (by_warps.scope == device_scope::warp && by_warps.tasks() == 1 &&
              by_warps.a.bytes == 0 && by_warps.b.bytes == 0 && bytes_of(s.type) < 16) {
            tiling.block = 1;
            cut();
          }
        }
      }
    }
  }
}

/// The cut of a product, as it is cut, by the tiling that was found for it: in the table of this
/// device, else in what is shipped. Not possible: none was found, or it is none for a product whose
/// matrices lie like these. Tilings were timed on many problems of strided matrices.
constexpr device_product_choice device_tuned_cut(const gemm_shape& s, const device_capabilities& d,
                                                 const wide_maps& wide, index few,
                                                 const gemm_alignment& lies,
                                                 std::span<const device_tuning> found) {
  const auto strided = [](const matrix_batch& x) { return x.layout == batch_layout::strided; };
  if (few > 0 || !strided(s.a) || !strided(s.b) || !strided(s.c)) return {};
  const auto by = [&](std::span<const device_tuning> table, const char* reason) {
    const auto tiling = device_tuned(table, tuned_product_of(s));
    device_product_choice one;
    if (tiling) one = device_cut(s, wide, *tiling, few, d, lies);
    one.reason = reason;
    return one;
  };
  const device_product_choice here =
      by(found, "tuned: the fastest of the cuts that were timed on this device");
  return here.possible
             ? here
             : by(device_shipped(d), "tuned: the fastest of the cuts that were timed on an H200");
}

/// How C(b) := alpha A(b) B(b) + beta C(b) is cut for a GPU. `few`: device_few. `found`: what was
/// found by timing on this device.
constexpr device_product_choice device_product(const gemm_shape& shape,
                                               const device_capabilities& d,
                                               const wide_maps& wide = {}, index few = 0,
                                               const gemm_alignment& alignment = {},
                                               std::span<const device_tuning> found = {}) {
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
  const wide_maps maps = turned ? transposed(wide) : wide;
  const gemm_alignment lies = turned ? transposed(alignment) : alignment;
  best = device_tuned_cut(s, d, maps, few, lies, found);
  if (!best.possible) {
    best = {};
    for_each_device_cut(s, d, maps, few, lies, [&](const device_product_choice& one) {
      if (one.score >= best.score) best = one;
    });
  }
  if (best.possible)
    best = device_laid_out(best, s.type, d);
  else
    best.reason = "a block has too little shared memory";
  best.transposed = turned;
  return best;
}

/// Times that the device is filled, at most, with blocks that walk on through the work of one
/// launch: they bring a shared matrix once, or the inputs of elements ahead, and yet the memory is
/// read in better order by blocks that begin one after another. On an H200 8 were up to 1.2 times
/// as fast as 1 for fused programs, and mostly faster than as many as there are elements.
inline constexpr index device_waves = 8;

/// Blocks of a launch for so many problems: one for each part of the work, as many as a grid can be
/// long. On an H200 as many blocks as it holds at a time, which walk through all of the batch, were
/// 0.92 times as fast on average: the memory is read in better order by blocks that begin one after
/// another. But blocks that bring a matrix for all problems walk on, a few times as many as the
/// device holds: with one for each part of the work 81 x 9 x 8 with a shared A was 0.2 times as
/// fast. Registers of a thread: 0, if they are not known.
constexpr index device_blocks(const device_gemm& g, scalar type, index count,
                              const device_capabilities& d, int registers = 0) {
  const index of_block = index{g.groups} * g.problems;
  const index tasks = count * g.tasks();  // fits: C has more entries
  const index blocks = tasks / of_block + (tasks % of_block != 0);
  index most = device_most_blocks;
  if (g.a.shared || g.b.shared) {
    const index resident = device_resident_blocks(
        d, g.threads_of_block(), registers, shared_bytes(g, static_cast<int>(bytes_of(type))));
    const index walking = device_waves * d.multiprocessors * (resident < 1 ? 1 : resident);
    if (walking < most) most = walking;
  }
  return blocks < most ? blocks : most;
}

}  // namespace tenfold::select
