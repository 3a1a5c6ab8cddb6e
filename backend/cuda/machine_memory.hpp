#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <tenfold/backend/cuda/device_machine.hpp>
#include <utility>

namespace tenfold::cuda {

/// Whose memory: the device's, or the host's where it does not move.
enum class memory_of : unsigned char { device, host };

/// Memory of a machine for a number of T, with an owner; nobody has written it. Moves, does not
/// copy; what was moved from has none.
template <class T, memory_of Where = memory_of::device>
class machine_memory {
 public:
  /// Throws backend_error if there is no room, std::bad_alloc for more bytes than an index counts.
  machine_memory(device_machine& machine, index count) : machine_(&machine), count_(count) {
    if (count > INT64_MAX / static_cast<index>(sizeof(T))) throw std::bad_alloc();
    if (count == 0) return;
    data_ = static_cast<T*>(Where == memory_of::device ? machine.allocate(bytes())
                                                       : machine.allocate_on_host(bytes()));
  }
  machine_memory(machine_memory&& other) noexcept
      : machine_(other.machine_),
        data_(std::exchange(other.data_, nullptr)),
        count_(std::exchange(other.count_, 0)) {}
  machine_memory& operator=(machine_memory other) noexcept {
    std::swap(machine_, other.machine_);
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~machine_memory() {
    if constexpr (Where == memory_of::device)
      machine_->release(data_);
    else
      machine_->release_on_host(data_);
  }

  T* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(count_) * sizeof(T); }

 private:
  device_machine* machine_;
  T* data_ = nullptr;
  index count_ = 0;
};

}  // namespace tenfold::cuda
