#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <tenfold/backend/cuda/device_machine.hpp>
#include <vector>

namespace tenfold::emulation {

/// A device whose memory is the host's and whose threads are emulated. It compiles texts as NVRTC
/// does, from the headers that the library carries, but by the compiler that built the tests, into
/// shared libraries; and launches what is in them with cuLaunchKernel's arguments.
///
/// Unlike other machines it runs one launch at a time: one thread may ask it.
///
/// on(device::emulated) is one of them in every program that has this one.
/// Needs a program that was linked so that what it loads finds the emulation's functions in it.
class emulated_device : public cuda::device_machine {
 public:
  /// `edit` may change the text of a header of this name: what is broken on purpose must be caught.
  using edit_function = std::function<void(const std::string& name, std::string& text)>;
  explicit emulated_device(const device_capabilities& like = h100_capabilities,
                           const edit_function& edit = {});
  ~emulated_device() override;
  emulated_device(const emulated_device&) = delete;

  const device_capabilities& capabilities() const override { return capabilities_; }
  const std::string& name() const override { return name_; }
  cuda::device_function load(const std::string& text, const char* entry,
                             const cuda::device_use& use = {}) override;
  /// Runs it at once, whatever the stream.
  void launch(cuda::device_function f, const cuda::device_launch& how, void** arguments) override;
  /// Filled with NaN.
  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  void* allocate_on_host(std::size_t bytes) override { return allocate(bytes); }
  void release_on_host(void* memory) noexcept override { release(memory); }
  void copy_in(void* to, const void* from, std::size_t bytes, void* stream) override;
  void copy_out(void* to, const void* from, std::size_t bytes, void* stream) override;
  void copy_within(void* to, const void* from, std::size_t bytes, void* stream) override;
  void wait(void* stream) override;

  /// Texts that were compiled.
  int compiled() const { return static_cast<int>(libraries_.size()); }
  /// Longer grids are cut to so many blocks, which then walk on: threads of large batches are many.
  index most_blocks = (index{1} << 31) - 1;
  std::uint64_t seed = 1;

 private:
  const std::string name_ = "an emulation";
  device_capabilities capabilities_;
  std::filesystem::path folder_;
  std::mutex mutex_;
  std::map<std::string, cuda::device_function> loaded_;  // by text
  std::vector<void*> libraries_;
};

}  // namespace tenfold::emulation
