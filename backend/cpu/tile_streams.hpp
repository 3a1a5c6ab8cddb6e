#pragma once

#include <cstdint>
#include <tenfold/backend/interface/arguments.hpp>
#include <tenfold/backend/interface/select.hpp>

/// What the tiles of a phase read from memory, as data: of which operands, how many bytes, and for
/// a tile at hand where those of the tiles behind it lie. When they are fetched, fetch.hpp says.
/// What runs once for a tile is compiled once for all programs: as code of each of them it cost a
/// compiler 0.05 s and more.
namespace tenfold::cpu {

/// Neighbouring bytes that a tile reads of one operand, or of its map.
struct tile_stream {
  operand_ref ref{};
  index bytes = 0;  ///< of one tile
  index size = 0;   ///< of what strides count
  bool is_map = false;
};

/// What the tiles of a phase read from memory.
struct tile_streams {
  static constexpr int most = 16;
  int count = 0;
  tile_stream list[most] = {};
  index bytes = 0;   ///< of all, in one tile
  index pieces = 0;  ///< of work in one tile, between which lines may be fetched
  index of_row = 0;  ///< of them, in a row that goes through a map

  /// Whether it is worth it to fetch them between the pieces.
  constexpr bool are_fetched() const { return bytes >= select::fetched_bytes && pieces > 0; }

  /// Adds what a step reads of an operand along loops of its extents and strides.
  constexpr void add(const operand_ref& ref, const step_loop* const* loops, index step_loop::*along,
                     int count_of_loops, const program_step& step, int lanes, index entry) {
    const bool is_input = ref.where == buffer::input;
    bool moves = ref.lane_stride != 0;
    for (const index s : ref.tile_stride) moves = moves || s != 0;
    if (!is_input || !moves || count == most) return;
    index reach = 1, entries = 1;
    const auto run = [&](index extent, index stride) {
      reach += (extent - 1) * (stride < 0 ? -stride : stride);
      entries *= stride == 0 ? 1 : extent;
      if (stride < 0) reach = index{1} << 40;  // begins elsewhere
    };
    for (int l = 0; l < count_of_loops; ++l) run(loops[l]->extent, loops[l]->*along);
    run(step.slabs.count, ref.slab_stride);
    if (ref.how == lane_access::lanes && lanes > 1) run(lanes, ref.lane_stride);
    // Only what is read of most lines is worth fetching line by line.
    if (reach > 2 * entries) return;
    for (int s = 0; s < count; ++s) {
      if (list[s].ref.slot == ref.slot && list[s].ref.offset == ref.offset) return;
    }
    list[count++] = {ref, reach * entry, entry, ref.mapped};
    bytes += reach * entry;
  }
};

/// What is read from memory before any of it is read again, in bytes, as far as a call of `count`
/// tiles can tell: what it reads, or, where it reads a part of a long array through a map, the
/// array and as much in proportion for the rest, which other calls read: operators go over a mesh
/// part by part. (Entries that elements share make it too little: a half of the tiles, p = 4.) The
/// mat-vecs of the example's bp, p = 4, in parts of ten thousand entries, Emerald Rapids, with and
/// without fetches: BP1 1.1 to 1.3 times the rate, BP3 1.3 to 1.4, BP5 1.2 to 1.3.
double bytes_of_sweep(const tile_streams& streams, index count, const entry_map* maps);

/// Adds what the tiles of a phase read from memory in one of its steps.
template <class Program>
constexpr void add_streams(tile_streams& all, const Program& p, const program_phase& phase,
                           const program_step& step) {
  const step_loop* loops[3 + max_step_loops] = {&step.m, &step.n, &step.k};
  int count = 3;
  for (int l = 0; l < step.outer_count + step.k_outer_count; ++l) {
    loops[count++] = &p.loops[static_cast<std::size_t>(step.first_loop + l)];
  }
  const int lanes = phase.width * phase.vectors;
  const auto size = [](const operand_ref& ref) {
    return ref.mapped ? index{4} : static_cast<index>(bytes_of(ref.type));
  };
  all.add(step.a, loops, &step_loop::a, count, step, lanes, size(step.a));
  all.add(step.b, loops, &step_loop::b, count, step, lanes, size(step.b));
}

/// Addresses [begin, end), as numbers: the last ones may lie behind the operands.
struct byte_range {
  std::uintptr_t begin, end;
};

/// The lines of some ranges, so many bytes for each piece of work in a tile. Each range is cut into
/// select::fetch_streams parts, a line of each in turn.
class line_walk {
 public:
  line_walk(const byte_range* ranges, int count, index pieces, processor model);

 protected:
  /// Calls ask(line) for the lines of the first part of a range that are due with the next piece of
  /// work; those of the other parts lie `part_` further on each.
  template <class F>
  [[gnu::always_inline]] void advance(F ask) {
    due_ += of_piece_;
    if (due_ > end_) due_ = end_;
    for (; at_ < due_; at_ += 64) ask(at_);
    if (at_ >= end_) [[unlikely]]
      go_on();
  }

  std::uintptr_t part_ = 0;  ///< from a part to the next
  bool into_l2_ = false;

 private:
  void go_on();  ///< to the next range, or to the end

  std::uintptr_t at_ = 0, end_ = 0;  ///< what is left of the first part of the range at hand
  std::uintptr_t due_ = 0;           ///< up to where lines are to be fetched by now
  std::uintptr_t of_piece_ = 0;      ///< of the first part
  const byte_range *next_, *last_;
  std::uintptr_t parts_;
};

/// A tile and the one that follows.
struct followed_tile : tile_position {
  tile_position after{};
  bool is_followed = false;  ///< whether `after` is there, and a full tile
};

/// What the next tile reads, and of maps, whose numbers are needed to fetch what they lead to, what
/// the one behind it reads; none where the tile is the last. What several tiles in turn read alike,
/// as those of the components of a field read geometry, is followed by what the next several read:
/// each of them, or of the last select::tiles_of_fetch, looks ahead to a part of it.
struct ranges_ahead {
  byte_range ranges[tile_streams::most];
  int count = 0;
};

/// Moves to tile i of a phase and looks ahead from it; `end`: the last one's number + 1.
void look_ahead(const program_phase& phase, const phase_range& range, index i, index end,
                const tile_streams& streams, const void* const* inputs, const entry_map* maps,
                followed_tile& tile, ranges_ahead& found);

}  // namespace tenfold::cpu
