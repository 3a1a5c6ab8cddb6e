#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>

/// A small emulation of a GPU's blocks, for device code that the host's compiler has read: it
/// defines what backend/cuda/base.device.hpp declares in `emulated`.
///
/// Every thread of a block is a fiber on a stack of its own with a guard page. One runs at a time,
/// until it waits; who is next is drawn from those that can go on, so that another seed is another
/// order. Found are:
///   threads that wait at different places, or for one that has ended  emulation_error, with places
///   a lane that takes no part in a shuffle                            emulation_error
///   writes just before or behind shared memory                        emulation_error, or ASan
///   entries of shared memory that nobody wrote                        they are NaN
///   a place where threads should have waited                          values that depend on the
///   seed,
///                                                                     and TSan, which sees fibers
///   copies that nobody waited for, or into what is still being read   likewise: half of them are
///                                                                     done at once, half when
///                                                                     their thread waits for them
///   several values at once from where they may not begin                  emulation_error
/// Blocks run one after another. What it does not see: bank conflicts, coalescing, occupancy, races
/// between blocks.
namespace tenfold::emulation {

/// Device code that is wrong, with file and line.
class emulation_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct launch_shape {
  long long blocks = 1;
  int threads = 1;  ///< of a block
  std::size_t shared_bytes = 0;
};

/// Runs `body` in every thread of every block. `seed` draws the order.
void launch(const launch_shape& shape, std::uint64_t seed, const std::function<void()>& body);

}  // namespace tenfold::emulation
