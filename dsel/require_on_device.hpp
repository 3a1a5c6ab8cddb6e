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

}  // namespace tenfold::evaluating
