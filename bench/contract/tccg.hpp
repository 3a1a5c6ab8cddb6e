#pragma once

#include <vector>

#include "contract/contraction.hpp"

namespace tenfold::bench {

/// A contraction of TCCG has other extents in each precision.
struct tccg_case {
  contraction d, s;
};

/// The list of TCCG, row-major. The extents of a case that takes more than so many operations (in
/// single precision twice as many) are made smaller, all by one factor, and stay multiples of 8, 4
/// or 2 where they are. Ends the program where the list cannot be read.
std::vector<tccg_case> tccg(double most_flops);

}  // namespace tenfold::bench
