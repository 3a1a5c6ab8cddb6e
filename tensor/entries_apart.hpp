#pragma once

#include <tenfold/tensor/extents.hpp>

/// Whether the strides of a result keep its entries apart.
namespace tenfold {

/// No entry has two indices: each stride leads beyond all that shorter ones reach from an entry of
/// the length `entry`, in the unit of the strides. Extents and strides may be `dyn`: then whatever
/// these are. Some entangled strides are refused although they would do.
constexpr bool entries_apart(const index* extents, const index* strides, int rank,
                             index entry = 1) {
  const auto step = [&](int i) { return strides[i] < 0 ? -strides[i] : strides[i]; };
  for (int i = 0; i < rank; ++i) {
    if (extents[i] == 0) return true;
  }
  for (int i = 0; i < rank; ++i) {
    if (extents[i] == 1) continue;
    if (strides[i] == dyn) return false;
    index reach = entry;
    for (int j = 0; j < rank; ++j) {
      if (strides[j] == dyn || step(j) > step(i) || (step(j) == step(i) && j >= i)) continue;
      if (extents[j] == dyn) return false;
      reach += (extents[j] - 1) * step(j);
    }
    if (step(i) < reach) return false;
  }
  return true;
}

}  // namespace tenfold
