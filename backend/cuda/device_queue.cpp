#include <tenfold/backend/cuda/device_queue.hpp>
#include <tenfold/backend/cuda/gpu.hpp>
#include <tenfold/tensor/error.hpp>

namespace tenfold {

device_queue on(device space, void* stream) {
  if (space != device::cuda)
    throw backend_error("tenfold: on(...) takes device::cuda, or a machine");
  // Never closed: at the end of a program the driver may be gone before this library is.
  static cuda::gpu* const first = new cuda::gpu();
  return {first, stream};
}

}  // namespace tenfold
