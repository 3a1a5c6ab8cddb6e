#pragma once

#include <tenfold/backend/cpu/gemm.hpp>

namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// What shapes the code of a product whose sizes the compiler knows: its register tile, what is
/// fetched meanwhile, and how far its loop over k is unrolled (tile_modes).
struct static_tiles {
  int width;  ///< entries of a vector
  select::tile_shape tile;
  select::fetch_choice ahead;
  int unroll;
  select::columns_code columns = {};           ///< by columns
  int kept_lines = 1;                          ///< fetched with the rows that pass together
  bool lines = false;                          ///< C, whole lines of memory, may go past the caches
  select::lanes_panels near = {0}, far = {0};  ///< by lanes, of problems in cache and in memory

  constexpr static_tiles past_caches() const {
    static_tiles other = *this;
    other.lines = true;
    return other;
  }
};

/// A k that is unrolled, or dynamic_k.
constexpr int static_k(index k) {
  return k <= select::static_sum ? static_cast<int>(k) : dynamic_k;
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
