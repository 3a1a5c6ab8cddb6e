#include <string>
#include <tenfold/backend/cuda/device_machine.hpp>
#include <tenfold/backend/cuda/stream_workspaces.hpp>
#include <tenfold/tensor/error.hpp>

namespace tenfold::cuda {
namespace {

void* allocate(device_machine& machine, std::size_t bytes) {
  try {
    return machine.allocate(bytes);
  } catch (const backend_error& e) {
    std::string why = e.what();
    if (why.starts_with("tenfold: ")) why.erase(0, std::string("tenfold: ").size());
    throw backend_error(
        "tenfold: no workspace of " + std::to_string(bytes) +
        " bytes for what the launches of this expression leave for one another: " + why);
  }
}

}  // namespace

held_workspace stream_workspaces::hold(device_machine& machine, void* stream, std::size_t bytes) {
  if (bytes == 0) return {};
  std::unique_lock known(mutex_);
  workspace& x = by_stream_[stream];  // which stays where it is
  known.unlock();
  held_workspace held{std::unique_lock(x.mutex)};
  if (x.bytes < bytes) {
    // Room for the new one is made first.
    if (x.is_captured)
      x.outgrown.push_back(x.data);
    else
      machine.release(x.data);
    x.data = nullptr;
    x.bytes = 0;
    x.is_captured = false;
    x.data = allocate(machine, bytes);
    x.bytes = bytes;
  }
  x.is_captured = x.is_captured || machine.is_captured(stream);
  held.data = x.data;
  return held;
}

void stream_workspaces::forget(device_machine& machine) noexcept {
  const std::lock_guard lock(mutex_);
  for (auto& [stream, x] : by_stream_) {
    machine.release(x.data);
    for (void* const memory : x.outgrown) machine.release(memory);
  }
  by_stream_.clear();
}

}  // namespace tenfold::cuda
