#include <algorithm>
#include <tenfold/backend/cpu/caches.hpp>
#include <tenfold/backend/cpu/tile_streams.hpp>

namespace tenfold::cpu {
namespace {

/// How many tiles, one behind another, read the same of an operand.
index tiles_alike(const operand_ref& ref, const program_phase& phase, const phase_range& range) {
  if (range.lane_tiles > 1 && ref.lane_stride != 0) return 1;
  index alike = range.lane_tiles;
  for (int t = phase.tile_count - 1; t >= 0; --t) {
    const auto at = static_cast<std::size_t>(t);
    if (range.tiles[at] > 1 && ref.tile_stride[at] != 0) break;
    alike *= range.tiles[at];
  }
  return alike;
}

/// Part number `part` of `count`, in whole lines but for the last.
byte_range part_of(const byte_range& all, index part, index count) {
  const auto lines = static_cast<index>(all.end - all.begin + 63) / 64;
  const auto line = [&](index number) {
    return std::min(all.begin + 64 * static_cast<std::uintptr_t>(number), all.end);
  };
  return {line(lines * part / count), line(lines * (part + 1) / count)};
}

}  // namespace

double bytes_of_sweep(const tile_streams& streams, index count, const entry_map* maps) {
  double tiles = static_cast<double>(count), arrays = 0;
  for (int s = 0; s < streams.count; ++s) {
    const tile_stream& one = streams.list[s];
    if (!one.is_map) continue;
    const auto entries = static_cast<double>(maps[one.ref.slot].array_size);
    tiles = std::max(tiles, entries / static_cast<double>(one.bytes / one.size));
    arrays += entries * static_cast<double>(bytes_of(one.ref.type));
  }
  return tiles * static_cast<double>(streams.bytes) + arrays;
}

line_walk::line_walk(const byte_range* ranges, int count, index pieces, processor model)
    : next_(ranges),
      last_(ranges + count),
      parts_(static_cast<std::uintptr_t>(select::fetch_streams(model))) {
  std::uintptr_t bytes = 0;
  for (const byte_range* r = next_; r != last_; ++r) bytes += r->end - r->begin;
  const auto in_all = static_cast<std::uintptr_t>(pieces) * parts_;
  of_piece_ = (bytes + in_all - 1) / in_all;
  into_l2_ = select::fetches_into_l2(static_cast<index>(bytes), caches().l1, model);
  go_on();
}

void line_walk::go_on() {
  if (next_ == last_) {
    of_piece_ = 0;
    due_ = at_;
    end_ = at_ + 1;
    return;
  }
  at_ = due_ = next_->begin;
  const std::uintptr_t whole_lines = (next_->end - next_->begin + 64 * parts_ - 1) / (64 * parts_);
  part_ = 64 * whole_lines;
  end_ = at_ + part_;
  ++next_;
}

void look_ahead(const program_phase& phase, const phase_range& range, index i, index end,
                const tile_streams& streams, const void* const* inputs, const entry_map* maps,
                followed_tile& tile, ranges_ahead& found) {
  move_to(tile, phase, range, i);
  found.count = 0;
  tile.is_followed = false;
  if (i + 1 == end) return;
  move_to(tile.after, phase, range, i + 1);
  tile.is_followed = tile.after.lane_count == phase.width * phase.vectors;
  tile_position second;
  move_to(second, phase, range, i + 2 < end ? i + 2 : i + 1);
  for (int s = 0; s < streams.count; ++s) {
    const tile_stream& one = streams.list[s];
    const void* base = inputs[one.ref.slot];
    index size = one.size;
    if (one.is_map) {
      base = maps[one.ref.slot].numbers;
      size = maps[one.ref.slot].wide ? 8 : 4;
    }
    const auto read_by = [&](const tile_position& reader) {
      const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(base) +
                                   static_cast<std::uintptr_t>(distance(one.ref, reader) * size);
      return byte_range{begin, begin + static_cast<std::uintptr_t>(one.bytes)};
    };
    byte_range range_ahead = read_by(one.is_map ? second : tile.after);
    const index alike = one.is_map ? 1 : tiles_alike(one.ref, phase, range);
    if (alike > 1) {
      const index left = alike - i % alike, reader = i + left;
      const index tiles = select::tiles_of_fetch(alike, streams.bytes, caches().l2);
      if (left > tiles || reader >= end) continue;
      range_ahead = part_of(read_by(position_of(phase, range, reader)), tiles - left, tiles);
    }
    // An operand may be read under several names.
    bool is_known = false;
    for (int k = 0; k < found.count; ++k)
      is_known = is_known || found.ranges[k].begin == range_ahead.begin;
    if (!is_known) found.ranges[found.count++] = range_ahead;
  }
}

}  // namespace tenfold::cpu
