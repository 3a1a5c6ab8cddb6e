#pragma once

#include <tenfold/backend/cuda/device_machine.hpp>
#include <vector>

namespace tenfold::testing {

/// Some values of the host in the memory of a device, for as long as this lives.
template <class T>
class copy_there {
 public:
  copy_there(cuda::device_machine& on, const T* values, std::size_t count)
      : on_(on), bytes_(count * sizeof(T)), memory_(on.allocate(bytes_)) {
    if (bytes_ > 0) on.copy_in(memory_, values, bytes_, nullptr);
  }
  copy_there(cuda::device_machine& on, const std::vector<T>& values)
      : copy_there(on, values.data(), values.size()) {}
  ~copy_there() { on_.release(memory_); }
  copy_there(const copy_there&) = delete;

  T* data() const { return static_cast<T*>(memory_); }
  void copy_back(T* to) const {
    if (bytes_ > 0) on_.copy_out(to, memory_, bytes_, nullptr);
    on_.wait(nullptr);
  }
  std::vector<T> values() const {
    std::vector<T> all(bytes_ / sizeof(T));
    copy_back(all.data());
    return all;
  }

 private:
  cuda::device_machine& on_;
  std::size_t bytes_;
  void* memory_;
};

}  // namespace tenfold::testing
