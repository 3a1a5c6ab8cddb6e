#pragma once

#include <tenfold/backend/interface/blocking.hpp>
#include <tenfold/backend/interface/capabilities.hpp>
#include <tenfold/backend/interface/select/gemm_tiles.hpp>

/// Steps that run as a whole, for which the caches decide the order: products in blocks, sums along
/// neighbours, copies and products entry by entry.
namespace tenfold::select {

/// Whether a product of m rows, n columns and k contracted values is cut into blocks that are
/// packed: where the operands do not stay in L2 and each entry that is packed is used often enough
/// (of 8 to 12 rows or sums the contractions of ./dev bench contract --quick run at 1.5 to 3 times
/// the rate of tile programs).
///
/// `slow_unblocked`: what would run it otherwise reads memory badly, as tiles of one product alone
/// do, or a batch whose neighbours in memory are its problems. Steps of a longer program leave
/// little in memory where they run tile by tile, so they ask for more, and so do batches that the
/// kernels of batches read in place, though too large to be fetched ahead (`dcba := sum_e ce deba`
/// of order 40 38 GFLOP/s, in blocks 37, 72 43 and 58, Emerald Rapids).
constexpr bool is_blocked(double m, double n, double k, bool slow_unblocked, scalar type,
                          const capabilities& c) {
  const double least = slow_unblocked ? 8 : 64;
  const double bytes = (m * k + k * n + m * n) * static_cast<double>(bytes_of(type));
  return m >= least && n >= least && k >= least && bytes > static_cast<double>(c.l2_bytes);
}
/// The same in cache: one product whose rows, columns or sums are several loops, which are one in
/// the panels (./dev bench contract --filter labels: the three of ten labels run at 0.73 to 0.83 of
/// a matrix product of the same work; tile by tile at 0.25 to 0.6. That of eight rows and sums runs
/// at 0.48, and in blocks at 0.8 of that.)
constexpr bool is_blocked_in_cache(double m, double n, double k) {
  return m >= 16 && n >= 16 && k >= 16;
}
/// Whether one product leaves lanes idle whose results lie along `near` values, while its other
/// side is long enough to give lanes.
constexpr bool is_narrow(index near, index far, scalar type, const capabilities& c) {
  return 2 * near < c.lanes(type) && far >= 4 * c.lanes(type);
}
/// Whether the kernels of batches take matrices times vectors, of `extent` results that are `near`,
/// neighbours in the matrix, and so many terms; shared: one vector for all. Programs that are
/// compiled by themselves do as well where results fill vectors (9 x 9, in cache: 51 GB/s, and
/// these kernels 92; 4 x 4: 129 and 104), and better where they are far (8 x 8: 48 and 24). Those
/// of the library, scalar where they are far, do not (8 x 8: 8.6 and 14.9; near, 9 x 32: 21 and
/// 42). Vectors times one matrix are the rows of one product (8 x 8 far: 81 GB/s, compiled 39; 32 x
/// 32 near: 27 and 19; 3 x 3: 45 and 34, but from memory 18 and 30; Zen 5). Long sums read memory
/// faster row by row (from memory, 96 x 9216: 18 and 12; 300 x 300: 9 and 15; Granite Rapids).
constexpr bool is_batch_of_vectors(index extent, index terms, bool near, bool shared, scalar type,
                                   const capabilities& c) {
  const int width = c.lanes(type);
  if (c.compiled && shared) return 2 * extent >= width;
  return terms <= 512 && (c.compiled ? near && extent >= width : near || !shared);
}
/// Whether the kernels of batches take products that could be blocked: where so many feed the
/// threads and, if they share an operand, what is not shared, so many bytes, can be fetched ahead
/// (double precision, from memory, Emerald Rapids, one matrix for all: order 64 78 GFLOP/s, in
/// blocks 46, 128 82 and 62, 256 76 and 67; `dcba := sum_e be dcea` of order 72 81 and 58; but of
/// rows of 5000, `ce deba`, 43 and 58).
constexpr bool is_batch(index products, bool shares, index bytes, const capabilities& c) {
  return products >= 8 && (!shares || bytes <= c.l2_bytes);
}

/// Of a product in blocks how many columns and contracted values of B are transposed together as it
/// is packed; `all_columns`: columns until its neighbours end. 0: none are.
struct transposed_runs {
  index columns = 0, all_columns = 0, sums = 0;
};
/// Whether a product has so few rows that panels of B are used but a few times.
constexpr bool has_few_rows(index m, index k, index entry, index l2) {
  return m * k * entry <= l2 / 8;
}
/// Bytes of B in a block then. The longer the pieces in which memory is read, the better (from
/// memory, Emerald Rapids, single precision, a third of these bytes and all: `dcba := sum_e aebd
/// ce` of 84 and 96 values, 24 of c, 39 and 54 GFLOP/s, `cba := sum_d adb cd` of 384 49 and 58;
/// half and all of L2, Zen 3: neither gain nor loss).
constexpr index few_rows_block(index l2) { return l2 / 4 * 3; }
/// Whether results that go past the caches are made by streamed_tile: where its panel of B, of so
/// many contracted values, stays in L1.
constexpr bool takes_streamed_tile(index k) { return k <= 96; }

/// Columns of a run (blocking::run), of `behind` of which each meets in one block the `near` values
/// along which B has its neighbours. All, where the block then goes on until those end, and else as
/// many as a register tile has; or, of few rows, where the block goes on in L2 until the neighbours
/// end,
/// - those of streamed_tile, where that is wider (extents of 16 to 48, from memory, Zen 3: 17.6
///   GFLOP/s instead of 10.1 of `edcba := sum_f dabfe fc` in double precision, five of that kind
///   1.3 to 1.7 times the rate, in single 1.1 to 1.3; where it ends before, `dcba := sum_e aced eb`
///   and `cba := sum_d adb cd`, 0.8 and 0.9),
/// - or those of the tile;
/// and else those of a line of memory, so that B is read in longer pieces (`abcd := sum_e dbea ec`,
/// 84 and 96 values a label, 24 of c, from memory, Emerald Rapids, of a matrix product by OpenBLAS:
/// 1.11 in double precision instead of 0.83; lines in any case: `abcde-efbad-cf` of that list at
/// 0.9 of its rate; vectors that are half lines, Zen 3: `aced eb`, single precision, 0.73).
///
/// Runs are as equal as whole vectors allow; the last is what is left.
constexpr index columns_of_run(index behind, index near, index m, index k, scalar type,
                               const capabilities& c) {
  const index entry = static_cast<index>(bytes_of(type)), l2 = c.l2_bytes;
  const index lanes = neighbours(c.lanes(type), type),
              tile = blocked_tile(c.registers, type).n * lanes,
              wide = streamed_tile(c.registers, type).n * lanes,
              line = 64 / entry > lanes ? 64 / entry : lanes;
  const bool few_rows = has_few_rows(m, k, entry, l2);
  const auto goes_on = [&](index columns) {
    return columns * near * k * entry <= (few_rows ? few_rows_block(l2) : 4 * l2);
  };
  index most = few_rows ? line : tile;
  if (goes_on(behind))
    most = behind;
  else if (few_rows && wide > tile && takes_streamed_tile(k) && goes_on(wide))
    most = wide;
  else if (few_rows && goes_on(tile))
    most = tile;
  if (behind <= most) return behind;
  const index runs = (behind + most - 1) / most, even = (behind + runs - 1) / runs;
  return (even + lanes - 1) / lanes * lanes;
}
/// The most values of a block, `values` or fewer of `extent`, in whole runs; one run may be more.
constexpr index in_whole_runs(index values, index extent, index run) {
  if (run == 0 || run > 2 * values || run > extent) return values;
  return run > values ? run : values / run * run;
}
/// The same of columns that are transposed: until the neighbours of B end, if that is not too long,
/// so that each place of memory is met once (`edcba := sum_f dabfe fc`, 24 to 48 values a label,
/// single precision, Zen 5: 95 GFLOP/s instead of 76). Few rows let panels of B be used but a few
/// times: they stay in L2 where runs allow it (double precision: 49 instead of 38; of `cba := sum_d
/// adb cd` in single precision one run is 1.2 MB, 95 instead of 74).
constexpr index columns_of_block(index values, index n, index k, index m, index entry, index l2,
                                 transposed_runs runs) {
  if (runs.columns == 0) return values;
  const bool few_rows = has_few_rows(m, k, entry, l2);
  const index in_l2 = few_rows_block(l2) / (k * entry),
              most = few_rows && in_l2 < values ? in_l2 : values;
  for (const index run : {runs.all_columns, runs.columns})
    if (run <= 2 * most) return in_whole_runs(most, n, run);
  return few_rows && runs.columns <= values ? runs.columns : in_whole_runs(values, n, runs.columns);
}

/// The blocks of such a product. A panel of B, three vectors wide, passes from L2 through L1 for
/// each row of tiles, a block of A stays in L2, one of B in L3. Each block of k reads and writes C
/// once more, so k comes first: of n = 1500 in double precision 256 of them reach 0.94 of what 768
/// do, 384 0.97, 512 0.99; more than that gain nothing (Zen 4).
constexpr blocking blocks_of(index m, index n, index k, scalar type, const capabilities& c,
                             transposed_runs runs = {}) {
  const index entry = static_cast<index>(bytes_of(type)), l2 = c.l2_bytes;
  const index width = blocked_tile(c.registers, type).n * neighbours(c.lanes(type), type);
  const auto evenly = [](index extent, index most, index step) {
    if (most < step) most = step;
    if (extent <= most) return extent;
    const index parts = (extent + most - 1) / most, each = (extent + parts - 1) / parts;
    return (each + step - 1) / step * step;
  };
  constexpr index most_k = block_sums;
  blocking b;
  b.k = in_whole_runs(evenly(k, most_k, 1), k, runs.sums);
  b.n = columns_of_block(evenly(n, 12 * l2 / (most_k * entry), width), n, b.k, m, entry, l2, runs);
  // Threads share blocks of columns, and where those are few, blocks of rows.
  const index tasks = 16, of_task = static_cast<index>(task_flops / (2 * static_cast<double>(b.n) *
                                                                     static_cast<double>(b.k)));
  index most_m = l2 / 8 * 7 / ((b.k > most_k ? b.k : most_k) * entry);
  if (n < tasks * b.n) {
    index rows = of_task < 64 ? 64 : of_task;
    if (rows < m / tasks) rows = m / tasks;
    if (rows < most_m) most_m = rows;
  }
  b.m = evenly(m, most_m, 16);
  if (sums_in_parts(m, n, k)) {
    b.parts = k / (16 * most_k) < 16 ? k / (16 * most_k) : 16;
    b.k = in_whole_runs(evenly((k + b.parts - 1) / b.parts, most_k, 1), k, runs.sums);
  }
  return b;
}

/// Whether C, rows x columns, is so much larger than A, rows x sums, that rows go in its order
/// (`fedcba := sum_g bged cafg`, 20 to 24 values a label, single precision: 68 GFLOP/s instead of
/// 37, Emerald Rapids).
constexpr bool writes_most(index columns, index sums) { return columns >= 4 * sums; }

/// Contracted values of a label that meet those of another in one block, see
/// loop_group::bring_near.
inline constexpr index longest_cut = 64;

/// Whether columns of B that lie in vectors are read where they are: by few rows, and few enough
/// contracted values for their lines to stay in L1.
constexpr bool reads_in_place(index rows, index k, int tile_rows) {
  return rows <= 16 * tile_rows && k <= 128;
}

/// What is kept of the columns of a register tile.
constexpr index column_panel_bytes(index columns) { return 64 + (columns + 7) / 8 * 8; }

/// Whether columns of B in runs of `run`, along which C has neighbours and B has not, are packed so
/// that each run begins a vector: else blocks of B could not be transposed, but for parts of it,
/// and lane by lane packing takes as long as some 100 rows. Lanes that are not full cost a part of
/// all rows (`edcba := sum_f afbce df`, 24 to 32 values a label, 16 of d, from memory, single
/// precision, Zen 3: 33 values of a 4.2 GFLOP/s, padded 10.2; 35 3.9 and 11.3, 36 7.0 and 12.3).
constexpr bool pads_runs(index run, index rows, index lanes) {
  const index empty = (lanes - run % lanes) % lanes;
  return run > lanes && empty > 0 && rows * empty <= 64 * run;
}

/// Entries that such a product has in scratch, per thread: its panels, where its rows, columns and
/// contracted values lie, how many rows lie in equal steps, and a list of panels. `behind`: columns
/// that are cut into runs, see columns_of_run.
constexpr index blocked_scratch(const blocking& b, index m, index n, index behind, scalar type,
                                const capabilities& c) {
  const auto whole = [](index x, index step) { return (x + step - 1) / step * step; };
  const index entry = static_cast<index>(bytes_of(type)), lanes = neighbours(c.lanes(type), type),
              width = streamed_tile(c.registers, type).n * lanes;
  index columns = whole(b.n, lanes);
  for (const index run : {b.run, b.run > 0 ? behind % b.run : 0}) {
    if (!pads_runs(run, m, lanes)) continue;
    const index padded = (b.n / run + 2) * whole(run, lanes);
    if (padded > columns) columns = padded;
  }
  const index numbers = 3 * b.m + 2 * (columns + b.k);
  // Each of seven blocks begins with a line.
  const index bytes =
      numbers * index{sizeof(index)} + columns / lanes * column_panel_bytes(width) + 7 * 64;
  return whole(b.m, 16) * b.k + columns * b.k + (bytes + entry - 1) / entry +
         (b.parts > 1 ? b.parts * m * n : 0);
}

/// Runs of neighbours of which the columns of one task of packing are: they share pages.
inline constexpr index packed_runs = 8;

/// Contracted values ahead that packing fetches, where each takes so many blocks that are
/// transposed: eight blocks, or the next value. A run of few lines ends before the processor
/// foresees it (Zen 3, from memory, `cba := sum_d adb cd`, 312 values a label, 24 of c, double
/// precision: 20 GFLOP/s instead of 12; `edcba := sum_f afbce df`, 24 to 48 values, single: 25
/// instead of 19; others of that list 0.86 to 1.18; 4 and 16 blocks are as good).
constexpr index packed_ahead(index blocks) { return blocks > 0 && blocks < 8 ? 8 / blocks : 1; }

/// Panels of so many entries that one task packs: 20 us of copying.
constexpr index packed_panels(index entries) {
  return entries < (1 << 16) ? (1 << 16) / (entries < 1 ? 1 : entries) : 1;
}

/// Whether sums of so many terms, of `points` in all, have terms as their lanes: some vectors pay
/// for putting the lanes together at the end, and all for the call (a dot product of 64: 45 ns, and
/// 26 unrolled; of 100: 49 and 51).
constexpr bool is_reduced(double terms, double points, int width) {
  return terms >= 8 * width && points >= 12 * width;
}
/// Terms that must be neighbours.
constexpr index least_run(int width) { return 2 * width; }

/// Whether as many sums of so few terms are made together as a vector has lanes: of 1024 terms they
/// are so as fast as one by one, of 64 2.8 times (batches of one row in L2, Zen 5: 127 GB/s, 46).
constexpr bool sums_together(index terms, int width) { return terms < 32 * width; }

/// Whether each of these sums is read to its end before the next: where they are longer than two
/// vectors, so that memory is read in order (32 x 32 times a vector each, Zen 5: 37 GB/s and 32; in
/// L2 8 x 8 80 and 100).
constexpr bool sums_row_by_row(index terms, int width) { return terms >= 2 * width; }

/// So many bytes ahead A is fetched (from memory 37 GB/s instead of 25 to 29, Zen 5; 2 and 8 KB as
/// good, 512 bytes 25). In L2 it is worth as much as it costs, but for the shortest sums, 0.85.
inline constexpr unsigned summed_ahead = 4096;

/// Whether a step, of operands in memory alone, that sums however few terms has them as its lanes.
/// Programs that are compiled by themselves do as well where terms do not fill a vector, or where
/// all is little (`points` multiply-adds); those of the library never, but for complex terms that
/// do not fill half of one (16 x 16 times a vector each, in L2: 130 GB/s, compiled 52, by the
/// kernels of batches 38; 4 x 4: 52, 107 and 9, from memory 39 and compiled 28; rows of 4 added:
/// 79, 117 and 47; Zen 5).
constexpr bool are_short_sums(index terms, double points, scalar type, int width, bool compiled) {
  return compiled ? terms >= width && points >= 64 * width : fills_half(terms, type, width);
}

/// Sums at a time, whose terms are multiplied by the same entries of B.
inline constexpr int reduced_rows = 4;

/// Terms of a task: 10 us.
inline constexpr index reduced_task = 1 << 17;

/// Into how many parts the sums of few results are cut, which threads take side by side: by shape
/// alone, so that the bits do not depend on the threads. `outer`: values of the loop that is cut.
constexpr index sum_parts(index results, index terms, index outer) {
  constexpr index of_part = 1 << 16, most = 64;
  if (results >= 32 || terms < 2 * of_part) return 1;
  const index parts = terms / of_part < most ? terms / of_part : most;
  return parts < outer ? parts : outer;
}

/// Whether a step that reads and writes so many bytes, each once, writes past the caches (order 256
/// reversed, single precision, 64 MiB there and back, as much as L3 is taken to hold: 17 GB/s
/// instead of 7, Emerald Rapids).
constexpr bool writes_past_caches(double bytes, index l3) {
  return bytes > static_cast<double>(l3);
}

/// A tile of what has no sum: values of the loop m, along which an operand is nearest, and of n,
/// along which the result is.
struct pointwise_tile {
  index m, n;
};

/// What goes past the caches and is not written line by line is written a few lines at a time and
/// read many (order 256 reversed, and 5000 x 5000 transposed, Granite Rapids, one core, copied in
/// order 18 to 19 GB/s: 128 x 32 entries 18.9 and 16.9, 64 x 64 17.3 and 12.7, 32 x 64 14.1
/// and 12.7); what stays takes smaller tiles (500 x 500: 27 instead of 23).
///
/// Where nothing is transposed, rows are as long as the tile holds.
constexpr pointwise_tile pointwise_tile_of(index m, index n, bool transposes, scalar type,
                                           bool streams) {
  const auto least = [](index x, index y) { return x < y ? x : y; };
  const index bytes = static_cast<index>(bytes_of(type)), tile_bytes = streams ? 32768 : 16384;
  if (!transposes) {
    const index columns = least(n, tile_bytes / bytes);
    return {least(m, tile_bytes / bytes / (columns < 1 ? 1 : columns)), columns};
  }
  const index rows = least(m, streams ? (bytes > 8 ? 64 : 128) : 32);
  return {rows, least(n, tile_bytes / bytes / rows)};
}

/// Whether axes in another order are written line by line past the caches, m entries being
/// neighbours there and n here: but for small matrices, unless their rows are lines (batches of
/// order 20 32 GB/s, line by line 24, of 50 15 and 27, of 16 35 and 39; Zen 4, double precision).
constexpr bool transposes_lines(index m, index n, scalar type) {
  const index bytes = static_cast<index>(bytes_of(type));
  const bool are_lines = n * bytes % 64 == 0;
  return m * bytes >= 64 && n >= 8 && m * n > 64 && (are_lines || m * n * bytes >= 4096);
}
/// Rows of its tiles (of 48 to 128 0.6 to 0.9 as fast, order 256), and pieces of a line of them
/// that it fetches ahead, into L2: two 0.8 to 1, eight 0.9 to 1; into L1 0.6 to 1, none 0.5 to 1
/// (Zen 4).
inline constexpr index transposed_rows = 256, transposed_ahead = 4;
/// Bytes of the longest rows that wait for whole lines.
inline constexpr index collected_row = 1024;

/// Whether tiles that follow one another in the result wait until they are whole lines past the
/// caches, and not row by row: where rows are short, or written in any case before they go there
/// (from memory, double precision, Zen 5: outer products of order 13 35 GB/s instead of 12, 16 38
/// and 24, transpositions of order 8 30 and 21; scaled rows of order 32 37 and 53).
constexpr bool collects_lines(index row_bytes, bool transposes) {
  return transposes || row_bytes < 256;
}

/// A tile of the loops m and n with fewer entries is too short to be run as one.
inline constexpr index short_tile = 32;

/// Whether a tile that is longer is so, too, where vectors of results can be made of what lies
/// near: whole ones of memory, permuted, instead of rows that do not fill one or blocks that are
/// transposed (single precision, Zen 5, in L2 and from memory: outer products of order 8 32 and
/// 31 GB/s instead of 21 and 13, of 11 27 and 25 instead of 31 and 19; transpositions of order 6 37
/// and 35 instead of 19 and 14, of 8 28 and 30 instead of 45 and 21).
constexpr bool is_short_by_lanes(index m, index n, bool transposes, int width) {
  return m * n < 64 || (!transposes && n < width && m * n < 128);
}

/// Bytes from which on lanes are permuted: finding out where they are takes 1 us. Longer tiles do
/// well without while all is little (transpositions of order 7 of 8 KiB: 33 GB/s, so 10).
constexpr bool pays_for_lanes(double bytes, index tile) {
  return bytes >= (tile < short_tile ? 1 << 15 : 1 << 17);
}

/// Entries of a row from which on rows that lie as they are read are run as such by the library
/// (outer products of order 4, in L2, Zen 5: 24 GB/s, by tiles of the library's programs 10), and
/// shorter ones, transposed ones, too, where lanes are permuted (of order 3 49, 7 by tiles, single
/// precision 41 and 4; transpositions of order 3 55 and 24, 45 and 12).
inline constexpr index pointwise_row = 4;

/// Whether what has no sum is run in an order of its own: where it leaves the caches, where an
/// operand is transposed in tiles of so many entries, or where all lie in rows of so many. In
/// cache, without, tile programs do as well (1000 matrices of 3 x 3 transposed: 47 GB/s and 34; of
/// 8 x 8: 43 and 62; Granite Rapids); of rows those do that are compiled for their program (outer
/// products of order 32 and 100, Zen 4: 0.10 and 1.0 us, by rows 0.21 and 1.3, by the library's
/// tiles 0.5 and 3.0).
constexpr bool is_pointwise(double bytes, scalar type, index transposed, index row,
                            const capabilities& c) {
  const bool by_lanes =
      !c.compiled && !is_complex(type) && c.lanes(scalar::f64) >= 4 && pays_for_lanes(bytes, 1);
  return transposed >= short_tile || (by_lanes && (transposed > 0 || row > 0)) ||
         (row >= pointwise_row && !c.compiled) || bytes > static_cast<double>(c.l2_bytes);
}

/// Entries of scratch for it: three tiles of the largest size, their rows ended by a line.
constexpr index pointwise_scratch(scalar type) {
  const index bytes = static_cast<index>(bytes_of(type));
  return 3 * (32768 / bytes + 128 * (64 / bytes));
}

/// Entries of a task.
inline constexpr index pointwise_task = 1 << 15;

}  // namespace tenfold::select
