#pragma once

#include <tenfold/tensor/extents.hpp>

namespace tenfold::cpu {

/// Bytes of the caches that one core of this machine reaches.
struct cache_sizes {
  index l1 = index{32} << 10;
  index l2 = index{1} << 20;
  index l3 = index{32} << 20;
};

/// Bytes of the first core's cache for data of that level, as Linux tells them; 0: it does not.
/// sysconf is not asked: of an AMD processor glibc 2.36 adds up the L3 of all its complexes (320 MB
/// where a core reaches 32, Zen 4).
index cache_bytes(int level);

/// What the operating system says, of L3 no more than one core can count on; where it does not
/// know, the sizes above.
cache_sizes caches();

/// Others from now on, so that a test reaches with little memory what is done for large batches. A
/// product that is being computed may go by either; its results do not tell.
void assume_caches(cache_sizes);

}  // namespace tenfold::cpu
