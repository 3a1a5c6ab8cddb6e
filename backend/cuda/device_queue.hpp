#pragma once

#include <string>
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

/// The machine in whose memory an operand lies. Null: it does not know, as a view, which has
/// addresses alone, or it lies in no machine's.
template <class X>
const cuda::device_machine* machine_of(const X& x) {
  if constexpr (requires { x.queue().machine; }) {
    return x.queue().machine;
  } else if constexpr (requires { x.where.machine; }) {  // A(2, i)
    return x.where.machine;
  } else if constexpr (requires { x.tensor; }) {  // conj(A), reflection_symmetric(A)
    return machine_of(x.tensor);
  } else {
    return nullptr;
  }
}

/// Throws backend_error, a sentence about `subject`, which lies in the memory of `there`.
[[noreturn]] void throw_elsewhere(const device_queue& where, const cuda::device_machine& there,
                                  const std::string& subject);

/// Throws backend_error if x is known to lie in the memory of another device than that of `where`;
/// subject() is how the sentence begins.
template <class X, class F>
void require_memory(const device_queue& where, const X& x, const F& subject) {
  const cuda::device_machine* const there = machine_of(x);
  if (there != nullptr && there->memory() != where.machine->memory())
    throw_elsewhere(where, *there, subject());
}

/// Says what on(device::emulated) is: the library has no emulation, a program may bring one
/// (tests/emulation does, where it is linked).
void emulate_by(cuda::device_machine& (*machine)());

}  // namespace tenfold
