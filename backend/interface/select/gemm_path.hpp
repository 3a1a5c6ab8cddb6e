#pragma once

#include <tenfold/backend/interface/gemm.hpp>
#include <tenfold/backend/interface/select/shipped_tuning.hpp>

/// Which way a batched product is taken: what its lanes are, which side is which, what goes by way
/// of scratch. Always inline: it is asked in code for several instruction sets, of which no linker
/// may keep one for all.
namespace tenfold::select {

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
[[gnu::always_inline]] constexpr bool has_rows(const matrix_batch& x) {
  return (x.layout == batch_layout::strided || x.layout == batch_layout::pointers) && x.column == 1;
}

/// Whether the strides of a problem lead from entry to entry of the scalar.
[[gnu::always_inline]] constexpr bool has_strides(const matrix_batch& x, scalar type) {
  return x.layout == batch_layout::strided || x.layout == batch_layout::pointers ||
         (x.layout == batch_layout::interleaved && !is_complex(type));
}

/// Whether one matrix, wherever its entries lie, is broadcast to all lanes.
[[gnu::always_inline]] constexpr bool is_uniform(const matrix_batch& a, scalar type) {
  return a.shared && has_strides(a, type);
}

/// Whether all operands, but for one A for all, are interleaved in the same blocks, which are whole
/// vectors of so many lanes.
[[gnu::always_inline]] constexpr bool are_in_blocks(const gemm_shape& s, index lanes) {
  const auto lies_so = [&](const matrix_batch& x) {
    return x.layout == batch_layout::interleaved && x.block == s.c.block && x.block % lanes == 0;
  };
  return (is_uniform(s.a, s.type) || lies_so(s.a)) && lies_so(s.b) && lies_so(s.c);
}

/// Native vectors of `width` lanes that one entry of as many problems fills: two where problems lie
/// in such blocks and two are no more than a line of memory. Else each line is read and written in
/// halves, or quarters, by tiles that come one after the other, and none goes whole past the caches
/// (AVX2, double precision, Zen 3, static sizes, half by half and so: in L2 order 4 12 GFLOP/s and
/// 23, 8 23 and 27; from memory 4 2.1 and 4.9, 8 3.9 and 6.6, 16 7 and 15).
[[gnu::always_inline]] constexpr int vectors_of_problems(const gemm_shape& s, int width) {
  const bool in_lines = 2 * width * static_cast<int>(bytes_of(s.type)) <= 64;
  return !is_complex(s.type) && in_lines && are_in_blocks(s, 2 * width) ? 2 : 1;
}
/// The lanes of these vectors.
[[gnu::always_inline]] constexpr int lanes_of_problems(const gemm_shape& s, int width) {
  return width * vectors_of_problems(s, width);
}

/// Neighbouring columns in one vector, of `width` lanes for real and imaginary parts apart: complex
/// ones lie there in pairs, half as many, unless that is a single one.
[[gnu::always_inline]] constexpr int neighbours(int width, scalar type) {
  return is_complex(type) && width >= 4 ? width / 2 : width;
}

/// The fewest neighbours in a vector that holds n entries, a half or a quarter of one of `width`
/// lanes where there are such; those of a whole one where none does.
[[gnu::always_inline]] constexpr int narrow_neighbours(index n, int width, scalar type) {
  const int most = neighbours(width, type), least = is_complex(type) ? 2 : 1;
  const int bytes = width * static_cast<int>(bytes_of(real_of(type)));
  for (const int part : {4, 2})
    if (most / part >= least && bytes / part >= 16 && n <= most / part) return most / part;
  return most;
}

/// Vector operations of one product by columns: the multiply-adds, the loads of B, the way into C,
/// and what scratch costs: B transposed in registers 0.6 an entry, other entries one by one 2, C
/// there and back 4. Measured at n = 2, 3, 4, 6 and 8 (Sapphire Rapids): 8, 19, 28, 66 and 103
/// where this says 12, 20, 30, 56 and 90.
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
  if (s.b.column != 1 || s.c.column != 1) cost += 0.1;  // see columns_touch, gemm_tiles.hpp
  return cost;
}

/// Of 64 sets of L1 those that `lines` lines of each row meet, rows lying so many bytes apart: a
/// large power of two apart they share few.
[[gnu::always_inline]] constexpr index sets_met(index bytes, index lines) {
  index starts = 64;
  for (index step = bytes / 64; bytes % 64 == 0 && step % 2 == 0 && starts > 1; step /= 2)
    starts /= 2;
  return starts * lines < 64 ? starts * lines : 64;
}

