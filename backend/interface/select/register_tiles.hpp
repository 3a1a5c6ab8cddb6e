#pragma once

#include <tenfold/backend/interface/capabilities.hpp>

/// The register tiles of programs that run tile by tile, and how far loops over k are unrolled.
namespace tenfold::select {

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

/// Vectors of a register tile of one row.
inline constexpr int most_wide = 12;

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
  no_more,          ///< there are no more rows and columns
  balanced,         ///< each broadcast of A serves two vectors: fewer loads than multiply-adds
  registers,        ///< the registers are full
  squarest,         ///< A in lanes: the squarest tile hides the loads
  streaming,        ///< nothing is summed: memory is walked row by row
  kept,             ///< B stays in registers while the rows of A pass
  transposed,       ///< registers, and the lanes of the last columns are rows
  kept_transposed,  ///< kept, and the lanes of the last columns are rows
  flattened,        ///< short rows, end to end, are vectors (flattens_rows)
  rows,             ///< a vector holds several rows (multiplies_by_rows)
  library           ///< the largest tile that the library carries
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
      return "from four problems on what is left of a row takes its lanes from rows";
    case tile_reason::kept_transposed:
      return "from four problems on B stays in registers while the rows pass, and what is left of "
             "a row takes its lanes from rows";
    case tile_reason::flattened:
      return "from 32 problems on short rows lie end to end in vectors";
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
/// contracted values run 1.04 times as fast with six). A in lanes: 4 x 6, on 16 registers 4 x 3,
/// the squarest that hides the loads: sums, a row of B and an entry of A fill the registers.
/// Complex numbers on 16 registers take 3 x 4 although they spill: 0.75 of the peak on Zen 4, 2 x
/// 2: 0.6. Without a sum: part of one row. `registers` are those of the scalar
/// (capabilities::registers_for).
constexpr tile_choice choose_tile(index rows, index columns, bool sums, int registers,
                                  bool a_lanes) {
  const bool many = registers >= 32;
  if (!sums) return {{1, static_cast<int>(columns < 8 ? columns : 8)}, tile_reason::streaming};
  if (a_lanes) {
    const int m = registers < 16 ? 3 : 4, n = many ? 6 : registers < 16 ? 4 : 3;
    if (rows >= m) return {{m, n}, tile_reason::squarest};
    const index wide = (registers - (many ? 5 : 2)) / (rows + 1);
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

}  // namespace tenfold::select
