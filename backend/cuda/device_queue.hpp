#pragma once

#include <tenfold/backend/cuda/device_machine.hpp>
#include <tenfold/tensor/device.hpp>

namespace tenfold {

/// Where work is done, and behind what: on a stream of a machine, in the order in which it was put
/// there.
struct device_queue {
  cuda::device_machine* machine = nullptr;
  void* stream = nullptr;  ///< CUstream or cudaStream_t; null: the device's default stream

  /// Returns when all that is on the stream is done. Throws backend_error if any of it failed.
  void wait() const { machine->wait(stream); }
};

/// This machine, or what is first of a kind: on(device::cuda) is the first GPU, which is opened
/// once in a program, and on(device::emulated) what `emulate_by` named. Throws backend_error if
/// there is none, and says what is missing.
inline device_queue on(cuda::device_machine& machine, void* stream = nullptr) {
  return {&machine, stream};
}
device_queue on(device space, void* stream = nullptr);

/// Says what on(device::emulated) is: the library has no emulation, a program may bring one
/// (tests/emulation does, where it is linked).
void emulate_by(cuda::device_machine& (*machine)());

}  // namespace tenfold
