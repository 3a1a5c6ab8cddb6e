#pragma once

#include <batches.hpp>
#include <tenfold/backend/cuda/gemm.hpp>

namespace tenfold::testing {

/// The products of `p` that a device computes wrongly, against the reference; with beta 0 C is NaN
/// before.
template <class T>
index wrong_products(cuda::device_machine& on, product<T>& p) {
  p.c.put_back();
  const auto want = reference::gemm(p.shape, p.arguments);
  if (p.arguments.beta == T(0)) p.c.fill(not_a_number<T>());
  cuda::gemm(on, p.shape, p.arguments);
  return p.judge(want);
}

}  // namespace tenfold::testing
