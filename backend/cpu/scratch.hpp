#pragma once

#include <cstddef>

namespace tenfold::cpu {

/// Scratch memory of the calling thread: 64-byte aligned, uninitialised, reused.
///
/// Blocks nest like a stack: the one taken last is given back first, by the same thread. A thread
/// keeps what it has once used, so that the same calls allocate nothing the second time, but never
/// more than `kept_bytes`: a block that does not fit into that is allocated and freed on its own.
/// Throws std::bad_alloc.
class scratch_block {
 public:
  static constexpr std::size_t alignment = 64;
  static constexpr std::size_t kept_bytes = std::size_t{16} << 20;

  explicit scratch_block(std::size_t bytes);
  ~scratch_block();
  scratch_block(const scratch_block&) = delete;
  scratch_block& operator=(const scratch_block&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }

  /// The block as uninitialised entries of T.
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }

  /// Memory that the calling thread keeps at present.
  static std::size_t kept_by_this_thread();

 private:
  std::byte* data_;
  std::size_t bytes_;
  int chunk_;   ///< where it lies in the thread's stack; -1: allocated on its own
  int before_ = 0;  ///< the chunk on top before
};

}  // namespace tenfold::cpu
