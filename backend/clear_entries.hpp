#pragma once

#include <tenfold/backend/interface/arguments.hpp>

namespace tenfold {

/// y[map[x]] := 0 for each of the x < count that the map does not skip; entries that it does not
/// name are left alone. T: float, double, or std::complex of them.
template <class T>
void clear_entries(T* y, const entry_map& map, index count);

}  // namespace tenfold
