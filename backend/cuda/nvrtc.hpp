#pragma once

#include <string>
#include <tenfold/backend/cuda/shared_library.hpp>
#include <vector>

namespace tenfold::cuda {

/// A text compiled for one architecture.
struct device_image {
  std::string code;  ///< what a driver loads: a cubin
  /// What the assembler says of the device kernel: registers of a thread; bytes that did not fit
  /// into registers and go through memory, written and read.
  int registers = 0, spilled_bytes = 0;

  friend bool operator==(const device_image&, const device_image&) = default;
};

/// NVIDIA's run-time compiler, of CUDA 13 or 12.
class nvrtc {
 public:
  /// `cuda`: the version that the driver supports, 0: nobody knows. Rather one that is not of a
  /// later major version: what that makes the driver may refuse. Throws backend_error if there is
  /// none on this machine; see shared_library.
  explicit nvrtc(int cuda = 0);

  /// major * 1000 + minor * 10, as CUDA counts.
  int version() const { return version_; }
  /// Compiles a text that includes nothing but device_headers(), for compute capability
  /// `architecture` (90: 9.0). Throws backend_error with the compiler's messages.
  device_image compile(const std::string& text, int architecture) const;

 private:
  using program = void*;
  /// Throws backend_error: that this call gave that code.
  void require(int code, const char* call) const;

  shared_library library_;
  int version_ = 0;
  const char* (*error_text_)(int) = nullptr;
  int (*create_)(program*, const char*, const char*, int, const char* const*,
                 const char* const*) = nullptr;
  int (*destroy_)(program*) = nullptr;
  int (*compile_)(program, int, const char* const*) = nullptr;
  int (*log_size_)(program, std::size_t*) = nullptr;
  int (*log_)(program, char*) = nullptr;
  int (*code_size_)(program, std::size_t*) = nullptr;
  int (*code_)(program, char*) = nullptr;
};

/// The options with which texts are compiled, sorted.
std::vector<std::string> compile_options(int architecture);

/// The numbers of a log of the assembler, `--ptxas-options=-v`, of one device kernel.
device_image read_log(const std::string& log);

}  // namespace tenfold::cuda
