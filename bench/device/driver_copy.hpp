#pragma once

#include <tenfold/device.hpp>

#include <cstddef>
#include <tenfold/backend/cuda/driver.hpp>
#include <tenfold/backend/cuda/shared_library.hpp>

#include "common/timing.hpp"

namespace tenfold::bench {

/// The peer `copy`: a copy within the memory of the first GPU, by NVIDIA's driver. What it reads
/// and writes in a second bounds all that streams.
///
/// The context of that GPU is current in this thread while this lives; cuBLAS finds it there.
class driver_copy {
 public:
  /// Copies half of `bytes` to the other half, on the stream of `where`.
  driver_copy(const device_queue& where, std::size_t bytes);
  ~driver_copy();
  driver_copy(const driver_copy&) = delete;

  candidate pass();
  /// Read and written by a pass.
  double bytes() const { return 2 * static_cast<double>(half_); }

 private:
  cuda::driver driver_;
  cuda::shared_library library_;
  device_queue where_;
  std::size_t half_;
  device_tensor<double, dyn> from_, to_;
  int (*copy_)(void* to, const void* from, std::size_t bytes, void* stream) = nullptr;
};

}  // namespace tenfold::bench
