#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <tenfold/backend/cuda/ready_gemms.hpp>
#include <tenfold/backend/cuda/ready_programs.hpp>
#include <tenfold/backend/cuda/stream_workspaces.hpp>
#include <tenfold/backend/interface/device_capabilities.hpp>
#include <tenfold/backend/interface/device_tuning.hpp>
#include <tenfold/backend/interface/library_product.hpp>
#include <vector>

namespace tenfold::cuda {

/// How many threads are started, and on which stream.
struct device_launch {
  index blocks = 0;
  int threads = 0;               ///< of a block
  std::size_t shared_bytes = 0;  ///< of a block
  void* stream = nullptr;        ///< CUstream, or null: the device's default stream
};

/// How a device kernel is going to be used.
struct device_use {
  /// The name of its constants; null: it has none. They are one for each stream, on which they are
  /// copied before the device kernel is launched.
  const char* constants = nullptr;
  void* stream = nullptr;
  /// Of the memory of a multiprocessor that is shared memory and cache, the bytes that its blocks
  /// shall have, if a thread has so many registers; empty: as the driver thinks.
  std::function<index(int registers)> shared_bytes;
};

/// What runs device kernels: a GPU, or in tests an emulation of one. Implementations may be asked
/// from several threads at once. All throw backend_error.
class device_machine {
 public:
  virtual ~device_machine() = default;

  virtual const device_capabilities& capabilities() const = 0;
  /// What people call it; empty: it has no name.
  virtual const std::string& name() const {
    static const std::string none;
    return none;
  }
  /// Machines of one memory have the same, and take each other's tensors.
  virtual const void* memory() const { return this; }

  /// The device kernel `entry` of a text; a text that was loaded before is not compiled again.
  virtual device_function load(const std::string& text, const char* entry,
                               const device_use& use = {}) = 0;
  /// Starts f. `arguments` are the addresses of its arguments, which are read before this returns.
  virtual void launch(device_function f, const device_launch& how, void** arguments) = 0;

  /// Whether the vendor's library for products of large matrices is here; who asks first opens it.
  virtual bool has_library() { return false; }
  /// Starts products by it, one or more, together where they are several (select::library_joins)
  /// and it can. All that lies on the host is read before this returns.
  virtual void multiply(std::span<const library_call>, void* /*stream*/) {}

  /// Memory of the device, aligned to 256 bytes; nobody has written it.
  virtual void* allocate(std::size_t bytes) = 0;
  /// Gives it back when all that was started is done. Null is legal.
  virtual void release(void* memory) noexcept = 0;
  /// Memory of the host that does not move, for copies that the host does not wait for.
  virtual void* allocate_on_host(std::size_t bytes) = 0;
  /// Gives it back. Null is legal.
  virtual void release_on_host(void* memory) noexcept = 0;
  /// Copies to the device, from it, or within it, behind what is on the stream. Memory of the host
  /// that is not pinned is read before this returns.
  virtual void copy_in(void* to, const void* from, std::size_t bytes, void* stream) = 0;
  virtual void copy_out(void* to, const void* from, std::size_t bytes, void* stream) = 0;
  virtual void copy_within(void* to, const void* from, std::size_t bytes, void* stream) = 0;
  /// Returns when all that is on the stream is done.
  virtual void wait(void* stream) = 0;
  /// Whether what is put on the stream is captured for a graph, which runs it again with the same
  /// addresses.
  virtual bool is_captured(void* /*stream*/) { return false; }

  /// How products are cut here where that was found by timing. It is set before the first product.
  std::vector<device_tuning> tunings;
  /// Products and programs that ran here.
  ready_gemms products;
  ready_programs programs;
  /// Memory of this device: who implements one forgets it before it ends. Who holds a workspace may
  /// lock constants_mutex, and under both ask the machine, which locks what it has; never the other
  /// way round.
  stream_workspaces workspaces;
  /// Held while constants are copied and what reads them is launched: others may use the stream.
  std::mutex constants_mutex;
};

}  // namespace tenfold::cuda
