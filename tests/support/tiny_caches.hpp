#pragma once

#include <tenfold/backend/cpu/caches.hpp>

namespace tenfold::testing {

/// The caches of a machine that has almost none, while this lives.
class tiny_caches {
 public:
  tiny_caches() { cpu::assume_caches({1, 1, 1}); }
  ~tiny_caches() { cpu::assume_caches(known_); }
  tiny_caches(const tiny_caches&) = delete;
  tiny_caches& operator=(const tiny_caches&) = delete;

 private:
  cpu::cache_sizes known_ = cpu::caches();
};

}  // namespace tenfold::testing
