#pragma once

#include <algorithm>
#include <array>
#include <tenfold/backend/cpu/listed_tile.hpp>
#include <tenfold/backend/cpu/register_tile.hpp>
#include <tenfold/backend/interface/program.hpp>
#include <tenfold/backend/interface/select.hpp>
#include <utility>

/// Tables of register tiles for steps of a program that is data: of each shape one, whose
/// contracted loop has a run-time count.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

template <class T>
inline constexpr int most_dynamic_rows = select::dynamic_tile(scalar_of<T>).m;
template <class T>
inline constexpr int most_dynamic_columns = select::dynamic_tile(scalar_of<T>).n;

/// Tiles that are alike: how many, and from one to the next.
struct tiles_in_line {
  index count, a, b, c;
};

/// By reference: a copy on its way to a function reads together what was just stored apart, and
/// waits until all stores before are done.
template <class T>
using dynamic_tile_function = void (*)(const tile_operands<T>&, const step_loop*, int, index,
                                       const tiles_in_line&);

/// Register tiles in a line. `update` serves overwriting too: alpha = 1 changes no bit and beta = 0
/// does not read.
template <class T, int W, int M, int N, tile_modes How>
void dynamic_tiles(const tile_operands<T>& first, const step_loop* k_outer, int k_outer_count,
                   index k, const tiles_in_line& line) {
  tile_operands<T> t = first;
  for (index i = 0; i < line.count; ++i) {
    register_tile<T, W, M, N, dynamic_k, How, epilogue::update>(t, k_outer, k_outer_count, k);
    t.a += line.a;
    t.b += line.b;
    t.c += line.c;
  }
}

/// The tiles of one mode with up to `Rows` rows and `Columns` columns; tile (m, n) is entry
/// (m - 1) * Columns + n - 1.
template <class T, int W, int Rows, tile_modes How, int Columns = most_dynamic_columns<T>>
struct dynamic_tile_table {
  static constexpr auto make = []<int... I>(std::integer_sequence<int, I...>) {
    return std::array<dynamic_tile_function<T>, sizeof...(I)>{
        &dynamic_tiles<T, W, I / Columns + 1, I % Columns + 1, How>...};
  };
  static constexpr auto entries = make(std::make_integer_sequence<int, Rows * Columns>{});
};

constexpr tile_modes reading_once(tile_modes how) {
  how.reads_once = true;
  return how;
}

/// The table for a step. Only where A stands still along n are there several rows: an entry-wise
/// product and a single operand have nothing to share between rows.
template <class T, int W>
const dynamic_tile_function<T>* dynamic_tiles_of(const program_step& step) {
  constexpr lane_access u = lane_access::uniform, l = lane_access::lanes;
  if (step.b.where == buffer::none) {
    return step.a_varies
               ? dynamic_tile_table<T, W, 1, reading_once(tile_modes{l, l, true, false})>::entries
                     .data()
               : dynamic_tile_table<T, W, 1, tile_modes{l, l, false, false}>::entries.data();
  }
  if (is_row(step))
    return dynamic_tile_table<T, W, 1, reading_once(tile_modes{u, l, false, true}),
                              select::dynamic_row(scalar_of<T>).n>::entries.data();
  // Width 1 knows no difference between an entry and a vector of one lane.
  if (step.a.how == u || W == 1) {
    return step.a_varies ? dynamic_tile_table<T, W, 1, tile_modes{u, l, true, true}>::entries.data()
                         : dynamic_tile_table<T, W, most_dynamic_rows<T>,
                                              tile_modes{u, l, false, true}>::entries.data();
  }
  return step.a_varies ? dynamic_tile_table<T, W, 1, tile_modes{l, l, true, true}>::entries.data()
                       : dynamic_tile_table<T, W, most_dynamic_rows<T>,
                                            tile_modes{l, l, false, true}>::entries.data();
}

template <class T>
using listed_function = void (*)(const listed_operands<T>&, index, index);

/// Tile (m, n) of listed rows is entry (m - 1) most_listed_columns + n - 1.
template <class T, int W>
inline constexpr auto listed_table = []<int... I>(std::integer_sequence<int, I...>) {
  constexpr int most = select::most_listed_columns;
  constexpr auto columns = [](int m, int n) { return std::min(n, select::listed_columns(m)); };
  return std::array<listed_function<T>, sizeof...(I)>{
      &listed_tiles<T, W, I / most + 1, columns(I / most + 1, I % most + 1)>...};
}
(std::make_integer_sequence<int, select::most_listed_columns * select::listed_rows>{});

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
