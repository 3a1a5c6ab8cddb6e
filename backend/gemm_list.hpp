#pragma once

#include <cstdint>
#include <tenfold/backend/interface/gemm.hpp>

namespace tenfold {

/// Runs of problems of several kinds in one call: run i has problems first[i] .. first[i + 1] - 1
/// of all, which are of kind kinds[i]. No result is gathered.
template <class T>
struct gemm_list {
  index run_count = 0;
  const index* first = nullptr;         ///< run_count + 1 numbers
  const std::int32_t* kinds = nullptr;  ///< of each run
  index kind_count = 0;
  const gemm_shape* shapes = nullptr;  ///< by kind
  const T *alpha = nullptr, *beta = nullptr;
  /// The addresses of all problems; where a kind has k = 0, those of A and B are not read.
  const T* const* a = nullptr;
  const T* const* b = nullptr;
  T* const* c = nullptr;
  double flops = 0;  ///< of all
};

}  // namespace tenfold
