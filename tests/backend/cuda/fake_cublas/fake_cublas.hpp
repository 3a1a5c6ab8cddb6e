#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// A library with the functions of cuBLAS that tenfold::cuda::cublas uses. It multiplies by plain
/// loops in the memory of the host, which is that of the fake driver's device, and writes down what
/// it is asked. As with the real one, a stream takes the workspace from a handle. Compiled with
/// TENFOLD_OLD_CUBLAS it is one before CUDA 12.5, that knows no groups.
namespace tenfold::testing {

struct fake_product {
  std::string function;
  int op_a = 0, op_b = 0;
  long long m = 0, n = 0, k = 0, lda = 0, ldb = 0, ldc = 0;
  long long step_a = 0, step_b = 0, step_c = 0;  ///< 0: addresses are in lists
  long long count = 0;
  void* stream = nullptr;
  void* workspace = nullptr;
  int call = 0;  ///< of one call with several groups they are several products
};

struct fake_cublas_state {
  const int* contexts = nullptr;  ///< those that are current: calls fail where there is none
  int refused_handles = 0;        ///< so many to come
  int refused_products = 0;
  int made = 0;     ///< handles
  int handles = 0;  ///< that were not destroyed
  int calls = 0;    ///< that multiplied
  void* stream = nullptr;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  std::vector<fake_product> products;
};

}  // namespace tenfold::testing

/// The library's state, looked up by name.
extern "C" tenfold::testing::fake_cublas_state* tenfold_fake_cublas_state();
