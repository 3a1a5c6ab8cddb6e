#pragma once

#include <tenfold/backend/interface/capabilities.hpp>
#include <tenfold/tensor/reflection_kind.hpp>

/// Programs that run tile by tile: what is unrolled, which label carries the lanes and how many,
/// and the register tiles.
namespace tenfold::select {

/// Up to this work a program of one step is unrolled whole and runs without tiles or dispatch.
/// 7 x 7 times 7 x 7 is 686: 35 ns in scalars on one Zen 4 core, 100 through partial vectors.
inline constexpr double unrolled_flops = 700;
/// What the compiler unrolls takes lanes from neighbours where numbers are real
/// (backend/cpu/unrolled.hpp): it may have several steps, and the work of 8 x 8 times 8 x 8.
constexpr bool has_unrolled_lanes(scalar type, const capabilities& c) {
  return c.compiled && !is_complex(type);
}
constexpr double unrolled_work(scalar type, const capabilities& c) {
  return has_unrolled_lanes(type, c) ? 1024 : unrolled_flops;
}
constexpr bool is_unrolled(double flops, double points, int steps, scalar type,
                           const capabilities& c) {
  return flops <= unrolled_work(type, c) && points <= unrolled_flops &&
         (steps == 1 || has_unrolled_lanes(type, c));
}

/// Whether in such a program B, whose neighbours are terms of the sum, is transposed in blocks of
/// w x w entries: shuffles, loads and half a cycle for each product of vectors beside a cycle for
/// each product of scalars, of which a last column by itself is made. (One row, double precision,
/// Zen 5, g++: 5 x 5 2.4 ns instead of 3.4, 9 x 9 6 and 11, 9 x 8 3.3 and 10, 16 x 16 15 and 31.)
constexpr bool transposes_unrolled(index m, index n, index k, int w) {
  index rounds = 0;
  while (1 << rounds < w) ++rounds;
  const index blocks = (k + w - 1) / w, last = k - (blocks - 1) * w, full = w * rounds;
  const index shuffles = (blocks - 1) * full + (last * (w - 1) < full ? last * (w - 1) : full);
  const bool ends_in_scalar = m == 1 && n % w == 1;
  const index columns = ends_in_scalar ? n - 1 : n, vectors = (columns + w - 1) / w;
  const double cycles = static_cast<double>(shuffles) / w * static_cast<double>(columns) +
                        static_cast<double>(n * blocks) +
                        0.5 * static_cast<double>(m * k * vectors) +
                        (ends_in_scalar ? static_cast<double>(k) : 0.0);
  return w > 1 && cycles < static_cast<double>(m * n * k);
}
/// Lanes of a vector of such terms: w, or w / 2 where k terms would leave a quarter of w or more
/// idle and half a vector has 16 bytes or more.
constexpr int terms_lanes(index k, int w, scalar type) {
  const int half = w / 2;
  return 4 * k <= 3 * w && half * static_cast<int>(bytes_of(type)) >= 16 ? half : w;
}
/// Whether a row of such sums, whose k terms are neighbours in both factors, takes lanes from the
/// terms, w at a time: two instructions for each sum to add its lanes beside one for each product
/// of scalars. (Double precision, Emerald Rapids, g++, beside blocks that are transposed: 8 x 8
/// 1.6 times the rate, 16 x 4 1.35, two steps of 5 x 5 2.0.)
constexpr bool adds_lanes_unrolled(index k, int w) { return w > 1 && (k + w - 1) / w + 2 < k; }
/// The length of a row of n entries in the scratch of such a program: whole vectors, of a power of
/// two of lanes and no less than 16 bytes.
constexpr index padded_row(index n, scalar type, int lanes) {
  index w = n == 1 ? 1 : 16 / static_cast<index>(bytes_of(type));
  while (w < n && w < lanes) w *= 2;
  return (n + w - 1) / w * w;
}

/// A tile keeps at least this much work, so that its bookkeeping (some 20 ns) stays below 2 %.
inline constexpr double tile_flops = 8192;

/// A task of the thread pool keeps at least this much work, about 20 us on one core.
inline constexpr double task_flops = 1 << 20;

/// A task that touches fresh memory takes at least this many pages of 4 KiB: 1 MiB, 0.5 ms of page
/// faults on one core of a virtual machine.
inline constexpr index task_pages = 256;

/// Entry-wise products that run side by side: each keeps up to three addresses in registers, but
/// what lies in one scratch block shares one.
inline constexpr int most_together = 12;

/// Whether steps that touch so many bytes, one after the other, run slab by slab instead: when they
/// push each other's results out of L1 (fused operators of the bench fem, L1 48 KiB, nominal 32:
/// mass of p = 6, 76 KB, on Zen 5 1.11 times the rate, of p = 4, 29 KB, 0.91; of p = 5, 49 KB, on
/// Emerald Rapids 1.20; collocated diffusion of p = 8 on Zen 5 1.08), and some of them are products
/// in halves. Others multiply more often between two loads and leave L2 the time (mass operator of
/// the bench spine, p = 6: 0.96, from memory 0.86). Loops over slabs inside slabs lost 5 to 15 %,
/// and fetching the data of the next slab from L2 into L1 25 %.
///
/// Programs that are data pay for each slab with a call of each step, which only what outgrows L2
/// brings back (Emerald Rapids, run-time extents, p = 14: BK1 1.05 times the rate, BK3 1.09, BK5
/// 1.15; p = 11 0.90, 1.03 and 0.98; p = 8 0.87, 0.98 and 0.88).
constexpr bool runs_in_slabs(double bytes, bool in_halves, const capabilities& c) {
  return in_halves && bytes > (c.compiled ? 1.25 * static_cast<double>(c.l1_bytes)
                                          : static_cast<double>(c.l2_bytes));
}

/// Longest side of the three matrices that the sandwich micro-kernel unrolls.
inline constexpr index sandwich_extent = 12;

/// Whether a matrix of m x k entries that is symmetric under reflection is applied in halves: 3 x 2
/// are 6 products or 3 and 5 sums (mass operator on Zen 5: 67 and 60 GFLOP/s, from 4 x 3 on 92 and
/// 110).
constexpr bool has_halves(index m, index k) { return m >= 3 && k >= 3; }
/// Flops of a product with `rows` x `columns` entries in halves (backend/cpu/even_odd.hpp), for one
/// vector.
constexpr double even_odd_flops(double rows, double columns, reflection kind) {
  const auto half = [](double n) { return static_cast<double>(static_cast<index>(n) / 2); };
  const double m = half(rows), k = half(columns);
  const double even = kind == reflection::odd ? m : rows - m;
  return 2 * (even * (columns - k) + (rows - even) * k) + 2 * k + 2 * m;
}

/// Pairs of rows of it at a time: two accumulators each.
inline constexpr int most_pairs = 6;
inline constexpr int most_even_odd_columns = 4;

/// Entries of a result that a task sets to 0 before anything is added to them: 20 us of writing.
inline constexpr index cleared_entries = 1 << 16;

/// A tile that reads fewer bytes of memory than this leaves it to the processor to fetch them.
inline constexpr index fetched_bytes = 2048;

/// Whether those of one that reads so many are fetched into L2: out of an L1 of 32 KiB what is
/// fetched drives the scratch of the tile at work, unless it is little (operators from memory, Zen
/// 4, medians, into L2 beside into L1: p = 3, 4, 7 BP1 1.3, 0.9 and 1.1, BP3 1.4, 1.6 and 1.3,
/// BP5 1.6, 1.3 and 1.2 times as fast; p = 2 BP1, that is 5 KB, 0.9, BP5 10 KB 1.4). With 48 KiB,
/// Zen 5, L1 was better.
constexpr bool fetches_into_l2(index bytes, index l1) { return l1 < 49152 && 4 * bytes > l1; }

/// Whether a tile's result of so many bytes goes past the caches beside the work on the next tile,
/// or at once (mass operator of the bench spine from memory, Zen 5, beside it against at once: p =
/// 6, 22 KB, 1.05 to 1.15 times the rate, p = 7, 33 KB, 1.07, p = 4, 8 KB, 1.0, p = 3, 4 KB, 0.87).
/// Zen 4 stalls where stores past the caches come between others (BK1 and BK3 of p = 5, 6 and 7
/// from memory: beside it 0.57 to 0.67 of the rate, whether or not anything is fetched).
constexpr bool writes_beside(index bytes, processor model) {
  return model == processor::zen5 && bytes >= 8192;
}

/// Of an operand from memory that a register tile reads once 2 KB are fetched ahead: the contracted
/// values that they are, of which the tile reads `row` bytes each (65536 matrices of 32 x 32 times
/// vectors, Granite Rapids: 11.7 GB/s without, 14.5 with; written by hand, 512 bytes reach 0.93 of
/// what 2 KB do, 4 KB 0.76).
constexpr index rows_ahead(index row) { return row < 2048 ? 2048 / row : 1; }

/// Distances in scratch of a multiple of this many bytes are made a vector longer: all entries of
/// an axis would share one set of the L1 cache (diffusion at 8 x 8 x 8 points of 8 lanes on Zen 5,
/// the kernel written by hand of the bench fem: 0.91 of the peak, 1.28 with longer ones).
inline constexpr index crowded_bytes = 4096;

/// Whether runs of n entries, the lanes `apart`, are transposed a whole vector at a time though
/// they are shorter: they touch, so that what is read and written is in one piece.
constexpr bool runs_touch(index n, index apart, int width, scalar type) {
  return !is_complex(type) && width >= 4 && n == apart && n >= 2 && n <= 4;
}

/// What taking the lanes from one label would cost, in vector operations.
struct lane_candidate {
  double vector_operations = 0;  ///< of all steps, each lane tile rounded up to whole vectors
  double packed_entries = 0;     ///< of operands that must be transposed on the way
  double touching_entries = 0;   ///< the same where runs of lanes touch
  double scattered_entries = 0;  ///< the same where no other label is contiguous either
  double partial_entries = 0;    ///< of otherwise direct operands in a last partial tile
  double waiting_entries = 0;    ///< of intermediates that other phases leave in the workspace
  double operations_before = 0;  ///< of the steps left to such phases, one per entry
};

/// A vector operation takes half a cycle. An entry that is packed takes 0.17 ns on Zen 4, 1.3 of
/// them: with the 0.6 that a transposition of 8 x 8 entries in 40 instructions would suggest,
/// batched matrix-vector products packed what they read once (3.8 instead of 10.3 GFLOP/s at n = 9)
/// and 3-D interpolation from 9 to 10 points took lanes from the elements (21 instead of 64). An
/// entry moved alone costs about 2 more, one in a partial tile about 3 with its share of the tile's
/// set-up. An entry that waits in the workspace is written and read through memory: on 16 and 32
/// byte vectors the mass operator ran at a tenth of the rate where such programs were chosen.
///
/// Phases that run before choose lanes of their own, which as a rule are half as good as those
/// asked for here. Runs that touch take a load, a shuffle or two and a store for each vector of
/// entries.
constexpr double lane_cost(const lane_candidate& c, int width) {
  return c.vector_operations + 0.3 * c.touching_entries + 1.3 * c.packed_entries +
         2 * c.scattered_entries + 3 * c.partial_entries + 3 * c.waiting_entries +
         2 * c.operations_before / width;
}

/// Vectors of a register tile of one row.
inline constexpr int most_wide = 12;

/// Vectors per tile along a lane loop of `extent` values that all operands hold contiguously: as
/// many as 4 so that one entry of A feeds several; up to 64 where nothing is summed, so that memory
/// is walked row by row (an outer product of 200 x 200 column by column reached 1.0 GFLOP/s beside
/// 12 of plain loops); as many as there are sums for where the entries of B are `read_once`. Never
/// so many that more values are left over than with one vector, but for a sixteenth.
constexpr int lane_vectors(index extent, int width, bool sums, bool read_once = false) {
  int best = 1;
  for (int v = 2; v <= (!sums ? 64 : read_once ? most_wide : 4); ++v) {
    const index over = extent % (v * width);
    if (extent >= index{v} * width && (over <= extent % (best * width) || 16 * over <= extent))
      best = v;
  }
  return best;
}

/// Vectors per tile where lanes are packed, for a tile whose work with one vector is `flops`: the
/// three steps of such a tile, packing, product and unpacking, take some 80 ns whatever they do (a
/// 4 x 4 matrix applied to 8192 columns of pairs, AVX-512, two threads: 17 us with eight vectors,
/// 12 with 32).
constexpr int packed_vectors(index extent, int width, double flops) {
  int v = 1;
  while (v < 32 && v * flops < tile_flops && extent >= 2 * v * index{width}) v *= 2;
  return v;
}

/// Tiles that one task takes.
constexpr index tiles_per_task(double flops_per_tile, double flops_per_task = task_flops) {
  const double n = flops_per_task / (flops_per_tile < 1 ? 1 : flops_per_tile);
  return n < 1 ? 1 : static_cast<index>(n);
}

/// A range cut into nearly equal parts: `long_count` of `longer`, then `short_count` of one less.
/// Never a big part and a small rest: a tile of one row runs at a third of the rate.
struct chunks {
  int longer = 1;
  index long_count = 0, short_count = 0;

