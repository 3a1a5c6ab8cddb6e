#include <tenfold/backend/cuda/device_queue.hpp>
#include <tenfold/backend/cuda/gpu.hpp>
#include <tenfold/tensor/error.hpp>

namespace tenfold {
namespace {

using find_machine = cuda::device_machine& (*)();
find_machine emulated = nullptr;

}  // namespace

void throw_elsewhere(const device_queue& where, const cuda::device_machine& there,
                     const std::string& subject) {
  const auto named = [](const cuda::device_machine& machine) {
    return machine.name().empty() ? "" : " (" + machine.name() + ")";
  };
  throw backend_error(subject + " lies in the memory of another device" + named(there) +
                      " than that of the call" + named(*where.machine));
}

void emulate_by(cuda::device_machine& (*machine)()) { emulated = machine; }

device_queue on(device space, void* stream) {
  if (space == device::emulated) {
    if (emulated == nullptr)
      throw backend_error("tenfold: on(device::emulated) in a program without an emulation");
    return {&emulated(), stream};
  }
  if (space != device::cuda)
    throw backend_error("tenfold: on(...) takes device::cuda, device::emulated, or a machine");
  // Never closed: at the end of a program the driver may be gone before this library is.
  static cuda::gpu* const first = new cuda::gpu();
  return {first, stream};
}

}  // namespace tenfold
