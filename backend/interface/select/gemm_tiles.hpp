#pragma once

#include <tenfold/backend/interface/select/gemm_path.hpp>
#include <tenfold/backend/interface/select/register_tiles.hpp>

/// The register tiles of batched products, and what stays in registers or L1 while they pass.
namespace tenfold::select {

// `registers` are those of the processor, of which a complex sum takes two.

/// The most vectors of columns of a register tile, A broadcast, and the most rows of one with so
/// many: a row of B and an entry of A have registers too, or, where these are fewer, a column of A
/// and a vector of B (accumulators::keeps_rows). With 16 registers 3 x 4 loads as much for 12 sums
/// as 4 x 3, but divides rows of 4, 7 and 8 vectors better (strided, in L2, double precision, Zen
/// 3: order 29 34 GFLOP/s instead of 32, 32 39 instead of 37, 9 x 64 x 8 36 instead of 33).
constexpr int most_vectors(int registers, scalar type) {
  const int r = registers_for(registers, type);
  if (r < 16) return 2;
  return r >= 32 || !is_complex(type) ? 4 : 3;
}
constexpr int most_rows(int vectors, int registers, scalar type) {
  const int free = registers_for(registers, type) - 1;
  const int most = (free - vectors) / vectors, rows = most < vectors ? free / (vectors + 1) : most;
  return rows < 16 ? rows : 16;
}

/// Whether a loop over k is unrolled by two. With 16 registers a turn is some 22 instructions, and
/// its end costs as much as a few of them: where both threads of a core are at work, which then
/// fetch instructions by turns, the loop waits for these (strided, in L2, double precision, Zen 3,
/// beside a busy thread: order 28 38 GFLOP/s, one at a time 32, 40 37 and 34, 29 34 and 31, 9 x 64
/// x 8 31 and 28; by four as by two; interleaved order 24 and 32 1.03, 10 0.98 times the rate; with
/// the core to itself strided alike).
constexpr bool pairs_steps(int registers) { return registers < 32; }

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
  const int r = registers_for(registers, type);
  return r >= 32 ? tile_shape{8, 3} : r >= 16 ? tile_shape{4, 3} : tile_shape{2, 2};
}

