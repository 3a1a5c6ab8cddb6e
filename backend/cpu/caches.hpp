#pragma once

#include <tenfold/tensor/extents.hpp>

namespace tenfold::cpu {

/// Bytes of the caches that one core of this machine reaches.
struct cache_sizes {
  index l2 = index{1} << 20;
  index l3 = index{32} << 20;
};

/// What the operating system says, of L3 no more than one core can count on; where it does not
/// know, the sizes above.
const cache_sizes& caches();

/// Others from now on, so that a test reaches with little memory what is done for large batches.
/// Not while products are computed.
void assume_caches(cache_sizes);

}  // namespace tenfold::cpu
