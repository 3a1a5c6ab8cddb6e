#include "knobs.hpp"

#include <algorithm>
#include <initializer_list>

namespace tenfold::tune {

namespace {

using select::never;

knob one_value(const char* name, place where, int gemm_tuning::*value,
               std::initializer_list<int> choices) {
  knob k{name, where, {}};
  for (const int x : choices) k.choices.push_back([=](gemm_tuning& t) { t.*value = x; });
  return k;
}

}  // namespace

std::vector<knob> knobs_of(const size_class& c) {
  std::vector<knob> all;
  const knob crossover = one_value("crossover", place::cache, &gemm_tuning::lanes_cost,
                                   {25, 50, 70, 85, 100, 120, 150, 200, 400, 10000});
  if (!c.interleaved) {
    knob tile{"tile", place::cache, {}};
    for (int rows = 1; rows <= select::carried_rows; ++rows) {
      for (int vectors = 1; vectors <= 4; ++vectors) {
        if (rows * vectors < 2) continue;
        tile.choices.push_back([=](gemm_tuning& t) {
          t.columns_rows = rows == select::carried_rows ? 16 : rows;
          t.columns_vectors = vectors;
        });
      }
    }
    all.push_back(tile);
    all.push_back(one_value("tail", place::cache, &gemm_tuning::narrows, {0, 1, 2}));
    all.push_back(one_value("panels", place::cache, &gemm_tuning::panel_rows, {1, 32, 64, never}));
  }
  all.push_back(crossover);
  knob lanes{"lanes tile", place::cache, {}};
  for (int rows = 1; rows <= 8; ++rows) {
    for (int columns = 1; columns <= 6; ++columns) {
      if (rows * columns < 2) continue;
      lanes.choices.push_back([=](gemm_tuning& t) {
        t.lanes_rows = rows;
        t.lanes_columns = columns;
      });
    }
  }
  all.push_back(lanes);
  all.push_back(crossover);  // by the best tiles of both
  all.push_back(one_value("problems at once", place::cache, &gemm_tuning::group,
                          {1, 4096, 8192, 16384, 32768, 65536, 262144}));
  if (!c.interleaved)
    all.push_back(one_value("prefetch from L2", place::cache, &gemm_tuning::l2_from,
                            {0, 500, 1100, 2500, never}));
  all.push_back(
      one_value("prefetch from L3", place::l3, &gemm_tuning::l3_from, {0, 6000, 12000, never}));
  all.push_back(one_value("prefetch from memory", place::memory, &gemm_tuning::memory_from,
                          {0, 6000, 12000, never}));
  all.push_back(one_value("prefetch distance", place::memory, &gemm_tuning::distance,
                          {1024, 2048, 4096, 6144, 8192, 16384, 32768}));
  knob repeats{"prefetch repeats", place::memory, {[](gemm_tuning& t) { t.repeats = 1; }}};
  for (const int times : {2, 4, 6}) {
    repeats.choices.push_back([=](gemm_tuning& t) {
      t.repeats = times;
      t.l2_to = 0;  // only what goes to L2 is repeated
    });
  }
  all.push_back(repeats);
  const char* const stores = "non-temporal stores";
  all.push_back(c.interleaved
                    ? one_value(stores, place::memory, &gemm_tuning::stream_to, {0, never})
                    : one_value(stores, place::memory, &gemm_tuning::stream_to,
                                {0, 300, 1200, 2048, 12288, 65536}));
  if (!c.interleaved)
    all.push_back(one_value("stores at once", place::memory, &gemm_tuning::stream_group,
                            {1024, 2048, 4096, 8192, 16384}));
  all.push_back(one_value("task", place::threads, &gemm_tuning::task, {128, 512, 1024, 4096}));
  return all;
}

knob fixed_knob(const size_class& c) {
  knob k{"code of static sizes", place::fixed, {}};
  for (const fixed_choice& one : c.interleaved ? fixed_lanes : fixed_columns)
    k.choices.push_back([=](gemm_tuning& t) { choose(t, c.interleaved, one); });
  return k;
}

gemm_tuning for_fixed(gemm_tuning fixed, const gemm_tuning& found, const gemm_tuning& shipped) {
  for (const auto value : {&gemm_tuning::l2_from, &gemm_tuning::l2_to, &gemm_tuning::l3_from,
                           &gemm_tuning::memory_from, &gemm_tuning::memory_to,
                           &gemm_tuning::distance, &gemm_tuning::repeats, &gemm_tuning::stream_to,
                           &gemm_tuning::stream_group, &gemm_tuning::task})
    if (found.*value != shipped.*value) fixed.*value = found.*value;
  return fixed;
}

way way_of(const sample& on, const size_class& c, const capabilities& caps, const gemm_tuning& t) {
  const gemm_shape given = select::without_unit_axes(shape_of(on, c));
  const int width = caps.lanes(c.type);
  way w;
  w.choice = select::gemm(given, width, t);
  w.choice.cost = 0;
  const gemm_shape s = w.choice.transposed ? transposed(given) : given;
  const bool by_lanes = w.choice.path == select::gemm_path::by_lanes;
  const int neighbours = select::neighbours(width, c.type);
  const index vectors = (s.n + neighbours - 1) / neighbours;
  const index entry =
      static_cast<index>(bytes_of(c.type)) * (by_lanes ? select::lanes_of_problems(s, width) : 1);
  const index result = s.m * s.n * entry, all = (s.m * s.k + s.k * s.n) * entry + result;
  const index bytes = all - ((s.a.shared ? s.m * s.k : 0) + (s.b.shared ? s.k * s.n : 0)) * entry;
  if (by_lanes) {
    w.tile = select::tiling_by_lanes(s, width, caps.registers, t).tile;
  } else {
    const select::columns_code code =
        select::code_by_columns(s, width, caps.registers, caps.model, t, on.where != place::fixed);
    w.is_narrow = code.lanes < neighbours;
    w.ends_narrow = code.last > 0;
    w.tile = code.tile;
    w.packs = select::packs_panels(s, s.b.row, t);
  }
  if (w.tile !=
      select::tile_shape{static_cast<int>(s.m), static_cast<int>(by_lanes ? s.n : vectors)})
    w.group = select::problems_at_once(all, t);
  if (on.where == place::fixed) {
    w.group = 0;
    w.unrolls = s.k <= select::static_sum && w.tile.m * w.tile.n * s.k <= t.unroll;
  } else if (on.where == place::cache) {
    w.fetches = !by_lanes && select::fetches_from_l2(select::fetch::into_l1, bytes, t);
  } else if (on.where == place::l3 || on.where == place::memory) {
    const index ahead = select::problems_ahead(bytes, t);
    const auto from = on.where == place::memory ? select::residence::memory : select::residence::l3;
    w.group = std::min(w.group, select::problems_at_most(from, w.choice.path, ahead));
    w.fetches = select::fetches_beyond_l2(from, bytes, true, t);
    if (w.fetches) w.ahead = ahead;
    if (w.fetches && all > t.l2_to) w.repeats = t.repeats;
    w.streams =
        on.where == place::memory &&
        (by_lanes ? select::streams_lanes(result, select::lanes_of_problems(s, width), c.type, t)
                  : select::streams_results(result, t));
    if (w.streams && !by_lanes) w.stream_group = select::streamed_problems(result, t);
  } else {
    w.task = t.task;
  }
  return w;
}

gemm_tuning poor(const size_class& c, instruction_set set) {
  gemm_tuning t = select::shipped(c, set);
  t.columns_rows = t.columns_vectors = t.lanes_rows = t.lanes_columns = 1;
  t.narrows = 0;
  t.l2_from = never;
  t.l3_from = t.memory_from = never;
  t.group = 1;
  t.stream_to = 0;
  return t;
}

}  // namespace tenfold::tune
