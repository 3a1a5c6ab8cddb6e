#pragma once

#include <cstddef>
#include <string>
#include <tenfold/backend/interface/device_capabilities.hpp>

namespace tenfold::cuda {

/// A device kernel that is ready to run, as its machine knows it.
struct device_function {
  void* handle = nullptr;
};

/// What runs device kernels: a GPU, or in tests an emulation of one. Implementations may be asked
/// from several threads at once.
class device_machine {
 public:
  virtual ~device_machine() = default;

  virtual const device_capabilities& capabilities() const = 0;
  /// The device kernel `entry` of a text; a text that was loaded before is not compiled again.
  /// Throws backend_error if it does not compile.
  virtual device_function load(const std::string& text, const char* entry) = 0;
  /// Starts `blocks` blocks of `threads` threads with so many bytes of shared memory each.
  /// `arguments` are the addresses of the arguments, which are read before this returns. Throws
  /// backend_error.
  virtual void launch(device_function f, index blocks, int threads, std::size_t shared_bytes,
                      void** arguments) = 0;
};

}  // namespace tenfold::cuda