/// The same of results that go past the caches: rows of whole lines, which in halves would wait for
/// their other half, and are written in parts if they wait long.
constexpr tile_shape streamed_tile(int registers, scalar type) {
  const int r = registers_for(registers, type);
  return r == 16 ? tile_shape{2, 6} : blocked_tile(registers, type);
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

/// How a product by columns keeps B in registers, and transposes its last columns.
struct kept_columns {
  int vectors = 0;     ///< of columns at once; 0: B is not kept
  int of = 0;          ///< vectors of columns in all, but for those that are transposed
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
///
/// With 16 registers B has no room, and tiles go over the other columns. Few is one (AVX2, Zen 3:
/// 6 x 25 x 5 1.18 times the rate, 81 x 9 x 8 1.08, in single precision 1.09 and 1.19; two beyond,
/// 100 x 10 x 8, 0.94 and 1.04, three, 121 x 11 x 9, 0.85 and 0.95; SSE2 one beyond: 81 x 9 x 8
/// 1.26 and 1.25, 6 x 25 x 5 0.95 and 1.07).
constexpr kept_columns keep_columns(const gemm_shape& s, int width, int registers) {
  const index rest = s.n % width, whole = s.n / width;
  const bool in_place = !is_complex(s.type) && is_uniform(s.a, s.type) && has_rows(s.b) &&
                        has_rows(s.c) && s.k <= static_sum;
  const index packed = (s.m + width) * s.k * static_cast<index>(bytes_of(s.type));
  const bool few = registers < 32 ? rest == 1 : rest <= 3 || 3 * rest <= width;
  if (in_place && whole > 0 && rest > 0 && few && 2 * s.m >= width && packed <= 16384) {
    const int kept = kept_vectors(s.m, whole, s.k, registers, s.type);
    if (kept > 0 || registers < 32)
      return {kept, static_cast<int>(whole), static_cast<int>(rest),
              kept > 0 ? kept_problems(s, whole, registers) : 1};
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

/// Whether a row of B as it is turned, where C is one row of vectors, stays in registers with those
/// of all k, of two problems, while the vectors of C for it are summed one after the other. Else
/// the sums of as many vectors as the registers hold (flat_vectors) take one k after the other
/// (AVX2, Zen 3, six sums of each of two problems: 36 x 6 x 5 0.9 of the rate, 25 x 5 x 4 0.88;
/// AVX-512, Emerald Rapids: alike).
constexpr bool keeps_flat_rows(int registers) { return registers < 32; }

/// Whether C is computed as one row of vectors, whatever row an entry belongs to, so that no lane
/// is idle: its rows, which are short, lie end to end, and A, the same for all problems, is
/// packed with each entry as often as its row has entries in a vector, and stays in L1. Each row of
/// B is turned as often as a vector may begin in it, and so serves 4 / 3 vectors or more (one: 0.86
/// of the rate, 8 x 5 x 5).
///
/// In L2, Zen 5, double precision: 36 x 6 x 5 104 GFLOP/s instead of 70, 25 x 5 x 4 66 instead of
/// 56, 49 x 7 x 6 100 instead of 89, 16 x 4 x 3 119 instead of 48; in single 64 x 8 x 7 228 instead
/// of 117. There the results are the bound, line by line from L2: in L1 36 x 6 x 5 runs at 113, and
/// 25 x 5 x 4, whose vectors lie across lines, at 71, 24 x 5 x 4 at 104.
///
/// With 16 registers rows a little longer than a vector, too (AVX2, in L2, Zen 3, double precision:
/// 36 x 6 x 5 39 GFLOP/s instead of 31, 25 x 5 x 4 29 instead of 25, but 49 x 7 x 6 34 instead of
/// 36; single: 36 x 6 x 5 68 instead of 40, 49 x 7 x 6 59 instead of 42, 16 x 4 x 3 70 instead of
/// 30; SSE2, single: 25 x 5 x 4 1.95, 49 x 7 x 5 1.42 times the rate). Not what SSE2 loads entry by
/// entry (9 x 3 x 2 0.57).
constexpr bool flattens_rows(const gemm_shape& s, int width, int registers) {
  if (is_complex(s.type) || s.n % width == 0 || s.n == 1 || s.k > static_sum) return false;
  const bool is_short =
      keeps_flat_rows(registers) ? 2 * s.n <= 3 * width && 2 * s.k + 3 <= registers : s.n < width;
  const bool loads_rows = s.n > width || width * static_cast<int>(bytes_of(s.type)) >= 32;
  if (!is_short || !loads_rows) return false;
  const bool in_place = is_uniform(s.a, s.type) && has_rows(s.b) && has_rows(s.c) && s.c.row == s.n;
  const index vectors = (s.m * s.n + width - 1) / width;
  return in_place && 3 * vectors >= 4 * turns_of_rows(s.n, width) &&
         vectors * width * s.k * static_cast<index>(bytes_of(s.type)) <= 24576;
}

/// Whether anything is fetched from L2, or a processor's own prefetching serves better.
[[gnu::always_inline]] constexpr bool fetches_in_l2(const gemm_tuning& t) {
  return t.l2_from < t.l2_to;
}

/// Whether C to come is fetched from L2, too, while vectors are written along runs of so many
/// entries, rows or all of C end to end: where A, the same for all problems, leaves C most of what
/// moves, a core waits for vectors that lie across lines. Emerald Rapids, in L2, of the rate
/// without, double precision: rows beside kept B 6 x 25 x 5 1.2, 8 x 49 x 7 1.4, 81 x 9 x 8 1.45,
/// 100 x 10 x 8 1.4, 121 x 11 x 9 1.3, from L3 1.05 to 1.4; end to end 9 x 3 x 2 1.75, 25 x 5 x 3
/// 1.9, 25 x 5 x 4 1.6, 49 x 7 x 5 1.25, single 25 x 5 x 3 1.6, 36 x 6 x 4 1.4, 81 x 9 x 8 1.1,
/// AVX2 25 x 5 x 3 1.6, others alike, from L3 1.1 to 2.2. Vectors that are lines, 36 x 6 x 5, 0.92,
/// 64 x 8 x 7 1.0; orders 3 to 32 with an A each 0.86 to 1.02.
constexpr bool fetches_c(const gemm_shape& s, index run, const gemm_tuning& t) {
  return s.a.shared && fetches_in_l2(t) && run * static_cast<index>(bytes_of(s.type)) % 64 != 0;
}

/// Bytes from what is written to what is fetched, beside kept B (256 0.9 of the rate, 512 to 1024
/// alike, 2048 0.94, the next two problems 0.8, and 0.6 where they are 16 KB). Of rows end to end,
/// which are not written in their order, it is the next problems.
inline constexpr index c_ahead = 768;

/// The lanes of a vector that holds several rows of a matrix of order n, as many as there are; 0:
/// there is none, or no use for it. AVX2 loads a row once for each.
///
/// Against products by columns, batch in L2, Sapphire Rapids: order 4 in double precision 1.3 times
/// as fast (in L1 0.86), in single 1.6 (1.3); order 8 in single 1.06 (in L1 0.8); order 2 0.93 in
/// double, 1.04 in single, when the loop over problems still asked at each. Zen 4, where it does
/// not: order 2 1.7 in double, 2.1 in single. Zen 5, each vector of A loaded once: order 4 in
/// single 152 GFLOP/s, with a load for each product 117, order 8 149, by columns 100.
constexpr int lanes_of_rows(index n, int width, scalar type) {
  const bool has_avx2 = width * static_cast<int>(bytes_of(type)) >= 32;
  if (is_complex(type) || !has_avx2 || (n != 2 && n != 4 && (n != 8 || width < 16))) return 0;
  const int w = n * n < width ? narrow_neighbours(n * n, width, type) : width;
  return 2 * n <= w && w <= n * n ? w : 0;
}
/// Whether products by columns take a shape so. Zen 4 passes 512 bits in halves, and gains nothing
/// where each is a row: order 4 in double precision 31 GFLOP/s, by columns 37, 8 in single 71 and
/// 95; order 4 in single, four rows, 69 and 44.
constexpr bool multiplies_by_rows(const gemm_shape& s, int width,
                                  processor model = processor::other) {
  if (s.m != s.n || s.k != s.n || lanes_of_rows(s.n, width, s.type) == 0) return false;
  if (model == processor::zen4 && s.n * static_cast<index>(bytes_of(s.type)) == 32) return false;
  const bool a_is_dense =
      !has_strides(s.a, s.type) || (s.a.row * s.a.block == s.n && s.a.column * s.a.block == 1);
  return a_is_dense && (has_rows(s.c) ? s.c.row == s.n : s.n % width == 0);
}

/// From so many problems on it pays to pack A so (36 x 6 x 5, Zen 5: that takes as much time as 9
/// problems, of which each then takes 0.68 of its time).
inline constexpr index flat_problems = 32;

/// Vectors of C that are summed at a time (4: 0.86 of the rate, 8: 0.97).
inline constexpr int flat_vectors = 12;
constexpr tile_shape flat_tile(index m, index n, int width, int registers) {
  if (keeps_flat_rows(registers)) return {1, 1};
  const int turns = turns_of_rows(n, width);
  const index vectors = (m * n + width - 1) / width;
  return {1, chunks((vectors + turns - 1) / turns, flat_vectors).longer};
}

/// From so many problems on it pays to pack A (81 x 9 x 7, Zen 4: that takes as much time as 0.7
/// problems, of which each then takes 0.73 of its time).
inline constexpr index packed_problems = 4;

/// The largest register tile of problems, so many vectors an entry: sums, a row of B and an entry
/// of A have registers, of which two vectors, multiplied one after the other, share those for B and
/// A.
constexpr tile_shape most_lanes_tile(int registers, scalar type, bool a_uniform, int vectors = 1) {
  const int r = registers_for(registers, type);
  if (vectors == 2) return r >= 32 ? tile_shape{4, 3} : tile_shape{3, 2};
  if (a_uniform) return r >= 32 ? tile_shape{8, 3} : r >= 16 ? tile_shape{4, 3} : tile_shape{2, 2};
  return r >= 32 ? tile_shape{4, 6} : r >= 16 ? tile_shape{4, 3} : tile_shape{2, 2};
}

/// The same within a tuning.
constexpr tile_shape most_lanes_tile(int registers, scalar type, bool a_uniform, int vectors,
                                     const gemm_tuning& t) {
  const tile_shape most = most_lanes_tile(registers, type, a_uniform, vectors);
  return {most.m < t.lanes_rows ? most.m : t.lanes_rows,
          most.n < t.lanes_columns ? most.n : t.lanes_columns};
}

/// The register tile of rows x columns, each entry so many vectors of problems.
constexpr tile_shape lanes_tile(index rows, index columns, int registers, scalar type,
                                bool a_uniform, int vectors, const gemm_tuning& t) {
  const tile_shape most = most_lanes_tile(registers, type, a_uniform, vectors, t);
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
/// columns of one tile that are larger than L1 do not stay. Where fetches_in_l2, L2 serves lines
/// that meet in time, row by row (Emerald Rapids, in L2, of the rate with copies: order 32 1.23, in
/// single precision 1.26, 64 1.1 and 1.04; in two tiles of columns instead order 32 1.18, one 1.08,
/// three 1.23, all 1.3).
///
/// An L1 of 32 KB or more, of 64 sets of 12 lines or, smaller, of 8.
[[gnu::always_inline]] constexpr lanes_panels panels_by_lanes(index m, index n, index k,
                                                              int columns, index bytes,
                                                              bool from_memory,
                                                              const gemm_tuning& t) {
  constexpr index ways = 12, packed = 18432, least_rows = 16;
  const chunks tiles(n, columns);
  const index row = n * bytes, of_tile = tiles.longer * bytes;
  const index lines = 2 * of_tile / 64;
  const bool meets = k * row > 32768 && k * lines >= ways * sets_met(row, lines);
  const bool is_late = from_memory ? meets || k * row > 24576 : meets && !fetches_in_l2(t);
  if (m >= least_rows && k * of_tile <= 32768 && is_late) {
    const index fit = packed / (k * of_tile);
    const index across = chunks(tiles.count(), fit < 1 ? 1 : fit).longer;
    if (across < tiles.count()) return {across, true};
  }
  return {k * row > 32768 && !meets ? 2 : n};  // at most n tiles in all
}

}  // namespace tenfold::select
