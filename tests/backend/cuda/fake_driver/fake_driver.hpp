#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// A library with the functions of NVIDIA's driver that tenfold::cuda::driver uses. It has one
/// device, whose memory is the host's, and writes down what it is asked; it runs nothing. Calls
/// without a current context fail, as the real ones do.
namespace tenfold::testing {

struct fake_launch {
  unsigned blocks = 0, threads = 0, shared_bytes = 0;
  void* stream = nullptr;
};

/// How often the driver was asked for what a CUDA graph cannot capture, or what makes it read the
/// host when it is replayed.
struct fake_calls {
  int waits = 0;
  int allocations = 0, frees = 0;  ///< of memory of the device or of the host
  int copies_in = 0, copies_out = 0;
  int loads = 0;  ///< of modules

  friend bool operator==(const fake_calls&, const fake_calls&) = default;
};

struct fake_driver_state {
  int version = 99000;         ///< of CUDA
  int refused_images = 0;      ///< so many images to come are refused
  int refusal = 209;           ///< by this code: there is none of this kind
  int refused_attributes = 0;  ///< so many attributes of functions to come are refused
  int contexts = 0;            ///< on the stack of current ones
  int retained = 0;            ///< primary contexts
  int modules = 0;             ///< that are loaded
  int images = 0;              ///< that were given, refused ones too
  int allocations = 0;         ///< that were not freed
  int host_allocations = 0;    ///< likewise, of the host's memory
  int shared_bytes_allowed = 0;
  int shared_percent = -1;  ///< that the last function shall have of its multiprocessor's memory
  std::size_t most_bytes = ~std::size_t{0};  ///< of an allocation; more there are not
  void* captured = nullptr;                  ///< the stream that is captured
  std::vector<fake_launch> launches;
  int copies_within = 0;
  fake_calls calls;
  std::string last_function;
};

}  // namespace tenfold::testing

/// The library's state, looked up by name.
extern "C" tenfold::testing::fake_driver_state* tenfold_fake_driver_state();
