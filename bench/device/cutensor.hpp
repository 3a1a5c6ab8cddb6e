#pragma once

#include <tenfold/device.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/module.hpp"
#include "common/report.hpp"

namespace tenfold::bench {

/// A row-major tensor in the memory of the device: a letter and an extent for each label.
template <class T>
struct labelled_tensor {
  std::string labels;
  std::vector<std::int64_t> extents;
  T* data;
};

/// cuTENSOR 2, opened while the program runs: what TENFOLD_CUTENSOR names, else libcutensor.so.2.
/// It computes as precisely as the type is (no TF32), by the kernel that its own model of the
/// device chooses. A plan is made before the pass is timed. A pass that it refuses, the plan of
/// one too, throws backend_error.
class cutensor {
 public:
  /// For work on the stream of `where`. The report says which file was opened, or that there is
  /// none.
  cutensor(report& out, const device_queue& where);

  explicit operator bool() const { return handle_ != nullptr; }

  /// A pass of c := a b, summed over the labels that c lacks: one call.
  template <class T>
  std::function<void()> contract(const labelled_tensor<const T>& a,
                                 const labelled_tensor<const T>& b,
                                 const labelled_tensor<T>& c) const;
  /// A pass of b := a in another order of labels.
  template <class T>
  std::function<void()> permute(const labelled_tensor<const T>& a,
                                const labelled_tensor<T>& b) const;
  /// A pass of b := a, summed over the labels that b lacks.
  template <class T>
  std::function<void()> sum(const labelled_tensor<const T>& a, const labelled_tensor<T>& b) const;

 private:
  using owned = std::shared_ptr<void>;
  struct functions;
  struct operation;
  /// Throws backend_error: that this call gave that status.
  void require(int status, const char* call) const;
  template <class T>
  owned tensor(const labelled_tensor<T>& x) const;
  /// The precision of T, as cuTENSOR names it.
  template <class T>
  void* precision() const;
  /// The plan of what `described` describes, and its workspace. `tensors` are kept with it.
  operation planned(void* described, std::vector<owned> tensors) const;

  device_queue where_;
  module library_;
  std::shared_ptr<const functions> call_;
  owned handle_;
};

}  // namespace tenfold::bench
