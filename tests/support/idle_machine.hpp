#pragma once

#include <map>
#include <span>
#include <string>
#include <tenfold/backend/cuda/device_machine.hpp>
#include <vector>

namespace tenfold::testing {

/// Loads texts and launches nothing: it keeps what was launched, and what its library, if it has
/// one, was asked for.
class idle_machine : public cuda::device_machine {
 public:
  const device_capabilities& capabilities() const override { return h100_capabilities; }
  cuda::device_function load(const std::string& text, const char*,
                             const cuda::device_use&) override {
    ++loads;
    return {texts_.try_emplace(text, text).first->second.data()};
  }
  void launch(cuda::device_function f, const cuda::device_launch&, void**) override {
    launched = static_cast<const char*>(f.handle);
  }
  bool has_library() override { return library; }
  void multiply(std::span<const library_call> calls, void*) override {
    ++asked;
    multiplied.insert(multiplied.end(), calls.begin(), calls.end());
  }
  void* allocate(std::size_t) override { return nullptr; }
  void release(void*) noexcept override {}
  void* allocate_on_host(std::size_t) override { return nullptr; }
  void release_on_host(void*) noexcept override {}
  void copy_in(void*, const void*, std::size_t, void*) override {}
  void copy_out(void*, const void*, std::size_t, void*) override {}
  void copy_within(void*, const void*, std::size_t, void*) override {}
  void wait(void*) override {}

  int loads = 0;
  int asked = 0;  ///< calls of the library
  bool library = false;
  std::vector<library_call> multiplied;
  std::string launched;

 private:
  std::map<std::string, std::string> texts_;
};

}  // namespace tenfold::testing
