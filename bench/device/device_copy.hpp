#pragma once

#include <tenfold/device.hpp>

#include <cstddef>
#include <tenfold/backend/cuda/driver.hpp>
#include <tenfold/backend/cuda/shared_library.hpp>
#include <vector>

#include "common/timing.hpp"

namespace tenfold::bench {

/// The peer `copy`: copies within the memory of the first GPU. What the fastest reads and writes in
/// a second bounds all that streams. One is by NVIDIA's driver, one by a device kernel of 16 bytes
/// at a time.
///
/// The context of that GPU is current in this thread while this lives; cuBLAS finds it there.
class device_copy {
 public:
  /// Copies half of `bytes` to the other half, on the stream of `where`.
  device_copy(const device_queue& where, std::size_t bytes);
  ~device_copy();
  device_copy(const device_copy&) = delete;

  std::vector<candidate> passes();
  /// Read and written by a pass.
  double bytes() const { return 2 * static_cast<double>(half_); }

 private:
  cuda::driver driver_;
  cuda::shared_library library_;
  device_queue where_;
  std::size_t half_;
  device_tensor<double, dyn> from_, to_;
  cuda::device_function kernel_;
  int (*copy_)(void* to, const void* from, std::size_t bytes, void* stream) = nullptr;
};

}  // namespace tenfold::bench