/// Whether B is copied into panels, one register tile wide, before its columns are used: where a
/// panel, whose rows are `row` entries apart, does not stay in L1 while all rows of A pass, and
/// these are enough (panel_rows) to pay for the copy.
///
/// An L1 of 64 sets of 8 lines or more (n = 128 in double precision, four lines a row: 16 sets are
/// met). Beyond 64 pages they miss the TLB. Where neither is so the copy only costs (n = 80: 0.87
/// of OpenBLAS with it, 0.94 without).
[[gnu::always_inline]] constexpr bool packs_panels(const gemm_shape& s, index row,
                                                   const gemm_tuning& t) {
  const index bytes = (row < 0 ? -row : row) * static_cast<index>(bytes_of(s.type));
  constexpr index lines = 4, ways = 8;
  return s.m >= t.panel_rows &&
         (s.k * lines > ways * sets_met(bytes, lines) || s.k * bytes > 64 * 4096);
}

[[gnu::always_inline]] constexpr bool are_strided(const gemm_shape& s) {
  for (const matrix_batch* x : {&s.a, &s.b, &s.c}) {
    if (x->layout != batch_layout::strided) return false;
  }
  return true;
}

/// Whether problems of one complex number each run as one product entry by entry: converted to
/// lanes on the way, as products of matrices are, they ran at a sixth of the rate of plain loops
/// (double precision, in L2, Zen 4).
[[gnu::always_inline]] constexpr bool is_entry_wise(const gemm_shape& s) {
  return is_complex(s.type) && s.m == 1 && s.n == 1 && s.k == 1 && are_strided(s);
}

/// Whether problems are the rows of one product, vectors times a matrix that all share, or are so
/// transposed. As such a tile has several of them, while each alone loads the matrix (vectors of 16
/// and 32 in L2, double precision, Zen 5: 49 and 27 GB/s, one by one 40 and 19).
[[gnu::always_inline]] constexpr bool are_rows_of_one(const gemm_shape& s) {
  return s.m == 1 && s.b.shared && !s.a.shared && are_strided(s);
}

/// That product: of so many rows, in steps of `a` and `c` entries.
[[gnu::always_inline]] constexpr gemm_shape one_of_rows(gemm_shape s, index rows, index a,
                                                        index c) {
  s.m = rows;
  s.a.row = a;
  s.c.row = c;
  s.a.shared = true;
  return s;
}
/// What the way of that product goes by: neither how many rows of complex numbers there are nor how
/// far apart they lie shows in their bits, so they go the way of many that lie anywhere.
[[gnu::always_inline]] constexpr gemm_shape as_many_rows(gemm_shape one) {
  if (!is_complex(one.type)) return one;
  one = one_of_rows(one, 64, 0, 0);
  one.a.shared = false;
  return one;
}

/// Whether rows of A and C, which lie in lines, pass one after the other while B stays in L2.
[[gnu::always_inline]] constexpr bool rows_pass(const gemm_shape& s) {
  return s.a.column == 1 && s.c.column == 1 && s.m > s.n &&
         s.k * s.n * static_cast<index>(bytes_of(s.type)) <= 512 << 10;
}

/// The most contracted values of one block of a product (blocks_of).
inline constexpr index block_sums = 768;

/// Whether a product has so few results of so many terms that parts of its sums are made side by
/// side (blocks_of).
[[gnu::always_inline]] constexpr bool sums_in_parts(index m, index n, index k) {
  return m * n <= 128 * 128 && k >= 32 * block_sums;
}

