#pragma once

#include <tenfold/backend/interface/blocking.hpp>
#include <tenfold/backend/interface/capabilities.hpp>
#include <tenfold/backend/interface/gemm.hpp>
#include <tenfold/backend/interface/tuning.hpp>

#if defined(TENFOLD_TUNED)
#include <tenfold/backend/interface/tuned_classes.hpp>
#endif

/// Every threshold of the library, as pure functions of sizes and capabilities, and of batched
/// products also of a tuning. Planning asks here for each choice; nothing else compares a size with
/// a constant.
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
/// w x w entries: shuffles, loads and half a cycle for each product of vectors beside nearly one
/// cycle for each product of scalars (double precision, one row: 5 x 5 is slower so, 8 x 8 faster).
constexpr bool transposes_unrolled(index m, index n, index k, int w) {
  int rounds = 0;
  while (1 << rounds < w) ++rounds;
  const index vectors = (n + w - 1) / w;
  const auto cycles =
      static_cast<double>(vectors * w * rounds + n) + 0.5 * static_cast<double>(m * k * vectors);
  return w > 1 && cycles < 0.9 * static_cast<double>(m * n * k);
}
/// The length of a row of n entries in the scratch of such a program: whole vectors, of a power of
/// two of lanes.
constexpr index padded_row(index n, int lanes) {
  index w = 1;
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

/// Longest side of the three matrices that the sandwich micro-kernel unrolls.
inline constexpr index sandwich_extent = 12;

/// Whether a matrix of m x k entries that is symmetric under reflection is applied in halves: 3 x 2
/// are 6 products or 3 and 5 sums (mass operator on Zen 5: 67 and 60 GFLOP/s, from 4 x 3 on 92 and
/// 110).
constexpr bool has_halves(index m, index k) { return m >= 3 && k >= 3; }

/// Pairs of rows of it at a time: two accumulators each.
inline constexpr int most_pairs = 6;

/// Columns of it at a time: one broadcast serves two where there are registers for it (mass
/// operator on Zen 5, one column: 0.92 of the rate at p = 3 and 4). A third gains nothing.
constexpr int even_odd_columns(index rows, int registers) {
  const int pairs = static_cast<int>((rows + 1) / 2 < most_pairs ? (rows + 1) / 2 : most_pairs);
  return 2 * (2 * pairs + 3) + 1 <= registers ? 2 : 1;
}

/// Entries of a result that a task sets to 0 before anything is added to them: 20 us of writing.
inline constexpr index cleared_entries = 1 << 16;

/// A tile that reads fewer bytes of memory than this leaves it to the processor to fetch them.
inline constexpr index fetched_bytes = 2048;

/// Of an operand from memory that a register tile reads once 2 KB are fetched ahead: the contracted
/// values that they are, of which the tile reads `row` bytes each (bic,bicf->bif of ./dev bench
/// contract, Granite Rapids: 11.7 GB/s without, 14.5 with; in a loop by hand 512 bytes reach 0.93
/// of this, 4 KB 0.76).
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

/// Why a register tile is not larger.
enum class tile_reason : unsigned char {
  no_more,           ///< there are no more rows and columns
  memory_broadcast,  ///< the broadcast of A is the memory operand of the multiply-add
  registers,         ///< the registers are full
  squarest,          ///< A in lanes: the squarest tile hides the loads
  streaming,         ///< nothing is summed: memory is walked row by row
  library            ///< the largest tile that the library carries
};

constexpr const char* sentence_of(tile_reason why) {
  switch (why) {
    case tile_reason::no_more:
      return "there are no more";
    case tile_reason::memory_broadcast:
      return "broadcasts are memory operands: one vector is enough";
    case tile_reason::registers:
      return "as many as the registers hold";
    case tile_reason::squarest:
      return "the squarest hides the loads of A and B";
    case tile_reason::streaming:
      return "nothing is summed, so memory is walked row by row";
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
/// Broadcast A, 32 registers: all rows up to 10; as many columns as the registers hold up to 5
/// rows, so that a broadcast serves several (mass operator of degrees 2 and 3, Granite Rapids: 1.04
/// and 1.07 times the rate of one column; not measured on Zen 4 since keeps_broadcasts), and one
/// from 6 rows on, because the broadcast is then the memory operand of the multiply-add (two: 1.00
/// to 1.04 times the rate, and longer to compile). A in lanes: 4 x 6 (16 registers or less: 3 x 4),
/// the squarest that hides the loads. Complex numbers on 16 registers keep 3 x 4 although they
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
  if (many && m >= 6) {
    n = 1;
    why = tile_reason::memory_broadcast;
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

/// The same for a tile of scalars in a program with a loop over tiles. Batched matrix-vector
/// products of order 9 to 13, which are beyond, run 1.2 to 1.4 times as fast with a loop over k
/// (SSE2, g++, Zen 4), and each costs 0.02 s less to compile.
inline constexpr int unrolled_scalars = 24;

/// Whether a row of register tiles with so many products of vectors is in line (mass operator of
/// degrees 2 and 3, Granite Rapids: 0.83 and 0.85 of the kernel written by hand with calls, 0.89
/// without). Longer ones are shared among programs: in line, the mass operator of degree 4
/// takes 1.2 s to compile instead of 0.5.
constexpr bool is_in_line(index products) { return products <= 128; }

/// Whether register tiles of m x n vectors with k contracted values keep their broadcasts across
/// tiles: where the registers hold them beside sums and columns.
constexpr bool keeps_broadcasts(int m, int n, int k, int registers) {
  return m * k + (m + 1) * n < registers;
}

/// The tile of scalars of an unrolled program: all of it, which the compilers vectorize themselves
/// (n = 6: 21 ns with 6 x 6 scalars, 29 with rows of 6, g++ on Zen 4).
constexpr tile_shape unrolled_tile(index rows, index columns) {
  return {static_cast<int>(rows < 8 ? rows : 8), static_cast<int>(columns < 8 ? columns : 8)};
}

// ---- batched matrix products --------------------------------------------------------------------

/// What the library is shipped with. Measured on Sapphire Rapids and Zen 4 but for the crossovers
/// of lanes_cost, which lie where the two costs are equal.
///
/// Tiles are as large as the registers allow (most_rows, most_lanes_tile), and where the library
/// carries them no larger than carried_rows.
///
/// L2: the next problem goes to L1, where it fits, while this one has enough work to hide it (share
/// of the peak with and without: strided n = 13: 65 and 60, n = 16: 96 and 90, float n = 10 to 16:
/// 1.03 to 1.07 times the rate; interleaved n = 10: 80 and 70, n = 12: 85 and 80). L1 holds l2_to
/// twice.
///
/// Found by ./dev tune, Sapphire Rapids: one register tile goes through 64 KB of problems rather
/// than 16 (1.24 times the rate of interleaved order 8, 1.15 of strided order 16); from memory
/// interleaved problems of few entries are best left to the processor's own prefetching (1.07), and
/// results of more than 12 KB to its caches (1.03 to 1.05 at order 64).
///
/// Zen 5: strided problems are fetched 16 KB ahead rather than 4. From L3 that is 1.1 times the
/// rate of orders 12 and 16 in double precision and 1.6 of order 16 in single; from memory it is
/// nearly the same, and interleaved ones lose (complex order 8: 0.8).
constexpr gemm_tuning shipped(const size_class& c, instruction_set set) {
  gemm_tuning t{};
  t.columns_rows = 16;
  t.columns_vectors = set == instruction_set::avx512 ? 4 : 3;
  t.lanes_rows = set == instruction_set::avx512 ? 8 : 4;
  t.lanes_columns = set == instruction_set::avx512 ? 6 : 4;
  t.unroll = unrolled_products;
  t.narrows = 1;
  t.l2_from = c.interleaved ? 11000 : 1100;
  t.l2_to = c.interleaved ? 28672 : 8192;
  t.memory_to = c.interleaved && c.size <= (is_complex(c.type) ? 0 : 2) ? 0 : 262144;
  t.distance = c.interleaved ? 4096 : 16384;
  t.group = 65536;
  t.stream_to = c.interleaved ? 1 << 30 : 12288;
  t.stream_group = 4096;
  t.task = static_cast<int>(task_flops / 1024);
  t.lanes_cost = 100;
  t.panel_rows = 32;
  return t;
}
constexpr tuning shipped(instruction_set set) {
  tuning all{};
  for (int i = 0; i < class_count; ++i) all.classes[i] = shipped(class_of(i), set);
  return all;
}

#if defined(TENFOLD_TUNED)
static_assert(are_valid(tuned_classes),
              "a value in the header of TENFOLD_TUNING_HEADER is out of bounds (tuning_fields)");
#endif

/// What static sizes are built with: as shipped, but for what the header says that a build may be
/// given (CMake's TENFOLD_TUNING_HEADER).
inline constexpr tuning built_in_tables[instruction_set_count] = {
#if defined(TENFOLD_TUNED)
    with(shipped(instruction_set::baseline), instruction_set::baseline, tuned_classes),
    with(shipped(instruction_set::avx2), instruction_set::avx2, tuned_classes),
    with(shipped(instruction_set::avx512), instruction_set::avx512, tuned_classes)
#else
    shipped(instruction_set::baseline), shipped(instruction_set::avx2),
    shipped(instruction_set::avx512)
#endif
};
[[gnu::always_inline]] constexpr const tuning& built_in(instruction_set set) {
  return built_in_tables[static_cast<int>(set)];
}
constexpr const tuning& tuning_of(const capabilities& c) {
  return c.tuned != nullptr ? *c.tuned : built_in(c.set());
}

/// What the lanes of a batched product are: neighbouring columns of one C, or one entry of as many
/// problems.
enum class gemm_path : unsigned char { by_columns, by_lanes };

struct gemm_choice {
  gemm_path path = gemm_path::by_columns;
  bool transposed = false;  ///< C^T := B^T A^T instead
  double cost = 0;          ///< vector operations per problem, estimated

  friend constexpr bool operator==(const gemm_choice&, const gemm_choice&) = default;
};

/// Whether a matrix is reached row by row, neighbours along a row.
constexpr bool has_rows(const matrix_batch& x) {
  return (x.layout == batch_layout::strided || x.layout == batch_layout::pointers) && x.column == 1;
}

/// Whether the strides of a problem lead from entry to entry of the scalar.
constexpr bool has_strides(const matrix_batch& x, scalar type) {
  return x.layout == batch_layout::strided || x.layout == batch_layout::pointers ||
         (x.layout == batch_layout::interleaved && !is_complex(type));
}

/// Neighbouring columns in one vector, of `width` lanes for real and imaginary parts apart: complex
/// ones lie there in pairs, half as many, unless that is a single one.
constexpr int neighbours(int width, scalar type) {
  return is_complex(type) && width >= 4 ? width / 2 : width;
}

/// Vector operations of one product by columns: the multiply-adds, the loads of B, the way into C,
/// and what scratch costs: B transposed in registers 0.6 an entry, other entries one by one 2, C
/// there and back 4. Measured at n = 2, 3, 4, 6 and 8 (Sapphire Rapids): 8, 19, 28, 66 and 103
/// where this says 12, 20, 30, 56 and 90.
///
/// Always inline, as what follows: it is asked in code for several instruction sets.
[[gnu::always_inline]] constexpr double columns_cost(const gemm_shape& s, int width) {
  const auto m = static_cast<double>(s.m), n = static_cast<double>(s.n),
             k = static_cast<double>(s.k);
  const int each = neighbours(width, s.type);
  const double vectors = static_cast<double>((s.n + each - 1) / each) * each / width;
  double cost = m * k * vectors + k * vectors + 2 * m * vectors + 2;
  if (!has_strides(s.a, s.type)) cost += 2 * m * k;
  if (!has_rows(s.b)) cost += (s.b.row == 1 ? 0.6 : 2) * k * n;
  if (!has_rows(s.c)) cost += 4 * m * n;
  return cost;
}

/// The same by lanes: an entry that a tile of problems transposes takes 1.6 (a third of the rate of
/// columns at n = 8, all three strided), one that is moved alone, or from an address of its own, 4.
[[gnu::always_inline]] constexpr double lanes_cost(const gemm_shape& s, int width) {
  const auto m = static_cast<double>(s.m), n = static_cast<double>(s.n),
             k = static_cast<double>(s.k);
  const auto moved = [&](const matrix_batch& x, double entries) {
    if (x.layout == batch_layout::interleaved && x.block % width == 0) return 0.0;
    if (x.row == 0 && x.column == 0) return 0.0;  // one number, see without_unit_axes
    const bool runs = x.layout == batch_layout::strided && (x.column == 1 || x.row == 1);
    return entries * (runs ? 1.6 : 4);
  };
  double cost = m * n * k / width + moved(s.b, k * n) + moved(s.c, m * n) + 1;
  if (!s.a.shared) cost += moved(s.a, m * k);
  if (s.b.shared) cost += k * n;                        // as many copies as lanes
  if (s.b.column != 1 || s.c.column != 1) cost += 0.1;  // see gemm_dynamic.isa.cpp, columns_touch
  return cost;
}

/// Whether B is copied into panels, one register tile wide, before its columns are used: where a
/// panel, whose rows are `row` entries apart, does not stay in L1 while all rows of A pass, and
/// these are enough (panel_rows) to pay for the copy.
///
/// An L1 of 64 sets of 8 lines or more: rows a large power of two apart share few sets (n = 128 in
/// double precision, four lines a row: 16). Beyond 64 pages they miss the TLB. Where neither is
/// so the copy only costs (n = 80: 0.87 of OpenBLAS with it, 0.94 without).
constexpr bool packs_panels(const gemm_shape& s, index row, const gemm_tuning& t) {
  const index bytes = (row < 0 ? -row : row) * static_cast<index>(bytes_of(s.type));
  constexpr index lines = 4, sets = 64, ways = 8;
  index starts = sets;
  for (index step = bytes / 64; bytes % 64 == 0 && step % 2 == 0 && starts > 1; step /= 2)
    starts /= 2;
  const index met = starts * lines < sets ? starts * lines : sets;
  return s.m >= t.panel_rows && (s.k * lines > ways * met || s.k * bytes > 64 * 4096);
}

/// Whether a product whose sizes the types tell has code of its own: up to where panels are packed,
/// and before the tiles' loops make up for what constants save.
constexpr bool has_static_code(const gemm_shape& s, const gemm_tuning& t) {
  return s.m <= 1024 && s.n <= 1024 && s.k <= 1024 && !packs_panels(s, s.b.row, t);
}

/// Entries of A, B and C that one problem, or one tile of `width` problems, has in scratch.
struct gemm_scratch {
  index a = 0, b = 0, c = 0;
  constexpr index entries() const { return a + b + c; }
};
constexpr gemm_scratch columns_scratch(const gemm_shape& s, int width) {
  const index ld = (s.n + width - 1) / width * width;
  return {has_strides(s.a, s.type) ? 0 : s.m * s.k, has_rows(s.b) ? 0 : s.k * ld,
          has_rows(s.c) ? 0 : s.m * ld};
}
constexpr gemm_scratch lanes_scratch(const gemm_shape& s, int width) {
  const auto in_lanes = [&](const matrix_batch& x) {
    return x.layout == batch_layout::interleaved && x.block % width == 0;
  };
  const bool broadcast = s.a.shared && has_strides(s.a, s.type);
  return {in_lanes(s.a) || broadcast ? 0 : s.m * s.k * width, in_lanes(s.b) ? 0 : s.k * s.n * width,
          in_lanes(s.c) ? 0 : s.m * s.n * width};
}

/// The same product with the strides of single entries taken out: problems of one number that are
/// neighbours are lanes.
constexpr gemm_shape without_unit_axes(gemm_shape s) {
  if (s.m != 1 || s.n != 1 || s.k != 1) return s;
  for (matrix_batch* x : {&s.a, &s.b, &s.c}) {
    if (x->layout != batch_layout::pointers) x->row = x->column = 0;
  }
  return s;
}

/// The way of least cost, that by lanes being taken for lanes_cost percent of what is said.
///
/// Which way round a complex product is taken shows in its last bits (the two products of an
/// imaginary part change places), and so does what its lanes are (pairs have two sums), so of
/// interleaved problems neither depends on their number in a block, which may be that of the batch.
[[gnu::always_inline]] constexpr gemm_choice gemm(const gemm_shape& s, int width,
                                                  const gemm_tuning& tuned) {
  const double lanes_factor = tuned.lanes_cost / 100.0;
  if (has_strides(s.a, s.type) && has_rows(s.b) && has_rows(s.c) && 2 * s.n >= width &&
      tuned.lanes_cost >= 100)
    return {gemm_path::by_columns, false, columns_cost(s, width)};  // nothing costs less
  const gemm_shape t = tenfold::transposed(s);
  const auto is_interleaved = [](const matrix_batch& x) {
    return x.layout == batch_layout::interleaved;
  };
  const bool is_fixed =
      is_complex(s.type) && (is_interleaved(s.a) || is_interleaved(s.b) || is_interleaved(s.c));
  const bool turned = s.b.shared && !s.a.shared;  // where it is fixed
  gemm_choice best{gemm_path::by_columns, false, -1};
  const auto offer = [&](gemm_choice c) {
    if (is_fixed && (c.transposed != turned || c.path == gemm_path::by_columns)) return;
    if (best.cost < 0 || c.cost < best.cost) best = c;
  };
  offer({gemm_path::by_columns, false, columns_cost(s, width)});
  offer({gemm_path::by_columns, true, columns_cost(t, width)});
  offer({gemm_path::by_lanes, false, lanes_factor * lanes_cost(s, width)});
  offer({gemm_path::by_lanes, true, lanes_factor * lanes_cost(t, width)});
  return best;
}

/// Registers that hold a sum each; a complex one takes two.
constexpr int sum_registers(int registers, scalar type) {
  return is_complex(type) ? registers / 2 : registers;
}

/// The most vectors of columns of a register tile, A broadcast, and the most rows of one with so
/// many: a row of B and an entry of A have registers too.
constexpr int most_vectors(int registers, scalar type) {
  const int r = sum_registers(registers, type);
  return r >= 32 ? 4 : r >= 16 ? 3 : 2;
}
constexpr int most_rows(int vectors, int registers, scalar type) {
  const int rows = (sum_registers(registers, type) - 1 - vectors) / vectors;
  return rows < 16 ? rows : 16;
}

/// The most rows of the register tiles that the library carries: with up to 16 their code is nearly
/// twice as long, and no single product of order 24 to 256 gains.
inline constexpr int carried_rows = 8;

/// The most rows and vectors of columns of register tiles for so many vectors of columns, A
/// broadcast.
constexpr tile_shape most_columns_tile(index vectors, int registers, scalar type,
                                       const gemm_tuning& t, bool carried = false) {
  const auto least = [](int x, int y) { return x < y ? x : y; };
  const int n = least(most_vectors(registers, type), t.columns_vectors);
  const int m = least(most_rows(chunks(vectors, n).longer, registers, type), t.columns_rows);
  return {carried ? least(m, carried_rows) : m, n};
}

/// The register tile of packed panels: rows that divide those of a vector, or are divided by them.
constexpr tile_shape blocked_tile(int registers, scalar type) {
  const int r = sum_registers(registers, type);
  return r >= 32 ? tile_shape{8, 3} : r >= 16 ? tile_shape{4, 3} : tile_shape{2, 2};
}

/// The register tile of rows x vectors of columns, A broadcast.
constexpr tile_shape columns_tile(index rows, index vectors, int registers, scalar type,
                                  const gemm_tuning& t, bool carried = false) {
  const tile_shape most = most_columns_tile(vectors, registers, type, t, carried);
  return {chunks(rows, most.m).longer, chunks(vectors, most.n).longer};
}

/// The largest register tile of problems.
constexpr tile_shape most_lanes_tile(int registers, scalar type, bool a_uniform) {
  const int r = sum_registers(registers, type);
  if (a_uniform) return r >= 32 ? tile_shape{8, 3} : r >= 16 ? tile_shape{4, 3} : tile_shape{2, 2};
  return r >= 32 ? tile_shape{4, 6} : r >= 16 ? tile_shape{3, 4} : tile_shape{2, 2};
}

/// The same within a tuning.
constexpr tile_shape most_lanes_tile(int registers, scalar type, bool a_uniform,
                                     const gemm_tuning& t) {
  const tile_shape most = most_lanes_tile(registers, type, a_uniform);
  return {most.m < t.lanes_rows ? most.m : t.lanes_rows,
          most.n < t.lanes_columns ? most.n : t.lanes_columns};
}

/// The register tile of rows x columns, each entry a vector of problems.
constexpr tile_shape lanes_tile(index rows, index columns, int registers, scalar type,
                                bool a_uniform, const gemm_tuning& t) {
  const tile_shape most = most_lanes_tile(registers, type, a_uniform, t);
  return {chunks(rows, most.m).longer, chunks(columns, most.n).longer};
}

/// Into which cache the kernel of a batched product fetches the problems to come, and how many
/// lines of each operand with each contracted value.
enum class fetch : unsigned char { none, into_l1, into_l2 };
struct fetch_choice {
  fetch to = fetch::none;
  int lines = 1;
};

/// For operands of so many bytes in `parts` parts. From memory, with ordinary stores, strided
/// products of order 12 to 32 run at 15 GB/s where they run at 10 without, interleaved ones at 14
/// instead of 10 (Sapphire Rapids, one core).
constexpr fetch_choice fetch_ahead(index a, index b, index c, index parts, const gemm_tuning& t) {
  const index widest = a > b ? (a > c ? a : c) : (b > c ? b : c);
  const index lines = parts == 0 ? 0 : (widest / parts + 32) / 64;
  return {a + b + c <= t.l2_to ? fetch::into_l1 : fetch::into_l2,
          static_cast<int>(lines < 1   ? 1
                           : lines > 4 ? 4
                                       : lines)};
}

/// Whether the next problem of a batch in L2, or tile of problems, of so many bytes is fetched by a
/// kernel that fetches into `to`.
[[gnu::always_inline]] constexpr bool fetches_from_l2(fetch to, index bytes, const gemm_tuning& t) {
  return to == fetch::into_l1 && bytes >= t.l2_from && bytes <= t.l2_to;
}

/// The same for a batch beyond L2: wherever some of them fit there.
[[gnu::always_inline]] constexpr bool fetches_from_memory(index bytes, const gemm_tuning& t) {
  return bytes <= t.memory_to;
}

/// Problems between the one at work and the one that is fetched from beyond L2.
[[gnu::always_inline]] constexpr index problems_ahead(index bytes, const gemm_tuning& t) {
  return bytes < t.distance ? (t.distance + bytes - 1) / (bytes < 1 ? 1 : bytes) : 1;
}

/// Problems, or tiles of problems, of so many bytes through which one register tile goes before the
/// next.
[[gnu::always_inline]] constexpr index problems_at_once(index bytes, const gemm_tuning& t) {
  return bytes < t.group ? t.group / (bytes < 1 ? 1 : bytes) : 1;
}

/// Whether results of so many bytes go past the caches, by columns by way of scratch: where that is
/// in cache.
[[gnu::always_inline]] constexpr bool streams_results(index bytes, const gemm_tuning& t) {
  return bytes <= t.stream_to;
}

/// Problems whose results wait in scratch on their way past the caches.
[[gnu::always_inline]] constexpr index streamed_problems(index bytes, const gemm_tuning& t) {
  return bytes < t.stream_group ? t.stream_group / (bytes < 1 ? 1 : bytes) : 1;
}

/// Columns that the sandwich micro-kernel takes at once: as many as the registers hold of both its
/// halves, if those are three or more (mass operator on Granite Rapids, p = 2 and 3: 1.06 and 1.04
/// times the rate of one column; two are not worth their time to compile). With matrices in
/// halves, whose entries are read half as often, a second pays as long as it spills little: mass
/// operator on Zen 5, p = 4 to 7, 1.09, 1.06, 1.03 and 1.02 times the rate.
constexpr int sandwich_columns(index points, index rows, bool in_halves, int registers) {
  if (registers < 32) return 1;
  const index held = registers - 4, sides = points + rows;
  if (!in_halves) return held < 3 * sides ? 1 : static_cast<int>(held / sides);
  return 2 * sides <= registers + 2 ? 2 : 1;
}

/// Whether a product of m rows, n columns and k contracted values is cut into blocks that are
/// packed: where the operands do not stay in L2 and each entry that is packed is used often enough
/// (of 8 to 12 rows or sums the contractions of ./dev bench contract --quick run at 1.5 to 3 times
/// the rate of tile programs).
/// Steps of a longer program leave little in memory where they run tile by tile, so they ask for
/// more, and so do products that the kernels of batches read in place (20000 x 32 times 32 x 32: 52
/// GFLOP/s and blocked 26; 20000 x 64 times 64 x 64: 27 and 32; Zen 4).
constexpr bool is_blocked(double m, double n, double k, bool is_alone, scalar type,
                          const capabilities& c) {
  const double least = is_alone ? 8 : 64;
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
/// Whether the kernels of batches take a product that could be blocked: so many of them feed the
/// threads. (One of order 256 to 800 runs on one core at 0.92 to 0.95 of what they do.)
constexpr bool is_batch(index products) { return products >= 8; }

/// The blocks of such a product. A panel of B, three vectors wide, passes from L2 through L1 for
/// each row of tiles, a block of A stays in L2, one of B in L3. Each block of k reads and writes C
/// once more, so k comes first: of n = 1500 in double precision 256 of them reach 0.94 of what 768
/// do, 384 0.97, 512 0.99; more than that gain nothing (Zen 4).
constexpr blocking blocks_of(index m, index n, index k, scalar type, const capabilities& c) {
  const index entry = static_cast<index>(bytes_of(type)), l2 = c.l2_bytes;
  const index width = blocked_tile(c.registers, type).n * neighbours(c.lanes(type), type);
  const auto evenly = [](index extent, index most, index step) {
    if (most < step) most = step;
    if (extent <= most) return extent;
    const index parts = (extent + most - 1) / most, each = (extent + parts - 1) / parts;
    return (each + step - 1) / step * step;
  };
  constexpr index most_k = 768;
  blocking b;
  b.k = evenly(k, most_k, 1);
  b.m = evenly(m, l2 / 8 * 7 / (most_k * entry), 16);
  b.n = evenly(n, 12 * l2 / (most_k * entry), width);
  const bool few = m * n <= 128 * 128 && k >= 32 * most_k;
  if (few) {
    b.parts = k / (16 * most_k) < 16 ? k / (16 * most_k) : 16;
    b.k = evenly((k + b.parts - 1) / b.parts, most_k, 1);
  }
  return b;
}

/// Values of a label that meet those of another in one block, see loop_group::bring_near.
inline constexpr index longest_cut = 64;

/// Whether columns of B that lie in vectors are read where they are: by few rows, and few enough
/// contracted values for their lines to stay in L1.
constexpr bool reads_in_place(index rows, index k, int tile_rows) {
  return rows <= 16 * tile_rows && k <= 128;
}

/// Columns of a block of which `together` are transposed at a time.
constexpr index whole_columns(index columns, index together) {
  return together > 2 * columns ? columns : (columns + together - 1) / together * together;
}

/// Entries that such a product has in scratch, per thread: its panels, where its rows, columns and
/// contracted values lie, and a list of panels, of no more than two numbers for each column.
constexpr index blocked_scratch(const blocking& b, index m, index n, scalar type,
                                const capabilities& c) {
  const auto whole = [](index x, index step) { return (x + step - 1) / step * step; };
  const index entry = static_cast<index>(bytes_of(type)), lanes = neighbours(c.lanes(type), type);
  const index numbers = (2 * (b.m + b.n + b.k) + 2 * (b.n + 64)) * index{sizeof(index)};
  return whole(b.m, 16) * b.k + whole(b.n, lanes) * b.k + (numbers + entry - 1) / entry +
         (b.parts > 1 ? b.parts * m * n : 0);
}

/// Runs of neighbours of which the columns of one task of packing are: they share pages.
inline constexpr index packed_runs = 8;

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

/// A tile of what has no sum: values of the loop m, along which an operand is nearest, and of n,
/// along which the result is.
struct pointwise_tile {
  index m, n;
};

/// What goes past the caches is written a few lines at a time and read many (order 256 reversed,
/// and 5000 x 5000 transposed, Granite Rapids, one core, copied in order 18 to 19 GB/s: 128 x 32
/// entries 18.9 and 16.9, 64 x 64 17.3 and 12.7, 32 x 64 14.1 and 12.7); what stays takes smaller
/// tiles (500 x 500: 27 instead of 23).
constexpr pointwise_tile pointwise_tile_of(index m, index n, scalar type, bool streams) {
  const auto least = [](index x, index y) { return x < y ? x : y; };
  const index bytes = static_cast<index>(bytes_of(type)), tile_bytes = streams ? 32768 : 16384;
  const index rows = least(m, streams ? (bytes > 8 ? 64 : 128) : 32);
  return {rows, least(n, tile_bytes / bytes / rows)};
}

/// A tile of the loops m and n with fewer entries is too short to be run as one.
inline constexpr index short_tile = 32;

/// Whether what has no sum is run in an order of its own: where it leaves the caches, or where an
/// operand is transposed in tiles of so many entries. In cache, without, tile programs do as well
/// (1000 matrices of 3 x 3 transposed: 47 GB/s and 34; of 8 x 8: 43 and 62; Granite Rapids).
constexpr bool is_pointwise(double bytes, index transposed, const capabilities& c) {
  return transposed >= short_tile || bytes > static_cast<double>(c.l2_bytes);
}

/// Entries of scratch for it: three tiles of the largest size, their rows ended by a line.
constexpr index pointwise_scratch(scalar type) {
  const index bytes = static_cast<index>(bytes_of(type));
  return 3 * (32768 / bytes + 128 * (64 / bytes));
}

/// Entries of a task.
inline constexpr index pointwise_task = 1 << 15;

}  // namespace tenfold::select
