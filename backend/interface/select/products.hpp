#pragma once

#include <tenfold/backend/interface/capabilities.hpp>
#include <tenfold/backend/interface/gemm.hpp>
#include <tenfold/backend/interface/select/tiles.hpp>
#include <tenfold/backend/interface/tuning.hpp>

#if defined(TENFOLD_TUNED)
#include <tenfold/backend/interface/tuned_classes.hpp>
#endif

/// Batched products of matrices, whose thresholds are in part those of a tuning.
namespace tenfold::select {

/// No problem has as many bytes.
inline constexpr int never = 1 << 30;

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
/// AVX-512: rows end in half vectors where what is left fits one. Zen 4, which passes 512 bits in
/// halves, order 9: 38 GFLOP/s instead of 31, 12: 51 and 42, 28: 58 and 51 (double precision). Not
/// measured where they pass whole: nothing is gained there, and as many operations are left.
///
/// Zen 5: strided problems are fetched 16 KB ahead rather than 4. From L3 that is 1.1 times the
/// rate of orders 12 and 16 in double precision and 1.6 of order 16 in single; from memory it is
/// nearly the same, and interleaved ones lose (complex order 8: 0.8). What is in L2 is left to the
/// processor's own prefetching: fetches take the ports of loads, which are the bound of order 8
/// (strided 92 GFLOP/s, with them 83; interleaved order 12 123 and 115). Rows end in whole vectors
/// (order 10 77 GFLOP/s, with a quarter of one 69; 17 to 24 floats, by ./dev tune: 1.3 to 1.4 times
/// the rate). From memory interleaved problems of few entries are fetched, too (order 6 27 GFLOP/s
/// instead of 21, 8 35 and 17). B is not copied into panels: from L2 it comes in time (order 128
/// 132 GFLOP/s, copied 118; 160 131 and 108; 512 and 1024 alike). From memory all is fetched to L1
/// (interleaved order 24 90 GFLOP/s, to L2 81; strided 24 with beta = 1 75 and 66), and interleaved
/// problems of many bytes, too (order 64 103 GFLOP/s instead of 77).
///
/// Zen 4, strided: its own prefetching is the better one wherever it is given runs long enough to
/// follow. Without ours batches in L2 of order 8 to 14, and in single precision 10 to 24, run at
/// 1.05 to 1.28 times the rate; from L3 orders up to 8 at 1.2 to 1.5, complex 8 to 16 at 0.91 to
/// 0.97; from memory 14 to 24 at 1.1 to 1.5, while from 28 on (18 KB) ours is up to 2 times as fast
/// as none. By way of scratch results of more than 300 bytes reach memory no sooner than through
/// the caches (orders 14 to 32: 0.8 to 0.95 of the rate). And a tile goes through 10 KB of problems
/// before the next rather than 16 (1.1 times the rate of order 24, and of 12 and 32 in single
/// precision; none loses more than 0.03).
constexpr gemm_tuning shipped(const size_class& c, instruction_set set,
                              processor model = processor::other) {
  gemm_tuning t{};
  t.columns_rows = 16;
  t.columns_vectors = set == instruction_set::avx512 ? 4 : 3;
  t.lanes_rows = set == instruction_set::avx512 ? 8 : 4;
  t.lanes_columns = set == instruction_set::avx512 ? 6 : 4;
  t.unroll = unrolled_products;
  t.narrows = set == instruction_set::avx512 ? 2 : 1;
  t.l2_from = c.interleaved ? 11000 : 1100;
  t.l2_to = c.interleaved ? 28672 : 8192;
  t.memory_from = c.interleaved && c.size <= (is_complex(c.type) ? 0 : 2) ? never : 0;
  t.memory_to = 262144;
  t.distance = c.interleaved ? 4096 : 16384;
  t.group = 65536;
  t.stream_to = c.interleaved ? never : 12288;
  t.stream_group = 4096;
  t.task = static_cast<int>(task_flops / 1024);
  t.lanes_cost = 100;
  t.panel_rows = 32;
  if (model == processor::zen4 && !c.interleaved) {
    t.l2_from = never;
    t.memory_from = 12000;
    t.distance = 10240;
    t.stream_to = 300;
  }
  if (model == processor::zen5) {
    t.unroll = unrolled_on_zen5;
    t.memory_from = 0;
    t.l2_from = never;
    t.l2_to = never;
    if (c.interleaved) {
      t.memory_to = 1 << 20;
    } else {
      t.narrows = 1;
      t.panel_rows = never;
    }
  }
  return t;
}
constexpr tuning shipped(instruction_set set, processor model = processor::other) {
  tuning all{};
  for (int i = 0; i < class_count; ++i) all.classes[i] = shipped(class_of(i), set, model);
  return all;
}

#if defined(TENFOLD_TUNED)
static_assert(are_valid(tuned_classes),
              "a value in the header of TENFOLD_TUNING_HEADER is out of bounds (tuning_fields)");
#endif

/// What static sizes of a class are built with: as shipped, but for what the header says that a
/// build may be given (CMake's TENFOLD_TUNING_HEADER).
///
/// One class, as a table of all would be evaluated in every file that includes this.
constexpr gemm_tuning built_in(instruction_set set, processor model, const size_class& c) {
  gemm_tuning t = shipped(c, set, model);
#if defined(TENFOLD_TUNED)
  for (const tuned_class& one : tuned_classes) {
    if (one.set == set && one.which == c) t = one.found;
  }
#endif
  return t;
}
constexpr gemm_tuning tuning_of(const capabilities& c, const gemm_shape& s) {
  return c.tuned != nullptr ? c.tuned->of(s) : built_in(c.set(), c.model, class_of(s));
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

/// Whether problems of one complex number each run as one product entry by entry: converted to
/// lanes on the way, as products of matrices are, they ran at a sixth of the rate of plain loops
/// (double precision, in L2, Zen 4).
constexpr bool is_entry_wise(const gemm_shape& s) {
  const auto is_strided = [](const matrix_batch& x) { return x.layout == batch_layout::strided; };
  return is_complex(s.type) && s.m == 1 && s.n == 1 && s.k == 1 && is_strided(s.a) &&
         is_strided(s.b) && is_strided(s.c);
}

/// Whether a product whose sizes the types tell has code of its own: up to where panels are packed,
/// and before the tiles' loops make up for what constants save.
constexpr bool has_static_code(const gemm_shape& s, const gemm_tuning& t) {
  return s.m <= 1024 && s.n <= 1024 && s.k <= 1024 && !packs_panels(s, s.b.row, t) &&
         !is_entry_wise(s);
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

/// Rows of A that pass together while B stays in registers. With four g++ is slower (36 x 6 x 4,
/// double precision, Zen 4: 1.1 times the rate of tiles that read B again, with two 1.3).
inline constexpr int kept_rows = 2;

/// The vectors of columns whose k entries of B stay in registers while the rows of A pass; 0: each
/// register tile reads B again.
///
/// A tile that the compiler unrolls whole is better than a loop over rows (6 x 16 x 4, double
/// precision, Zen 4: 1.2 times the rate).
constexpr int kept_vectors(index m, index vectors, index k, int registers, scalar type) {
  if (registers < 32 || is_complex(type) || k > static_sum) return 0;
  if (m * vectors * k < unrolled_products) return 0;
  const auto most = (registers - 1 - kept_rows) / (k + kept_rows);  // sums, and entries of A
  const int kept = most < 1 ? 0 : chunks(vectors, most).longer;
  return kept > 1 || vectors == 1 ? kept : 0;  // a broadcast serves two or more if it can
}

/// How a product by columns keeps B in registers.
struct kept_columns {
  int vectors = 0;     ///< of columns at once; 0: B is not kept
  int of = 0;          ///< vectors of columns in all
  int transposed = 0;  ///< last columns, beyond them: C^T := B^T A^T, the lanes are rows of C
  int problems = 1;    ///< computed together
};

/// Whether two problems pass together, so that an entry of A, the same for both, is loaded once for
/// two multiply-adds: where a row is one vector, and the registers hold B of both (double
/// precision, in L2, Zen 5: 64 x 8 x 7 130 GFLOP/s instead of 116, 81 x 9 x 8 109 and 94).
constexpr int kept_problems(const gemm_shape& s, index vectors, int registers) {
  return s.a.shared && vectors == 1 && 2 * s.k + 3 * kept_rows <= registers ? 2 : 1;
}

/// The columns beyond whole vectors of `width` are transposed where they are few, and A, the same
/// for all problems, can be packed once and stays in L1 beside a problem in place. With fewer rows
/// than lanes too (6 x 25 x 5, double precision, Zen 4: 0.91 of the peak, 0.85 with a vector for
/// one entry). Few: 11 x 11 x 9 with three beyond 1.14 times the rate of a vector for them, 36 x 23
/// x 8 in single precision, with seven, 0.84 (Zen 5).
constexpr kept_columns keep_columns(const gemm_shape& s, int width, int registers) {
  const index rest = s.n % width, whole = s.n / width;
  const bool in_place = s.a.shared && has_strides(s.a, s.type) && has_rows(s.b) && has_rows(s.c);
  const index packed = (s.m + width) * s.k * static_cast<index>(bytes_of(s.type));
  const bool few = rest <= 3 || 3 * rest <= width;
  if (in_place && whole > 0 && rest > 0 && few && 2 * s.m >= width && packed <= 16384) {
    const int kept = kept_vectors(s.m, whole, s.k, registers, s.type);
    if (kept > 0)
      return {kept, static_cast<int>(whole), static_cast<int>(rest),
              kept_problems(s, whole, registers)};
  }
  const index vectors = rest > 0 ? whole + 1 : whole;
  return {kept_vectors(s.m, vectors, s.k, registers, s.type), static_cast<int>(vectors), 0,
          kept_problems(s, vectors, registers)};
}

/// Vectors of rows of n entries, end to end, until one begins with a row again.
constexpr int turns_of_rows(index n, int width) {
  int turns = 1;
  while (turns * n % width != 0) ++turns;
  return static_cast<int>(turns * n / width);
}

/// Whether C is computed as one row of vectors, whatever row an entry belongs to, so that no lane
/// is idle: its rows, shorter than a vector, lie end to end, and A, the same for all problems, is
/// packed with each entry as often as its row has entries in a vector, and stays in L1. Each row of
/// B is turned as often as a vector may begin in it, and so serves 4 / 3 vectors or more (one: 0.86
/// of the rate, 8 x 5 x 5).
///
/// In L2, Zen 5, double precision: 36 x 6 x 5 104 GFLOP/s instead of 70, 25 x 5 x 4 66 instead of
/// 56, 49 x 7 x 6 100 instead of 89, 16 x 4 x 3 119 instead of 48; in single 64 x 8 x 7 228 instead
/// of 117. There the results are the bound, line by line from L2: in L1 36 x 6 x 5 runs at 113, and
/// 25 x 5 x 4, whose vectors lie across lines, at 71, 24 x 5 x 4 at 104.
constexpr bool flattens_rows(const gemm_shape& s, int width, int registers) {
  if (is_complex(s.type) || registers < 32 || s.n >= width || s.n == 1 || s.k > static_sum)
    return false;
  const bool in_place =
      s.a.shared && has_strides(s.a, s.type) && has_rows(s.b) && has_rows(s.c) && s.c.row == s.n;
  const index vectors = (s.m * s.n + width - 1) / width;
  return in_place && 3 * vectors >= 4 * turns_of_rows(s.n, width) &&
         vectors * width * s.k * static_cast<index>(bytes_of(s.type)) <= 24576;
}

/// From so many problems on it pays to pack A so (36 x 6 x 5, Zen 5: that takes as much time as 9
/// problems, of which each then takes 0.68 of its time).
inline constexpr index flat_problems = 32;

/// Vectors of C that are summed at a time (4: 0.86 of the rate, 8: 0.97).
inline constexpr int flat_vectors = 12;
constexpr tile_shape flat_tile(index m, index n, int width) {
  const int turns = turns_of_rows(n, width);
  const index vectors = (m * n + width - 1) / width;
  return {1, chunks((vectors + turns - 1) / turns, flat_vectors).longer};
}

/// From so many problems on it pays to pack A (81 x 9 x 7, Zen 4: that takes as much time as 0.7
/// problems, of which each then takes 0.73 of its time).
inline constexpr index packed_problems = 4;

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

/// How B is walked by lanes, where it is larger than L1.
struct lanes_panels {
  index across;        ///< tiles of columns that all rows of A meet before the next so many
  bool packs = false;  ///< these columns are copied first, so that they are neighbours

  friend constexpr bool operator==(const lanes_panels&, const lanes_panels&) = default;
};

/// Of m rows and n columns, in tiles of so many, k contracted values, and `bytes` in an entry.
///
/// Row by row, A stays in L1, and a B that stays there, too, is walked as it lies. A larger one
/// comes again for each row of tiles. In L2 the columns of two tiles stay in L1 while A passes
/// (order 29, double precision, Zen 5: 119 GFLOP/s, row by row 97, one tile 112, three 117). From
/// memory, where fetches are lost beside lines that L2 serves, and where lines of B meet in a set,
/// columns are copied, as many as leave most of L1 to A and to what is fetched (from memory order
/// 24 90 GFLOP/s instead of 68, 32 85 instead of 56, 48 111 instead of 65; in L2 order 32 113
/// instead of 103, but 24 107 instead of 121). Of few rows the copy costs more than it saves, and
/// columns of one tile that are larger than L1 do not stay.
///
/// An L1 of 32 KB or more, of 64 sets of 12 lines or, smaller, of 8.
[[gnu::always_inline]] constexpr lanes_panels panels_by_lanes(index m, index n, index k,
                                                              int columns, index bytes,
                                                              bool from_memory) {
  constexpr index sets = 64, ways = 12, packed = 18432, least_rows = 16;
  const chunks tiles(n, columns);
  const index row = n * bytes, of_tile = tiles.longer * bytes;
  index starts = sets;
  for (index step = row / 64; step % 2 == 0 && starts > 1; step /= 2) starts /= 2;
  const index lines = 2 * of_tile / 64, met = starts * lines < sets ? starts * lines : sets;
  const bool meets = k * row > 32768 && k * lines >= ways * met;
  if (m >= least_rows && k * of_tile <= 32768 && (meets || (from_memory && k * row > 24576))) {
    const index fit = packed / (k * of_tile);
    const index across = chunks(tiles.count(), fit < 1 ? 1 : fit).longer;
    if (across < tiles.count()) return {across, true};
  }
  return {k * row > 32768 && !meets ? 2 : n};  // at most n tiles in all
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

/// Whether a processor's own prefetching follows an operand of so many bytes to the next problem,
/// which begins `step` bytes on: where it lies within a page behind.
[[gnu::always_inline]] constexpr bool lies_in_line(index step, index bytes) {
  return step >= 0 && step - bytes < 4096;
}

/// The same as fetches_from_l2 for a batch beyond L2: wherever some of them fit there, and where
/// they lie in line only what memory_from says. Matrices at shuffled addresses run at half the rate
/// without (orders 8 to 32, Zen 4).
[[gnu::always_inline]] constexpr bool fetches_from_memory(index bytes, bool in_line,
                                                          const gemm_tuning& t) {
  return (!in_line || bytes >= t.memory_from) && bytes <= t.memory_to;
}

/// Where the operands of a batch come from.
enum class residence : unsigned char { l2, l3, memory };

/// By their bytes. A batch cannot count on all of L3: of order 16 and 24 MB, where L3 has 32, it
/// runs at twice the rate if it is computed as one from memory (Zen 4).
[[gnu::always_inline]] constexpr residence residence_of(double bytes, index l2, index l3) {
  return bytes <= static_cast<double>(l2)           ? residence::l2
         : bytes <= 0.625 * static_cast<double>(l3) ? residence::l3
                                                    : residence::memory;
}

/// Problems of a variable batch that are sorted by their shapes at a time. 10,000 of orders 2 to
/// 32, double precision, Zen 5, beside fixed batches of the same problems: one by one in the order
/// of memory 0.56 of the rate, 64 at a time 0.58, 256 0.78, 1024 0.95, all 1.05; but each shape of
/// many more would lead through all of memory.
inline constexpr index binned_problems = 4096;

/// Rows of one product that are a task of the thread pool.
constexpr index rows_of_task(const gemm_shape& s) {
  const double of_row = flops_of({s.type, 1, s.n, s.k, s.a, s.b, s.c});
  const auto rows = static_cast<index>(task_flops / (of_row < 1 ? 1 : of_row));
  return (rows + 16) / 16 * 16;
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

/// The most problems through which one register tile goes before the next, of a batch of which
/// `ahead` are fetched ahead.
///
/// Beyond L2 they are as many as are fetched ahead, so that they come in the order of their use:
/// from L3 orders 12 to 20 are 1.2 times as fast as with 64 KB at once (Zen 5). From memory, by
/// columns, it is one, and the processor's own prefetching follows each operand from end to end:
/// 1.1 to 1.4 times the rate of as many as are fetched ahead (double precision, orders 10 to 16,
/// Zen 4).
[[gnu::always_inline]] constexpr index problems_at_most(residence from, gemm_path path,
                                                        index ahead) {
  if (from == residence::l2) return INT64_MAX;
  return from == residence::memory && path == gemm_path::by_columns ? 1 : ahead;
}

/// Whether results of so many bytes go past the caches, by columns by way of scratch: where that is
/// in cache.
[[gnu::always_inline]] constexpr bool streams_results(index bytes, const gemm_tuning& t) {
  return bytes <= t.stream_to;
}

/// Whether results past the caches are written from registers, line by line, and not by way of
/// scratch, by vectors of `width` entries: where a vector is a line and rows are two or more of
/// them (from memory, double precision, Zen 5: order 16 1.25 times the rate, 24 1.3, 32 1.06; 8, a
/// line each, 0.92). By a kernel of its own: asking costs order 16 in L2 3 %.
constexpr bool writes_lines(const gemm_shape& s, int width) {
  return !is_complex(s.type) && width * static_cast<index>(bytes_of(s.type)) == 64 &&
         has_rows(s.c) && s.n % width == 0 && s.n > width && s.c.row % width == 0;
}

/// Problems whose results wait in scratch on their way past the caches.
[[gnu::always_inline]] constexpr index streamed_problems(index bytes, const gemm_tuning& t) {
  return bytes < t.stream_group ? t.stream_group / (bytes < 1 ? 1 : bytes) : 1;
}

}  // namespace tenfold::select
