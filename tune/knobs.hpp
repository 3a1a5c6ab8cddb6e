#pragma once

#include <functional>
#include <string>
#include <tenfold/backend/interface/select.hpp>
#include <vector>

#include "sample.hpp"

namespace tenfold::tune {

/// Values of a tuning that are chosen together.
struct knob {
  std::string name;
  place where;
  std::vector<std::function<void(gemm_tuning&)>> choices;  ///< each sets them
};

/// Those of run-time sizes, in the order in which they are searched: what runs first, then how.
std::vector<knob> knobs_of(const size_class&);

/// What shapes the code of a static size: the most rows and columns of a register tile, of vectors
/// or of entries, and up to how many products the loop over k is unrolled.
struct fixed_choice {
  int rows, columns, unroll;
};
/// Those that are compiled. They are few: each is code of its own for each order.
inline constexpr fixed_choice fixed_columns[] = {{16, 4, 64}, {16, 4, 0}, {16, 4, 512}, {8, 4, 64},
                                                 {6, 4, 64},  {4, 4, 64}, {16, 2, 64}};
inline constexpr fixed_choice fixed_lanes[] = {{8, 6, 64}, {8, 6, 0},  {8, 6, 512}, {4, 4, 64},
                                               {3, 6, 64}, {2, 6, 64}, {4, 3, 64}};
constexpr void choose(gemm_tuning& t, bool interleaved, const fixed_choice& c) {
  (interleaved ? t.lanes_rows : t.columns_rows) = c.rows;
  (interleaved ? t.lanes_columns : t.columns_vectors) = c.columns;
  t.unroll = c.unroll;
}

/// The one knob of static sizes.
knob fixed_knob(const size_class&);

/// The values for static sizes: those that shape code, and by which way a product goes, from a
/// search over such sizes; what concerns the walk over a batch, which all sizes share, from
/// `found` where it is not what is `shipped` for run-time sizes.
gemm_tuning for_fixed(gemm_tuning fixed, const gemm_tuning& found, const gemm_tuning& shipped);

/// What a product does by a tuning: two tunings by which it does the same need not be compared.
struct way {
  select::gemm_choice choice;
  select::tile_shape tile;
  bool is_narrow = false, ends_narrow = false, packs = false, fetches = false, streams = false,
       unrolls = false;
  index group = 0, ahead = 0, repeats = 1, stream_group = 0, task = 0;

  friend constexpr bool operator==(const way&, const way&) = default;
};
way way_of(const sample&, const size_class&, const capabilities&, const gemm_tuning&);

/// Deliberately poor values, from which a search shows what it finds: tiles of one row and one
/// vector, nothing fetched, nothing past the caches, one problem at a time.
gemm_tuning poor(const size_class&, instruction_set);

}  // namespace tenfold::tune
