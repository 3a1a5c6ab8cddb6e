#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tenfold/backend/cuda/device_queue.hpp>
#include <tenfold/dsel/run_time.hpp>
#include <vector>

namespace tenfold::emulation {
class emulated_device;
}

/// Tests of calls on a device run on an emulated one, or, where TENFOLD_TEST_DEVICE is `cuda`, on
/// the first GPU.
namespace tenfold::testing {

/// The machine that TENFOLD_TEST_DEVICE names, `emulated` or `cuda`: every expression that tests
/// check on the host runs there too. Null where it names none. Throws backend_error if there is no
/// such machine.
cuda::device_machine* named_device();

/// As evaluate, on a device: operands and result are copied there, and the result back. What shares
/// its first entry on the host does so there.
void evaluate_there(const device_queue& where, std::string_view text,
                    const run_time_operand* inputs, int count,
                    const operand_shape<max_rank>& y_shape, void* y, const call_settings& settings);

/// The machine of one test: it counts the texts that were asked for since it was made.
class test_device final : public cuda::device_machine {
 public:
  /// `like`: what it says it can do. A GPU can do more.
  explicit test_device(const std::optional<device_capabilities>& like = {});
  ~test_device() override;
  test_device(const test_device&) = delete;

  const device_capabilities& capabilities() const override {
    return like_ ? *like_ : under_->capabilities();
  }
  const std::string& name() const override { return under_->name(); }
  const void* memory() const override { return under_->memory(); }
  cuda::device_function load(const std::string& text, const char* entry,
                             const cuda::device_use& use = {}) override {
    texts_.insert(text);
    return under_->load(text, entry, use);
  }
  void launch(cuda::device_function f, const cuda::device_launch& how, void** arguments) override {
    under_->launch(f, how, arguments);
  }
  bool has_library() override { return library || under_->has_library(); }
  void multiply(std::span<const library_call> calls, void* stream) override {
    for (const library_call& call : calls) multiplied.push_back(call.product);
    if (!library) under_->multiply(calls, stream);
  }
  void* allocate(std::size_t bytes) override { return under_->allocate(bytes); }
  void release(void* memory) noexcept override { under_->release(memory); }
  void* allocate_on_host(std::size_t bytes) override { return under_->allocate_on_host(bytes); }
  void release_on_host(void* memory) noexcept override { under_->release_on_host(memory); }
  void copy_in(void* to, const void* from, std::size_t bytes, void* stream) override {
    under_->copy_in(to, from, bytes, stream);
  }
  void copy_out(void* to, const void* from, std::size_t bytes, void* stream) override {
    under_->copy_out(to, from, bytes, stream);
  }
  void copy_within(void* to, const void* from, std::size_t bytes, void* stream) override {
    under_->copy_within(to, from, bytes, stream);
  }
  void wait(void* stream) override { under_->wait(stream); }
  bool is_captured(void* stream) override { return under_->is_captured(stream); }

  int compiled() const { return static_cast<int>(texts_.size()); }
  bool has_text_with(std::string_view words) const {
    return std::any_of(texts_.begin(), texts_.end(), [&](const std::string& text) {
      return text.find(words) != std::string::npos;
    });
  }
  /// From now on other threads go first, of no more than so many blocks. A GPU does as it likes.
  void reorder(std::uint64_t seed, index most_blocks);
  /// Whether it has a library for large products, which multiplies nothing; a GPU has its own.
  bool library = false;
  std::vector<library_product> multiplied;  ///< what a library was asked for

 private:
  std::optional<device_capabilities> like_;
  std::unique_ptr<emulation::emulated_device> emulated_;  ///< null: a GPU
  cuda::device_machine* under_;
  std::set<std::string> texts_;
};

}  // namespace tenfold::testing
