#pragma once

#include <tenfold/tensor/operand_traits.hpp>

/// What may stand beside the operands of a call.
namespace tenfold {

/// The tensor or view that receives the result. Refers to it; lives for one call.
template <class Y>
struct destination {
  Y& tensor;
};

/// y = alpha * (expression) + beta * y
struct alpha_factor {
  double value;
};
struct beta_factor {
  double value;
};

/// Writes the result into `y` instead of returning a tensor. `y` may be any writable operand with
/// any non-zero strides; it must not overlap an input.
template <writable_tensor_like Y>
constexpr destination<Y> into(Y& y) {
  return {y};
}
template <writable_tensor_like Y>
  requires(!std::is_reference_v<Y>)
constexpr destination<Y> into(Y&& y) {
  return {y};
}

/// Scales the product. alpha(0) reads no operand.
constexpr alpha_factor alpha(double value) { return {value}; }

/// Keeps `value` times what the destination held. beta(0), the default, does not read it.
constexpr beta_factor beta(double value) { return {value}; }

}  // namespace tenfold
