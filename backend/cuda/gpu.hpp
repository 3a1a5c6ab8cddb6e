#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tenfold/backend/cuda/cublas.hpp>
#include <tenfold/backend/cuda/device_machine.hpp>
#include <tenfold/backend/cuda/driver.hpp>
#include <tenfold/backend/cuda/image_cache.hpp>
#include <tenfold/backend/cuda/nvrtc.hpp>

namespace tenfold::cuda {

/// One NVIDIA GPU: its primary context, which the CUDA runtime uses too, so that streams and memory
/// of a program that has its own CUDA code may be given.
///
/// A call makes the context current for as long as it lasts. Streams and memory of other contexts
/// are errors of the driver.
class gpu final : public device_machine {
 public:
  /// Device `number` of those that the driver counts. Throws backend_error if it, the driver or the
  /// compiler is missing: the sentence says which. Reads the tunings of the device
  /// (device_tunings.hpp). `libraries`: names of cuBLAS, for as long as this lives; without it
  /// large products run, too, but slower.
  explicit gpu(int number = 0, image_cache images = image_cache(image_cache::folder_of_user()),
               const driver& by = driver(),
               std::span<const char* const> libraries = cublas::usual_names);
  ~gpu() override;
  gpu(const gpu&) = delete;

  const std::string& name() const override { return name_; }
  const void* memory() const override { return context_; }
  const device_capabilities& capabilities() const override { return capabilities_; }

  device_function load(const std::string& text, const char* entry,
                       const device_use& use = {}) override;
  void launch(device_function f, const device_launch& how, void** arguments) override;
  bool has_library() override;
  void multiply(std::span<const library_call> calls, void* stream) override;
  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  void* allocate_on_host(std::size_t bytes) override;
  void release_on_host(void* memory) noexcept override;
  void copy_in(void* to, const void* from, std::size_t bytes, void* stream) override;
  void copy_out(void* to, const void* from, std::size_t bytes, void* stream) override;
  void copy_within(void* to, const void* from, std::size_t bytes, void* stream) override;
  void wait(void* stream) override;
  bool is_captured(void* stream) override;

 private:
  class current;
  void require_room(int code, const char* call, std::size_t bytes) const;
  void release(void* memory, int (*by)(void*)) noexcept;
  struct loaded_text {
    void* module = nullptr;
    int registers = 0, spilled_bytes = 0;
  };
  /// A text, and of one with constants the stream.
  using text_key = std::pair<std::string, void*>;
  /// The module of a text; `image` is what it was compiled to.
  const loaded_text& loaded(const text_key& key, device_image image);

  driver driver_;
  nvrtc compiler_;
  image_cache images_;
  int device_ = 0;
  void* context_ = nullptr;
  std::string name_;
  device_capabilities capabilities_;
  std::mutex mutex_;  // for what follows
  std::map<text_key, loaded_text> texts_;
  std::map<std::pair<text_key, std::string>, device_function> functions_;  // by text and entry
  std::span<const char* const> libraries_;
  std::once_flag library_is_sought_;
  std::optional<cublas> library_;
};

}  // namespace tenfold::cuda
