#pragma once

#include <tenfold/backend/interface/select/gemm_tiles.hpp>

/// How register tiles go over C in a batched product: what kernels of known sizes are made from,
/// and what is told of all kernels.
namespace tenfold::select {

/// How a product by columns goes over C.
enum class columns_way : unsigned char {
  tiles,       ///< tile by tile, each of which reads its columns of B
  transposed,  ///< so, but for the last columns, whose lanes are rows of C (keep_columns)
  kept,       ///< B stays in registers while the rows of A pass; the last columns may be transposed
  flattened,  ///< C is one row of vectors (flattens_rows)
  rows        ///< a vector holds several rows (multiplies_by_rows)
};

/// What shapes the code of a product by columns whose sizes the compiler knows.
///
/// Where C is read, tiles serve instead of what is kept, transposed or flattened.
struct columns_code {
  columns_way way = columns_way::tiles;
  int lanes = 1;           ///< entries of a vector of a row, as tiles take them
  int last = 0;            ///< of the last of a row, where it is a narrower one; else 0
  tile_shape tile = {};    ///< of rows and such vectors
  tile_shape whole = {};   ///< the same of whole vectors alone, of columns_way::transposed
  kept_columns kept = {};  ///< of columns_way::kept and transposed
  bool fetches_c = false;  ///< C to come, from L2, too
};

/// Entries of a vector of columns of C.
constexpr int columns_lanes(const gemm_shape& s, int width, const gemm_tuning& t) {
  return t.narrows != 0 ? narrow_neighbours(s.n, width, s.type) : neighbours(width, s.type);
}

/// `carried`: the library has it, for sizes that only a call tells.
constexpr columns_code code_by_columns(const gemm_shape& s, int width, int registers,
                                       processor model, const gemm_tuning& t,
                                       bool carried = false) {
  columns_code code;
  const int v = code.lanes = columns_lanes(s, width, t);
  const index rest = s.n % v;
  if (t.narrows > 1 && s.n > v && rest > 0) {
    const int last = narrow_neighbours(rest, width, s.type);
    if (last < v) code.last = last;
  }
  code.tile = columns_tile(s.m, (s.n + v - 1) / v, registers, s.type, t, carried);
  if (carried) return code;
  if (multiplies_by_rows(s, width, model)) {
    code.way = columns_way::rows;
  } else if (flattens_rows(s, width, registers)) {
    code.way = columns_way::flattened;
    code.fetches_c = fetches_c(s, s.m * s.n, t);
  } else if (code.kept = keep_columns(s, v, registers); code.kept.vectors > 0) {
    code.way = columns_way::kept;
    code.fetches_c = fetches_c(s, s.n, t);
  } else if (code.kept.transposed > 0) {
    code.way = columns_way::transposed;
    code.whole = columns_tile(s.m, code.kept.of, registers, s.type, t);
  }
  return code;
}

/// Register tiles of rows x columns over a C of so many, columns being vectors or, by lanes,
/// entries.
struct product_tiling {
  int lanes = 1;  ///< of a vector
  index rows = 1, columns = 1;
  tile_shape tile = {};
  tile_reason why = tile_reason::no_more;
};
constexpr product_tiling tiling_of(int lanes, index rows, index columns, tile_shape tile) {
  return {lanes, rows, columns, tile,
          tile.m == rows && tile.n == columns ? tile_reason::no_more : tile_reason::registers};
}

/// `reads_c`: beta is not 0, or only the call tells.
constexpr product_tiling tiling_by_columns(const gemm_shape& s, const columns_code& code, int width,
                                           int registers, bool reads_c) {
  const auto vectors_of = [](index n, int lanes) { return (n + lanes - 1) / lanes; };
  switch (reads_c && code.way != columns_way::rows ? columns_way::tiles : code.way) {
    case columns_way::rows: {
      const int lanes = lanes_of_rows(s.n, width, s.type);
      const index vectors = vectors_of(s.m * s.n, lanes);
      return {lanes, 1, vectors, {1, static_cast<int>(vectors)}, tile_reason::rows};
    }
    case columns_way::flattened:
      return {width, 1, vectors_of(s.m * s.n, width), flat_tile(s.m, s.n, width, registers),
              tile_reason::flattened};
    case columns_way::kept:
      return {code.lanes,
              s.m,
              code.kept.of,
              {chunks(s.m, kept_rows).longer, code.kept.vectors},
              code.kept.transposed > 0 ? tile_reason::kept_transposed : tile_reason::kept};
    case columns_way::transposed:
      return {code.lanes, s.m, code.kept.of, code.whole, tile_reason::transposed};
    case columns_way::tiles:
      break;
  }
  return tiling_of(code.lanes, s.m, vectors_of(s.n, code.lanes), code.tile);
}
constexpr product_tiling tiling_by_lanes(const gemm_shape& s, int width, int registers,
                                         const gemm_tuning& t) {
  const int vectors = vectors_of_problems(s, width);
  return tiling_of(width * vectors, s.m, s.n,
                   lanes_tile(s.m, s.n, registers, s.type, is_uniform(s.a, s.type), vectors, t));
}

}  // namespace tenfold::select
