#pragma once

#include <tenfold/device.hpp>

#include <functional>
#include <memory>
#include <vector>

#include "common/module.hpp"
#include "common/report.hpp"
#include "gemm/batch.hpp"

namespace tenfold::bench {

/// cuBLAS, opened while the program runs: what TENFOLD_CUBLAS names, else libcublas.so.13 or .12.
/// Its matrices are column-major, so it computes C^T = B^T A^T. A pass that it refuses throws
/// backend_error.
class cublas {
 public:
  /// For work on the stream of `where`. The report says which file was opened, or that there is
  /// none.
  cublas(report& out, const device_queue& where);

  explicit operator bool() const { return handle_ != nullptr; }

  /// A pass of C(b) := A(b) B(b), strided matrices in the memory of the device: one call. Empty
  /// where there is no such function.
  template <class T>
  std::function<void()> strided(const gemm_batch<T>&) const;
  /// The same by groups of addresses, one for each batch.
  template <class T>
  std::function<void()> grouped(const std::vector<gemm_batch<T>>&) const;

 private:
  /// cublas, `letter`, `name`.
  template <class Function>
  Function* find(char letter, const char* name) const;

  device_queue where_;
  module library_;
  std::shared_ptr<void> handle_;
};

}  // namespace tenfold::bench
