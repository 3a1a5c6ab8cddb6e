#pragma once

#include <tenfold/backend/interface/arguments.hpp>

namespace tenfold {

/// y[map[x]] := 0 for each of the x < count that the map does not skip; entries that it does not
/// name are left alone. With the order in which results will be added, `order`, which knows the
/// entries, range by range on the threads of the caller's arena; null: one by one.
/// T: float, double, or std::complex of them.
template <class T>
void clear_entries(T* y, const entry_map& map, index count, const scatter_order* order);

}  // namespace tenfold
