#pragma once

#include <vector>

#include "contract/contraction.hpp"

namespace tenfold::bench {

/// A contraction of TCCG has other extents in each precision.
struct tccg_case {
  contraction d, s;
};

/// The list of TCCG, row-major, its extents times `scale`. Ends the program where the list cannot
/// be read.
std::vector<tccg_case> tccg(double scale);

}  // namespace tenfold::bench
