#pragma once

#include <functional>

#include "contract/contraction.hpp"

namespace tenfold::bench {

#if __has_include(<unsupported/Eigen/CXX11/Tensor>) || \
    __has_include(<eigen3/unsupported/Eigen/CXX11/Tensor>)
inline constexpr bool has_eigen_tensor = true;
#else
inline constexpr bool has_eigen_tensor = false;
#endif

/// C := A B by Eigen's tensors; nothing where it is no matrix product, or for ranks that no case of
/// the suite has: they are known to the compiler.
std::function<void()> eigen_contraction(contraction_data<double>&);
std::function<void()> eigen_contraction(contraction_data<float>&);

}  // namespace tenfold::bench
