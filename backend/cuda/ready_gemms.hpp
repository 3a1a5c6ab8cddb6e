#pragma once

#include <mutex>
#include <tenfold/backend/interface/device_gemm.hpp>
#include <tenfold/backend/interface/gemm.hpp>
#include <vector>

namespace tenfold::cuda {

/// A device kernel that is ready to run, as its machine knows it.
struct device_function {
  void* handle = nullptr;
  int registers = 0;          ///< of a thread; 0: its machine has none
  int spilled_bytes = 0;      ///< that found no register, written and read
  void* constants = nullptr;  ///< where its constants lie in the memory of the device
};

/// A batched product that is ready to run.
struct ready_gemm {
  gemm_shape shape;
  wide_maps wide;
  index few = 0;  ///< select::device_few
  gemm_alignment alignment;
  bool transposed = false;  ///< what runs is C^T := B^T A^T
  device_gemm cut;
  device_function function;
};

/// The last `room` products of one machine, so that a call chooses no cut and writes no text that
/// one of them has. May be asked from several threads at once.
class ready_gemms {
 public:
  static constexpr std::size_t room = 64;

  /// Whether the product of this shape is there; then it is in `found`.
  bool find(const gemm_shape& shape, const wide_maps& wide, index few,
            const gemm_alignment& alignment, ready_gemm& found) {
    const std::lock_guard lock(mutex_);
    for (const ready_gemm& one : kept_) {
      if (one.shape == shape && one.wide == wide && one.few == few && one.alignment == alignment) {
        found = one;
        return true;
      }
    }
    return false;
  }

  /// Takes the place of the oldest when all places are taken.
  void keep(const ready_gemm& one) {
    const std::lock_guard lock(mutex_);
    if (kept_.size() < room) {
      kept_.push_back(one);
    } else {
      kept_[oldest_] = one;
      oldest_ = (oldest_ + 1) % room;
    }
  }

 private:
  std::mutex mutex_;
  std::vector<ready_gemm> kept_;
  std::size_t oldest_ = 0;
};

}  // namespace tenfold::cuda
