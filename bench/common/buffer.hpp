#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <tenfold/tensor/allocation.hpp>

namespace tenfold::bench {

/// Memory as tensors have it, for the data of a case; the same data for every candidate.
template <class T>
class buffer {
 public:
  explicit buffer(std::size_t size) : data_(static_cast<index>(size)) {}

  T* data() { return data_.data(); }
  const T* data() const { return data_.data(); }
  std::size_t size() const { return static_cast<std::size_t>(data_.count()); }
  T& operator[](std::size_t i) { return data_.data()[i]; }
  const T& operator[](std::size_t i) const { return data_.data()[i]; }

  /// Numbers in [-1, 1) with |x| >= 1/16, the same in every run: never zero and never tiny, because
  /// time must not be taken on zeros or denormals.
  void fill(std::uint64_t seed) {
    for (std::size_t i = 0; i < size(); ++i) {
      std::uint64_t z = seed * 0x9e3779b97f4a7c15 + (i + 1) * 0xbf58476d1ce4e5b9;
      z = (z ^ (z >> 31)) * 0x94d049bb133111eb;
      z ^= z >> 29;
      const double magnitude = 0.0625 + 0.9375 * static_cast<double>(z >> 12) * 0x1p-52;
      data_.data()[i] = static_cast<T>((z & 1) != 0 ? magnitude : -magnitude);
    }
  }

  /// NaN everywhere, so that a result that was not written is seen.
  void poison() {
    for (std::size_t i = 0; i < size(); ++i) data_.data()[i] = std::numeric_limits<T>::quiet_NaN();
  }

 private:
  allocation<T> data_;
};

}  // namespace tenfold::bench
