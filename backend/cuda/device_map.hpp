#pragma once

#include <cstddef>
#include <tenfold/backend/cuda/device_queue.hpp>
#include <tenfold/tensor/gathered.hpp>
#include <utility>

namespace tenfold {

/// A map of gathered operands, copied to the memory of a device. Moves, does not copy; a moved-from
/// map owns nothing.
///
///     const device_map map(where, nodes_of_elements);      // an index_map of the host
///     in_memory_of<device::cuda>(gathered<double, dyn, 8>(x.data(), map.there(), 8));
template <class I>
class device_map {
 public:
  /// Throws backend_error if the device has no room.
  device_map(const device_queue& where, const index_map<I>& host)
      : machine_(where.machine),
        numbers_(static_cast<I*>(machine_->allocate(bytes_of(host)))),
        there_(index_map<I>::unchecked(numbers_, host.batch(), host.entries(), host.size())) {
    if (bytes_of(host) > 0) machine_->copy_in(numbers_, host.data(), bytes_of(host), where.stream);
  }
  device_map(device_map&& other) noexcept
      : machine_(other.machine_),
        numbers_(std::exchange(other.numbers_, nullptr)),
        there_(other.there_) {}
  device_map& operator=(device_map&& other) noexcept {
    machine_->release(numbers_);
    machine_ = other.machine_;
    numbers_ = std::exchange(other.numbers_, nullptr);
    there_ = other.there_;
    return *this;
  }
  ~device_map() { machine_->release(numbers_); }

  /// The map, whose numbers the device alone can read.
  const index_map<I>& there() const noexcept { return there_; }

 private:
  static std::size_t bytes_of(const index_map<I>& map) {
    return static_cast<std::size_t>(map.batch() * map.entries()) * sizeof(I);
  }

  cuda::device_machine* machine_;
  I* numbers_ = nullptr;
  index_map<I> there_;
};

}  // namespace tenfold
