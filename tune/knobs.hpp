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

/// Those that a class has, in the order in which they are searched: what runs first, then how.
std::vector<knob> knobs_of(const size_class&);

/// What a product does by a tuning: two tunings by which it does the same need not be compared.
struct way {
  select::gemm_choice choice;
  select::tile_shape tile;
  bool is_narrow = false, packs = false, fetches = false, streams = false;
  index group = 0, ahead = 0, stream_group = 0, task = 0;

  friend constexpr bool operator==(const way&, const way&) = default;
};
way way_of(const sample&, const size_class&, const capabilities&, const gemm_tuning&);

/// Deliberately poor values, from which a search shows what it finds: tiles of one row and one
/// vector, nothing fetched, nothing past the caches, one problem at a time.
gemm_tuning poor(const size_class&, instruction_set);

}  // namespace tenfold::tune
