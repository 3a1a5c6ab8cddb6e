#pragma once

#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "common/report.hpp"
#include "common/timing.hpp"
#include "gemm/batch.hpp"

namespace tenfold::bench {

/// The libraries that the user has; docs/peers.md says where they are looked for.
class gemm_peers {
 public:
  /// Opens them, each with one thread; the report is told which are there and which are not.
  explicit gemm_peers(report&);
  ~gemm_peers();

  /// Each library's ways to compute this batch. What they need besides lives as long as the
  /// candidates.
  template <class T>
  std::vector<candidate> candidates(const gemm_batch<T>&) const;

  /// One problem of double after the other: A (m, k), B (k, n), C (m, n), row-major.
  struct problem {
    int m, n, k;
    const double* a;
    const double* b;
    double* c;
  };
  /// The ways to compute problems of many sizes with beta = 0.
  std::vector<candidate> candidates(const std::vector<problem>&) const;

 private:
  struct libraries;
  std::unique_ptr<libraries> all_;
};

}  // namespace tenfold::bench
