#pragma once

#include <algorithm>
#include <cstdint>
#include <tenfold/backend/cpu/panels.hpp>

/// How the columns of a product in blocks are shared among register tiles.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

template <class T>
inline constexpr select::tile_shape blocked_tile = select::blocked_tile(registers, scalar_of<T>);
/// The same of results that go past the caches; it has no fewer columns.
template <class T>
inline constexpr select::tile_shape streamed_tile = select::streamed_tile(registers, scalar_of<T>);
/// Columns of a vector, and the most of a register tile.
template <class T>
inline constexpr int column_lanes = neighbours<T>;
template <class T>
inline constexpr int panel_columns = streamed_tile<T>.n* column_lanes<T>;

/// The columns of one register tile from `first` on: where those of B are, and whether those of C
/// are vectors of neighbours, c_n apart, or else where their runs of neighbours end.
template <class T>
struct column_panel {
  int first = 0, columns = 0, vectors = 0;
  const T* b = nullptr;
  index b_k = 0, b_n = 0, c_n = 0;
  bool is_packed = true, in_vectors = false;
  std::uint8_t run_count = 0, run_end[panel_columns<T>] = {};

  static_assert(panel_columns<T> < 256);
};

inline bool are_neighbours(const index* at, index count) {
  return is_regular(at, count) && (count == 1 || at[1] - at[0] == 1);
}

/// Whether the columns are whole vectors of neighbours, the same distance apart.
template <class T>
bool in_vectors(const index* at, index columns, index& apart) {
  constexpr int v = column_lanes<T>;
  if (columns % v != 0) return false;
  apart = columns > v ? at[v] - at[0] : 0;
  for (index c = 0; c < columns; c += v)
    if (!are_neighbours(at + c, v) || at[c] - at[0] != c / v * apart) return false;
  return true;
}

/// How many of so many columns the next register tile takes, of at most so many vectors: vectors of
/// C that are the same distance apart, shared evenly among tiles, where the next vector begins
/// another run; the last of a run may be padded (padded_runs).
template <class T>
int columns_of_panel(const index* at, index count, int most) {
  constexpr int v = column_lanes<T>;
  const index alike_vectors = 4 * most;  // so many are looked at to share them among tiles
  const auto is_vector = [&](index i) {
    return (i + 1) * v <= count && are_neighbours(at + i * v, v);
  };
  index alike = 0, apart = 0;
  while (alike < alike_vectors && is_vector(alike)) {
    if (alike == 1) apart = at[v] - at[0];
    if (at[alike * v] - at[0] != alike * apart) break;
    ++alike;
  }
  const auto is_padded = [&](index i) {
    return v > 1 && (i + 1) * v <= count && at[(i + 1) * v - 1] == at[(i + 1) * v - 2];
  };
  if (is_padded(alike)) {
    const int vectors = select::chunks(alike + 1, most).longer;
    index columns = vectors * v;
    if (vectors > alike)
      while (columns > 1 && at[columns - 1] == at[columns - 2]) --columns;
    return static_cast<int>(columns);
  }
  const bool goes_on = alike * v == count || is_vector(alike);
  if (alike >= most || (alike > 0 && goes_on)) return select::chunks(alike, most).longer * v;
  return static_cast<int>(std::min<index>(most * v, count));
}

/// The panel that begins with column `first` of n, which lie in C at `at`.
template <class T>
column_panel<T> panel_from(const index* at, index first, index n, int most) {
  column_panel<T> x;
  const index* const in_c = at + first;
  x.first = static_cast<int>(first);
  x.columns = columns_of_panel<T>(in_c, n - first, most);
  x.vectors = (x.columns + column_lanes<T> - 1) / column_lanes<T>;
  x.in_vectors = in_vectors<T>(in_c, x.columns, x.c_n);
  for (int c = 1; c <= x.columns; ++c)
    if (c == x.columns || in_c[c] - in_c[c - 1] != 1)
      x.run_end[x.run_count++] = static_cast<std::uint8_t>(c);
  return x;
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