/// Whether one product runs in blocks that are packed (blocks_of): where its matrices leave the
/// caches. Before, the walk over register tiles is as fast on one core (double precision, Zen 3:
/// order 512 42 GFLOP/s, in blocks 42, 768 42 and 42, 1024 36 and 40, 1536 36 and 38; OpenBLAS 41,
/// 41, 39, 39. Emerald Rapids, 300 79 and 71, 400 80 and 71, but 600 74 and 74, and 200 x 100 times
/// 100 x 5000 in single precision, transposed or not, 0.8 to 1.0 of blocks), and where rows pass
/// always (20000 x 64 times 64 x 64: 81 and 47, single precision 164 and 110; of 128 78 and 55),
/// but not where rows are long (64 x 64 times 64 x 20000: 31 and 40). Each of several tiles of long
/// sums reads all of its rows and columns (32 x 64000 times 64000 x 32: 18, in blocks 27, both
/// transposed 11 and 29; of 16 rows and columns 21 and 18). By shape alone, as blocks of contracted
/// values show in the bits.
[[gnu::always_inline]] constexpr bool is_large(const gemm_shape& s) {
  const index least = sums_in_parts(s.m, s.n, s.k) ? 24 : 64;
  for (const matrix_batch* x : {&s.a, &s.b, &s.c})
    if (x->layout != batch_layout::strided && x->layout != batch_layout::pointers) return false;
  const auto m = static_cast<double>(s.m), n = static_cast<double>(s.n),
             k = static_cast<double>(s.k), entry = static_cast<double>(bytes_of(s.type));
  return s.m >= least && s.n >= least && s.k >= least && !rows_pass(s) &&
         !rows_pass(transposed(s)) && (m * k + k * n + m * n) * entry > 4 << 20;
}

/// Whether terms are enough to be the lanes of short sums: for half of the shortest vector there
/// is, that of four lanes (real; 3 x 3 times a vector each, in L2: 5.6 GB/s by the kernels of
/// batches, 39 so, single precision 3 and 38; Zen 5).
[[gnu::always_inline]] constexpr bool fills_half(index terms, scalar type, int width) {
  return 2 * terms >= (is_complex(type) || width < 4 ? width : 4);
}

/// Whether each result is a sum of terms that are neighbours in both operands, as those of a matrix
/// times a vector are, or are so transposed: see are_short_sums.
[[gnu::always_inline]] constexpr bool are_sums_of_neighbours(const gemm_shape& s, int width) {
  return s.n == 1 && s.a.column == 1 && s.b.row == 1 && fills_half(s.k, s.type, width) &&
         !s.a.conjugated && !s.b.conjugated && are_strided(s);
}

/// Whether a product whose sizes the types tell has code of its own: up to where panels are packed,
/// and before the tiles' loops make up for what constants save.
[[gnu::always_inline]] constexpr bool has_static_code(const gemm_shape& s, int width,
                                                      const gemm_tuning& t) {
  return s.m <= 1024 && s.n <= 1024 && s.k <= 1024 && !is_large(s) &&
         !packs_panels(s, s.b.row, t) && !is_entry_wise(s) && !are_rows_of_one(s) &&
         !are_rows_of_one(transposed(s)) && !are_sums_of_neighbours(s, width) &&
         !are_sums_of_neighbours(transposed(s), width);
}

/// Problems whose B, of so many bytes, is brought into rows at a time.
[[gnu::always_inline]] constexpr index converted_problems(index bytes) {
  return bytes < 16384 ? 16384 / (bytes < 1 ? 1 : bytes) : 1;
}

/// Entries of A, B and C that one problem, or one tile of `width` problems, has in scratch; by
/// columns those of B that are converted together.
struct gemm_scratch {
  index a = 0, b = 0, c = 0;
  constexpr index entries() const { return a + b + c; }
};
[[gnu::always_inline]] constexpr gemm_scratch columns_scratch(const gemm_shape& s, int width) {
  const index ld = (s.n + width - 1) / width * width;
  gemm_scratch to{has_strides(s.a, s.type) ? 0 : s.m * s.k, has_rows(s.b) ? 0 : s.k * ld,
                  has_rows(s.c) ? 0 : s.m * ld};
  if (to.b > 0 && to.a + to.c == 0 && !s.b.shared)
    to.b *= converted_problems(to.b * static_cast<index>(bytes_of(s.type)));
  return to;
}
[[gnu::always_inline]] constexpr gemm_scratch lanes_scratch(const gemm_shape& s, int width) {
  const auto in_lanes = [&](const matrix_batch& x) {
    return x.layout == batch_layout::interleaved && x.block % width == 0;
  };
  return {in_lanes(s.a) || is_uniform(s.a, s.type) ? 0 : s.m * s.k * width,
          in_lanes(s.b) ? 0 : s.k * s.n * width, in_lanes(s.c) ? 0 : s.m * s.n * width};
}

/// The same product with the strides of single entries taken out: problems of one number that are
/// neighbours are lanes.
[[gnu::always_inline]] constexpr gemm_shape without_unit_axes(gemm_shape s) {
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

}  // namespace tenfold::select