  constexpr chunks(index extent, index most) {
    if (extent <= 0) return;
    if (extent <= most) {
      longer = static_cast<int>(extent);
      long_count = 1;
      return;
    }
    const index count = (extent + most - 1) / most;
    longer = static_cast<int>((extent + count - 1) / count);
    short_count = count * longer - extent;
    long_count = count - short_count;
  }
  constexpr index count() const { return long_count + short_count; }
  /// Where part i begins.
  constexpr index start(index i) const {
    return i * longer - (i > long_count ? i - long_count : 0);
  }
};

/// Accumulators of one register tile: m rows of n vectors.
struct tile_shape {
  int m = 1, n = 1;

  friend constexpr bool operator==(const tile_shape&, const tile_shape&) = default;
};

/// The largest register tile with a run-time count of contracted values; the library carries all up
/// to it for every way to reach A. A complex sum takes two registers (4 x 3: 0.98 of the peak on
/// Zen 4, 4 x 4: 0.91).
constexpr tile_shape dynamic_tile(scalar type) {
  return is_complex(type) ? tile_shape{4, 3} : tile_shape{4, 4};
}
/// The same of one row with uniform A, which is broadcast: what is read of B comes in rows as long.
constexpr tile_shape dynamic_row(scalar type) {
  return {1, is_complex(type) ? dynamic_tile(type).n : most_wide};
}

/// The most rows, contracted values, and entries of A, of a step of the library whose rows are
/// several loops, which tiles take through tables, with a copy of A beside them (an 8 x 8 matrix
/// applied to three of fifteen labels of extent 2: 2.1 times the rate of tiles along one loop of
/// rows, a 4 x 4 one to two of them 1.5 times, double precision, Emerald Rapids). The copy, entry
/// by entry, must be little work beside the products with so many vectors of columns.
inline constexpr index most_listed = 64, most_listed_entries = 512;
constexpr bool lists_rows(index rows, index terms, index vectors) {
  return rows <= most_listed && terms <= most_listed && rows * terms <= most_listed_entries &&
         vectors >= 8;
}
/// The largest register tiles of such rows: 8 x 2 and 4 x 4.
inline constexpr int listed_rows = 8, most_listed_columns = 4;
constexpr int listed_columns(int rows) { return rows > 4 ? 2 : most_listed_columns; }

/// Why a register tile is not larger.
enum class tile_reason : unsigned char {
  no_more,     ///< there are no more rows and columns
  balanced,    ///< each broadcast of A serves two vectors: fewer loads than multiply-adds
  registers,   ///< the registers are full
  squarest,    ///< A in lanes: the squarest tile hides the loads
  streaming,   ///< nothing is summed: memory is walked row by row
  kept,        ///< B stays in registers while the rows of A pass
  transposed,  ///< the same, and the lanes of the last columns are rows
  flattened,   ///< short rows, end to end, are vectors (flattens_rows)
  rows,        ///< a vector holds several rows (multiplies_by_rows)
  library      ///< the largest tile that the library carries
};

constexpr const char* sentence_of(tile_reason why) {
  switch (why) {
    case tile_reason::no_more:
      return "there are no more";
    case tile_reason::balanced:
      return "each broadcast serves two vectors";
    case tile_reason::registers:
      return "as many as the registers hold";
    case tile_reason::squarest:
      return "the squarest hides the loads of A and B";
    case tile_reason::streaming:
      return "nothing is summed, so memory is walked row by row";
    case tile_reason::kept:
      return "B stays in registers while the rows pass";
    case tile_reason::transposed:
      return "from four problems on B stays in registers while the rows pass, and what is left of "
             "a row takes its lanes from rows";
    case tile_reason::flattened:
      return "from 32 problems on rows that are shorter than a vector lie in it end to end";
    case tile_reason::rows:
      return "a vector holds several rows";
    case tile_reason::library:
      return "the largest for a k that only the call tells";
  }
  return "";
}

struct tile_choice {
  tile_shape shape;
  tile_reason why = tile_reason::no_more;
};

/// The register tile for `rows` x `columns` entries.
///
/// Broadcast A, 32 registers: all rows up to 10. Up to 3 rows as many columns as the registers
/// hold, so that a broadcast serves several. From 4 rows on two: with one there is more than a load
/// for each multiply-add, and a core that does two of either per cycle waits for its loads; more
/// write their results in bursts (mass operator on Zen 5: of degrees 4 to 8, one column 0.85 of the
/// rate of two, three 0.96 to 1.00; of degree 3, five and six 0.92; but 4 rows with 8 to 20
/// contracted values run 1.04 times as fast with six). A in lanes: 4 x 6 (16 registers or less: 3 x
/// 4), the squarest that hides the loads. Complex numbers on 16 registers keep 3 x 4 although they
/// spill: 0.75 of the peak on Zen 4, 2 x 2: 0.6. Without a sum: part of one row. `registers` are
/// those of the scalar (capabilities::registers_for).
constexpr tile_choice choose_tile(index rows, index columns, bool sums, int registers,
                                  bool a_lanes) {
  const bool many = registers >= 32;
  if (!sums) return {{1, static_cast<int>(columns < 8 ? columns : 8)}, tile_reason::streaming};
  if (a_lanes) {
    const int m = many ? 4 : 3, n = many ? 6 : 4;
    if (rows >= m) return {{m, n}, tile_reason::squarest};
    const index wide = (registers - (registers < 16 ? 2 : 5)) / (rows + 1);
    return {{static_cast<int>(rows), static_cast<int>(wide < 8 ? wide : 8)},
            tile_reason::registers};
  }
  const int m = chunks(rows, many ? 10 : 6).longer;
  tile_reason why = tile_reason::registers;
  index n = (registers - 2) / (m + 1);
  if (many && m >= 4) {
    n = 2;
    why = tile_reason::balanced;
  }
  if (n > 6) n = 6;
  if (n < 1) n = 1;  // 8 registers: 6 sums, a vector of B and an entry of A
  if (columns >= 1 && n >= columns) {
    n = columns;
    if (m == rows) why = tile_reason::no_more;
  }
  return {{m, static_cast<int>(n)}, why};
}

/// Beyond this many contracted values the loop over them has a run-time count, even where the
/// number is known to the compiler.
inline constexpr index static_sum = 16;

/// Up to this many products of one register tile the loop over a static K is unrolled. Unrolling
/// more costs 0.03 s of compile time per tile and gains 1 to 3 % on Zen 4; below, it gains up to 10
/// %.
inline constexpr int unrolled_products = 64;

/// The same for batched products on Zen 5 (double precision, in L2, interleaved order 7: 111
/// GFLOP/s instead of 75, 8: 112 and 85, 14: 123 and 110; strided order 16: 129 and 121).
inline constexpr int unrolled_on_zen5 = 512;

/// The same for a tile of scalars in a program with a loop over tiles. Batched matrix-vector
/// products of order 9 to 13, which are beyond, run 1.2 to 1.4 times as fast with a loop over k
/// (SSE2, g++, Zen 4), and each costs 0.02 s less to compile.
inline constexpr int unrolled_scalars = 24;

/// Whether a row of register tiles with so many products of vectors is in line (mass operator of
/// degrees 2 and 3, Granite Rapids: 0.83 and 0.85 of the kernel written by hand with calls, 0.89
/// without). Longer ones are shared among programs: in line, the mass operator of degree 4
/// takes 1.2 s to compile instead of 0.5.
constexpr bool is_in_line(index products) { return products <= 128; }

/// Whether the steps of a tile with so many flops lie behind a call, which is nothing beside that
/// work, so that they are compiled once.
constexpr bool is_behind_a_call(double flops) { return flops >= 4096; }

/// Whether register tiles of m x n vectors with k contracted values keep their broadcasts across
/// tiles: where the registers hold them beside sums and columns.
constexpr bool keeps_broadcasts(int m, int n, int k, int registers) {
  return m * k + (m + 1) * n < registers;
}

/// Whether a register tile of so many rows, of one vector and a narrower one each, broadcasts each
/// entry of A twice: both are the memory operand of a multiply-add (order 9 to 12, double
/// precision, Zen 4: 1.1 times the rate; 4 rows: 0.9). Two rows pass while B stays in registers.
/// Where as many multiply-adds pass in a cycle as loads, twice as many loads are the bound (Zen 5,
/// order 12: 0.85 of the rate).
constexpr bool broadcasts_twice(int rows, processor model) {
  return model == processor::zen4 && (rows == 2 || rows >= 6);
}

/// The tile of scalars of an unrolled program: all of it, which the compilers vectorize themselves
/// (n = 6: 21 ns with 6 x 6 scalars, 29 with rows of 6, g++ on Zen 4).
constexpr tile_shape unrolled_tile(index rows, index columns) {
  return {static_cast<int>(rows < 8 ? rows : 8), static_cast<int>(columns < 8 ? columns : 8)};
}

/// Whether a product in halves, of so many rows or points, takes one column at a time: where as
/// many entries of A as there are multiply-adds pass in a cycle as memory operands, a broadcast
/// that serves several columns saves nothing, and registers that are left hold more of what comes
/// next (bench fem on Zen 4, against as many columns as fit: BK1 p = 4, 5 and 7 1.03, 1.08 and 1.15
/// times the rate, BK3 p = 5 and 7 1.03 and 1.15, BK5 1.05 and 1.05; of five rows 0.94).
constexpr bool goes_by_columns(index rows, processor model) {
  return model == processor::zen4 && rows >= 6;
}

/// Columns of a matrix in halves at a time, as many as there are registers for: one broadcast
/// serves all, and what surrounds the sums is paid for less often (bench fem on Zen 5, up to four
/// columns instead of two: BK1 1.05 and 1.03 times the rate at p = 2 and 3, BK3 1.02 and 1.07,
/// BK5 1.03 and 1.05).
constexpr int even_odd_columns(index rows, int registers, processor model = processor::other) {
  if (goes_by_columns(rows, model)) return 1;
  const int pairs = chunks(rows / 2, most_pairs).longer;
  for (int columns = most_even_odd_columns; columns > 1; --columns)
    if (columns * (2 * pairs + 3) < registers) return columns;
  return 1;
}

/// Columns that the sandwich micro-kernel takes at once: as many as the registers hold of both its
/// halves (mass operator on Granite Rapids, p = 2 and 3: three 1.06 and 1.04 times the rate of
/// one), and two even where a few are spilt, because then a broadcast serves two (Zen 5, p = 4 to
/// 8: 1.02 to 1.09 times). With matrices in halves, whose entries are read half as often, more pay
/// as long as they spill little: Zen 5, p = 4 to 7, two 1.09, 1.06, 1.03 and 1.02 times the rate of
/// one; p = 3, three 1.03 times that of two. Several `products` between its halves take the
/// registers of a second column: there two pay from seven points on (BK5 on Zen 5, p = 5 to 8:
/// 0.95, 1.06, 1.10 and 1.17 times; BP5 from memory 0.96, 1.0, 1.14 and 1.06).
constexpr int sandwich_columns(index points, index rows, bool in_halves, int products,
                               int registers, processor model) {
  if (registers < 32 || (in_halves && goes_by_columns(points, model))) return 1;
  if (products > 1) return in_halves && points >= 7 ? 2 : 1;
  const index held = registers - 4, sides = points + rows;
  if (in_halves) {
    const auto fitting = static_cast<int>((registers + 2) / sides);
    return fitting < 1 ? 1 : fitting > most_even_odd_columns ? most_even_odd_columns : fitting;
  }
  return held < 2 * sides ? 2 : static_cast<int>(held / sides);
}

}  // namespace tenfold::select
