#pragma once

#include <tenfold/backend/interface/program.hpp>

namespace tenfold {

class scatter_order;

/// The map through which an operand is read or written: std::int64_t if `wide`, else std::int32_t.
struct entry_map {
  const void* numbers = nullptr;
  bool wide = false;
  index array_size = 0;  ///< entries of the array that it leads to; 0: that is not told
};

/// What a launch adds to a program whose scalar is T: the addresses and the numbers. What lies at
/// an address, operand_ref says. No sum is over nothing: that is settled before a program is made;
/// a batch may be empty.
template <class T>
struct program_arguments {
  const void* const* inputs = nullptr;
  void* output = nullptr;
  const index* extents = nullptr;  ///< by the slot of tile and lane loops; read where `dyn` stands
  T alpha = T(1), beta = T(0);
  const entry_map* maps = nullptr;       ///< by input, where one is mapped
  entry_map output_map{};                ///< where the output is
  const scatter_order* order = nullptr;  ///< of what is added through it; null: by one thread
  bool clears = false;  ///< with an order: what is added to begins at 0, not as what it was
};

/// The index space of a phase in numbers.
struct phase_range {
  std::array<index, max_tile_loops> tiles{};
  index lane_begin = 0, lane_end = 0;
  index lane_tiles = 1;
  index count = 1;  ///< tiles in all
};

/// See program_phase for the part of the lane loop that a phase covers.
///
/// Always inline, as what follows: this text is compiled for several instruction sets, and the
/// linker would keep the copy of one of them for all.
[[gnu::always_inline]] constexpr phase_range range_of(const program_phase& phase,
                                                      const index* extents) {
  phase_range r;
  const auto known = [&](const tile_loop& l) {
    return l.extent == dyn ? extents[l.slot] : l.extent;
  };
  for (int t = 0; t < phase.tile_count; ++t) {
    const auto at = static_cast<std::size_t>(t);
    r.tiles[at] = known(phase.tiles[at]);
    r.count *= r.tiles[at];
  }
  if (phase.width > 1) {
    const index n = known(phase.lane), span = index{phase.width} * phase.vectors;
    r.lane_begin = phase.overlaps ? n - span : phase.skip_span > 0 ? n - n % phase.skip_span : 0;
    r.lane_tiles = (n - r.lane_begin + (phase.partial ? span - 1 : 0)) / span;
    r.lane_end = phase.partial ? n : r.lane_begin + r.lane_tiles * span;
    r.count *= r.lane_tiles;
  }
  return r;
}

/// Where one tile lies.
struct tile_position {
  std::array<index, max_tile_loops> tile{};
  index lane = 0;      ///< first value of the lane loop
  int lane_count = 1;  ///< values of it, below width * vectors in a partial tile
};

/// Moves p, a tile of a phase or a position as it is made, to tile number `flat`, the lane loop
/// running fastest.
///
/// In place, number by number: a position made anew for each tile is cleared in vectors, and copied
/// in vectors wider than what was stored; both wait until the stores of the tile before have left
/// for the cache (Emerald Rapids, BK1 of the bench fem in cache at p = 2: 0.9 of the rate).
[[gnu::always_inline]] constexpr void move_to(tile_position& p, const program_phase& phase,
                                              const phase_range& r, index flat) {
  // Divisions cost as much as a small tile's products: none where a loop has one value or is the
  // outermost.
  if (phase.width > 1) {
    const index span = index{phase.width} * phase.vectors;
    p.lane = r.lane_begin;
    if (r.lane_tiles > 1) {
      p.lane += flat % r.lane_tiles * span;
      flat /= r.lane_tiles;
    }
    const index left = r.lane_end - p.lane;
    p.lane_count = static_cast<int>(left < span ? left : span);
  }
  for (int t = phase.tile_count - 1; t > 0; --t) {
    const auto at = static_cast<std::size_t>(t);
    p.tile[at] = flat % r.tiles[at];
    flat /= r.tiles[at];
  }
  if (phase.tile_count > 0) p.tile[0] = flat;
}
[[gnu::always_inline]] constexpr tile_position position_of(const program_phase& phase,
                                                           const phase_range& r, index flat) {
  tile_position p;
  move_to(p, phase, r, flat);
  return p;
}

/// Distance of an operand from its base in a tile.
[[gnu::always_inline]] constexpr index distance(const operand_ref& ref, const tile_position& p) {
  index d = ref.offset + p.lane * ref.lane_stride;
  for (std::size_t t = 0; t < max_tile_loops; ++t) d += p.tile[t] * ref.tile_stride[t];
  return d;
}

}  // namespace tenfold
