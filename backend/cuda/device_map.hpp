#pragma once

#include <tenfold/backend/cuda/device_queue.hpp>
#include <tenfold/backend/cuda/machine_memory.hpp>
#include <tenfold/tensor/gathered.hpp>

namespace tenfold {

/// A map of gathered operands, copied to the memory of a device. Moves, does not copy; a moved-from
/// map owns nothing.
///
///     const device_map map(where, nodes_of_elements);      // an index_map of the host
///     in_memory_of<device::cuda>(gathered<double, dyn, 8>(x.data(), map.there(), 8));
template <class I>
class device_map {
 public:
  /// Reads the numbers of the host as device_tensor::copy_from reads entries. Throws backend_error
  /// if the device has no room.
  device_map(const device_queue& where, const index_map<I>& host)
      : numbers_(*where.machine, host.batch() * host.entries()),
        there_(
            index_map<I>::unchecked(numbers_.data(), host.batch(), host.entries(), host.size())) {
    if (numbers_.bytes() > 0)
      where.machine->copy_in(numbers_.data(), host.data(), numbers_.bytes(), where.stream);
  }

  /// The map, whose numbers the device alone can read.
  const index_map<I>& there() const noexcept { return there_; }

 private:
  cuda::machine_memory<I> numbers_;
  index_map<I> there_;
};

}  // namespace tenfold
