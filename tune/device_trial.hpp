#pragma once

#include <cstddef>
#include <memory>
#include <tenfold/backend/cuda/device_tensor.hpp>
#include <tenfold/backend/cuda/ready_gemms.hpp>
#include <tenfold/backend/interface/device_tuning.hpp>

namespace tenfold::tune {

/// Row-major matrices one after the other, or one for all.
gemm_shape shape_of(const tuned_product&);

/// Memory of a device that trials share: numbers that products read, and room for results.
class device_arena {
 public:
  /// A and B, and C, have up to so many bytes each. Throws backend_error.
  device_arena(const device_queue& where, std::size_t bytes);

  const device_queue& where() const { return where_; }
  std::size_t bytes() const { return bytes_; }
  /// Numbers with 1/16 <= |x| < 1, of a real scalar; the same in every run.
  template <class R>
  const R* numbers();
  void* results() { return results_.data(); }

 private:
  device_queue where_;
  std::size_t bytes_;
  device_tensor<double, dyn> numbers_, results_;
  scalar filled_ = scalar::c32;  ///< the real scalar of the numbers; c32: none yet
};

/// A product with its data on a device: what is timed and what is checked.
class device_trial {
 public:
  virtual ~device_trial() = default;

  /// Starts one pass over the batch.
  virtual void run(const cuda::ready_gemm&) = 0;

  /// Whether all results of a small batch are those of the reference, by
  /// |result - value| <= 2 (k + 2) eps |A| |B|.
  virtual bool is_right(const cuda::ready_gemm&) = 0;

  /// Whether results of the whole batch are right: some of the first, middle and last problems by
  /// the reference, and all are those by another cut, within twice the error that entries in
  /// [-1, 1) allow.
  virtual bool agrees(const cuda::ready_gemm&, const cuda::ready_gemm& with) = 0;

  /// Of all matrices of the batch, once.
  virtual double bytes() const = 0;
};

/// As many problems as fit into the arena.
std::unique_ptr<device_trial> make_device_trial(const tuned_product&, device_arena&);

}  // namespace tenfold::tune
