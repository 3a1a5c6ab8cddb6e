#pragma once

#include <tenfold/device.hpp>

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "common/report.hpp"
#include "common/timing.hpp"
#include "device/cublas.hpp"
#include "device/cutensor.hpp"
#include "device/device_copy.hpp"

namespace tenfold::bench {

/// What is run, and how it is known to be right.
struct device_case {
  std::string name;
  char scalar;
  const char* unit;                   ///< "GB/s", "GDoF/s", "GFLOP/s"
  double work;                        ///< of a pass: bytes, degrees of freedom, or operations
  double bytes;                       ///< that a pass must read and write
  double ahead = 1;                   ///< the aim: so many times the rate of cuBLAS and cuTENSOR
  double of_copy = 0.85;              ///< the aim: so much of the rate of a copy
  std::vector<candidate> candidates;  ///< Tenfold first
  std::function<void()> poison;       ///< NaN to the results that are looked at
  std::function<void(const std::string& candidate)> compare;  ///< ends the program if one is wrong
};

/// Runs cases on a GPU, beside copies, cuBLAS and cuTENSOR; on an emulated device it only looks
/// whether results are right.
class device_suite {
 public:
  /// A GPU: measures its copy.
  device_suite(report& out, const device_queue& where, std::string name);
  /// An emulated device.
  device_suite(report& out, const device_queue& where)
      : out_(out), where_(where), emulated_(true) {}

  const device_queue& where() const { return where_; }
  bool emulated() const { return emulated_; }
  /// Null on an emulated device, and where cuBLAS is missing.
  const cublas* peer() const { return peer_ && *peer_ ? &*peer_ : nullptr; }
  /// The same of cuTENSOR.
  const cutensor* tensor_peer() const {
    return tensor_peer_ && *tensor_peer_ ? &*tensor_peer_ : nullptr;
  }
  /// Whether the user wants it; says so on stderr.
  bool begins(const std::string& name, char scalar, bool quick);

  /// Bytes of the numbers that a case reads and writes: more than eight times the last-level cache
  /// of today's GPUs.
  std::size_t bytes() const { return emulated() ? std::size_t{1} << 20 : std::size_t{512} << 20; }
  /// As many problems as have so many bytes; few on an emulated device.
  std::ptrdiff_t problems(double bytes_of_problem) const;

  void run(device_case);

  /// Says which rows miss their aims, or that all checked results are right. The status of the
  /// program.
  int finish();

 private:
  void note_aims(const row&, const device_case&);

  report& out_;
  device_queue where_;
  bool emulated_ = false;
  std::optional<device_copy> copy_;
  candidate fastest_copy_;
  std::optional<cublas> peer_;
  std::optional<cutensor> tensor_peer_;
  int right_ = 0;
  std::string below_copy_, behind_peer_;
};

/// Those of `count` problems that are looked at: all of a few, else the first, the last, and some
/// between.
std::vector<std::ptrdiff_t> sampled_problems(std::ptrdiff_t count);

/// Some problems of `size` entries each, one after the other, that lie on a device.
template <class T>
class device_sample {
 public:
  device_sample(const device_queue& where, const T* there, std::ptrdiff_t size,
                std::vector<std::ptrdiff_t> problems)
      : where_(where),
        there_(there),
        size_(static_cast<std::size_t>(size)),
        problems_(std::move(problems)),
        here_(size_ * problems_.size()) {}

  /// What lies there, one problem after the other.
  const std::vector<T>& fetch() {
    each([&](T* here, const T* there) {
      where_.machine->copy_out(here, there, size_ * sizeof(T), where_.stream);
    });
    return here_;
  }
  /// NaN there. The memory is that of a result.
  void poison() {
    here_.assign(here_.size(), std::numeric_limits<T>::quiet_NaN());
    each([&](T* here, const T* there) {
      where_.machine->copy_in(const_cast<T*>(there), here, size_ * sizeof(T), where_.stream);
    });
  }

 private:
  template <class F>
  void each(F f) {
    for (std::size_t i = 0; i < problems_.size(); ++i)
      f(here_.data() + i * size_, there_ + problems_[i] * static_cast<std::ptrdiff_t>(size_));
    where_.wait();
  }

  device_queue where_;
  const T* there_;
  std::size_t size_;
  std::vector<std::ptrdiff_t> problems_;
  std::vector<T> here_;
};

/// Numbers in the memory of a device that cases read: filled once, then handed out in pieces.
template <class T>
class device_numbers {
 public:
  device_numbers(const device_queue& where, std::size_t bytes);

  /// From the front again.
  void restart() { taken_ = 0; }
  /// The next `count`, aligned as an allocation is.
  const T* take(std::ptrdiff_t count);

 private:
  device_tensor<T, dyn> all_;
  std::ptrdiff_t taken_ = 0;
};

extern template class device_numbers<double>;
extern template class device_numbers<float>;

}  // namespace tenfold::bench
