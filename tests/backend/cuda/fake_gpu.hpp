#pragma once

#include <doctest/doctest.h>

#include <span>
#include <string>
#include <tenfold/backend/cuda/driver.hpp>
#include <tenfold/backend/cuda/nvrtc.hpp>
#include <tenfold/backend/cuda/shared_library.hpp>
#include <tenfold/tensor/error.hpp>

#include "fake_cublas/fake_cublas.hpp"
#include "fake_driver/fake_driver.hpp"

/// What a GPU is made of that runs nothing, but writes down what it is asked.
namespace tenfold::testing {

inline cuda::driver fake_driver() {
  const char* const names[] = {TENFOLD_FAKE_DRIVER};
  return cuda::driver(names);
}
inline fake_driver_state& fake_state() {
  const char* const names[] = {TENFOLD_FAKE_DRIVER};
  fake_driver_state* (*state)() = nullptr;
  cuda::shared_library("The fake driver", names).find("tenfold_fake_driver_state", state);
  return *state();
}

inline constexpr const char* fake_cublas[] = {TENFOLD_FAKE_CUBLAS};
inline constexpr const char* old_fake_cublas[] = {TENFOLD_FAKE_OLD_CUBLAS};
inline fake_cublas_state& cublas_state(std::span<const char* const> names = fake_cublas) {
  fake_cublas_state* (*state)() = nullptr;
  cuda::shared_library("The fake cuBLAS", names).find("tenfold_fake_cublas_state", state);
  return *state();
}

/// A GPU needs a compiler, too.
inline bool has_compiler() {
  try {
    cuda::nvrtc();
    return true;
  } catch (const backend_error& e) {
    MESSAGE("skipped: ", std::string(e.what()));
    return false;
  }
}

}  // namespace tenfold::testing
