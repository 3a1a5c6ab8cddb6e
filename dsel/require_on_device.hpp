#pragma once

#include <tenfold/dsel/run_time.hpp>

namespace tenfold::evaluating {

/// Whether X may stand in a call on a device: an operand in its memory, or no operand.
template <class X>
constexpr bool may_be_on_device() {
  if constexpr (tensor_like<X>) {
    return operand_traits_of<X>::space == device::cuda;
  } else {
    return !requires(const X& x) { run_time_operand_of(x); };  // a dynamic_tensor is the host's
  }
}

template <class... X>
constexpr void require_on_device() {
  static_assert((may_be_on_device<X>() && ...),
                "tenfold: every operand of a call on a device must lie in its memory: a "
                "device_tensor, or a view that in_memory_of marks");
}

/// Whether X may stand in an expression on a device: it has strides, or is no operand.
template <class X>
constexpr bool has_strides_on_device() {
  if constexpr (tensor_like<X>) {
    return operand_traits_of<X>::layout == batch_layout::strided;
  } else {
    return true;
  }
}

template <class... X>
constexpr void require_strides_on_device() {
  static_assert(
      (has_strides_on_device<X>() && ...),
      "tenfold: an operand of an expression on a device has strides: interleaved and "
      "gathered ones, and lists of addresses, are for gemm there, gathered ones for fused "
      "kernels, too");
}

/// Whether X may be an operand of a fused kernel on a device.
template <class X>
constexpr bool is_read_by_kernels_on_device() {
  if constexpr (tensor_like<X>) {
    return has_strides_on_device<X>() || operand_traits_of<X>::layout == batch_layout::gathered;
  } else {
    return true;
  }
}

template <class... X>
constexpr void require_kernel_operands_on_device() {
  static_assert((is_read_by_kernels_on_device<X>() && ...),
                "tenfold: an operand of a fused kernel on a device has strides or is gathered: "
                "interleaved ones, and lists of addresses, are for gemm there");
}

/// Subscripts that are a string give no type for a result on a device.
template <class... A>
constexpr void require_result_of_string() {
  static_assert(sizeof...(A) < 0,
                "tenfold: on a device the result of a string goes into a tensor that is there: "
                "einsum(\"...\", on(...), into(C), A, B)");
}

}  // namespace tenfold::evaluating
