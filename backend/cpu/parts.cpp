#include <cstring>
#include <tenfold/backend/cpu/parts.hpp>
#include <tenfold/backend/interface/select.hpp>
#include <tenfold/tensor/scatter_order.hpp>

namespace tenfold::cpu {

namespace {

/// Clears what a part is the first to add to; +0 is no bit of a scalar.
void clear_begun(const scatter_order& order, index part, array_to_clear y) {
  if (y.base == nullptr) return;
  for (const scatter_order::range& r : order.begun_by(part))
    std::memset(static_cast<std::byte*>(y.base) + static_cast<std::size_t>(r.begin) * y.entry_bytes,
                0, static_cast<std::size_t>(r.end - r.begin) * y.entry_bytes);
}

}  // namespace

void run_parts(const scatter_order* order, array_to_clear y, const program_phase& phase,
               const phase_range& range, range_body body, void* context) {
  // A tile is `span` problems, or a problem is `tiles` tiles.
  const bool by_lanes = phase.tile_count == 0;
  const index span = by_lanes ? index{phase.width} * phase.vectors : 1;
  // A tile of two parts would be of two colours.
  if (order == nullptr || order->part() % span != 0) {
    if (order != nullptr) {
      for (index part = 0; part < order->part_count(); ++part) clear_begun(*order, part, y);
    }
    if (range.count > 0) body(context, 0, range.count);
    return;
  }
  const index tiles = by_lanes || range.count == 0 ? 1 : range.count / range.tiles[0];
  const auto first_tile = [&](index problem) {
    const index from = problem - range.lane_begin;
    const index tile = by_lanes ? (from <= 0 ? 0 : (from + span - 1) / span) : problem * tiles;
    return tile < range.count ? tile : range.count;
  };
  const auto run = [&](index problem, index end) {
    clear_begun(*order, problem / order->part(), y);
    const index first = first_tile(problem);
    const index last = end == order->batch() ? range.count : first_tile(end);
    if (first < last) body(context, first, last);
  };
  for_each_part(*order, 1, select::tiles_per_task(phase.tile_flops) * span / tiles, run);
}

void run_problems(const scatter_order& order, index unit, index grain, range_body body,
                  void* context) {
  if (order.part() % unit != 0) return body(context, 0, order.batch());
  for (int c = 0; c < order.colours(); ++c) {
    const std::vector<index>& parts = order.parts(c);
    const auto count = static_cast<index>(parts.size());
    parallel_tiles(
        count, order.is_serial(c) ? count : grain / order.part(), [&](index begin, index end) {
          for (index k = begin; k < end; ++k) {
            const index problem = parts[static_cast<std::size_t>(k)] * order.part();
            // A part may be longer than the batch by anything.
            const index left = order.batch() - problem;
            body(context, problem, left <= order.part() ? order.batch() : problem + order.part());
          }
        });
  }
}

}  // namespace tenfold::cpu
