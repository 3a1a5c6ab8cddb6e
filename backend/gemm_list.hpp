#pragma once

#include <tenfold/backend/interface/gemm.hpp>

namespace tenfold {

/// Several batched products in one run: call i has problems first[i] .. first[i + 1] - 1 of all.
/// `describe` tells of a call when it is reached. No result is gathered.
template <class T>
struct gemm_list {
  index call_count = 0;
  const index* first = nullptr;  ///< call_count + 1 numbers
  double flops = 0;              ///< of all
  const void* context = nullptr;
  void (*describe)(const void* context, index call, gemm_shape& shape,
                   gemm_arguments<T>& arguments) = nullptr;
};

}  // namespace tenfold
