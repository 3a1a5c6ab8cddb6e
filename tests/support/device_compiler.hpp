#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <tenfold/backend/cuda/nvrtc.hpp>
#include <tenfold/tensor/error.hpp>

namespace tenfold::testing {

/// NVIDIA's compiler, or nothing; then the test that asks says that it is skipped.
inline const cuda::nvrtc* device_compiler() {
  static std::string missing;
  static const auto found = []() -> std::unique_ptr<cuda::nvrtc> {
    try {
      return std::make_unique<cuda::nvrtc>();
    } catch (const backend_error& e) {
      missing = e.what();
      return nullptr;
    }
  }();
  if (found == nullptr) MESSAGE("skipped: ", missing);
  return found.get();
}

}  // namespace tenfold::testing
