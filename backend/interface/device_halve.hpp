#pragma once

#include <tenfold/tensor/reflection_kind.hpp>

/// The halves of a matrix that is symmetric under reflection, made on a GPU: device code reads this
/// header too, so it includes nothing of the standard library.
namespace tenfold {

/// Threads of the one block.
inline constexpr int device_halve_threads = 256;

/// The one argument of the device kernel: A[m][k] at m row + k column from `from`; the halves go to
/// a dense matrix of the same size. All addresses are the device's.
template <class T>
struct device_halve_arguments {
  const T* from = nullptr;
  T* to = nullptr;
  long long rows = 0, columns = 0, row = 0, column = 0;
  reflection kind = reflection::even;
};

}  // namespace tenfold
