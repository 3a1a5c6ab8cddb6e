#pragma once

#include <tenfold/contraction/bind.hpp>
#include <tenfold/contraction/unroll.hpp>

/// The statements of a kernel + the shapes of its operands -> problem.
namespace tenfold {

/// Binds what `unroll` made of a kernel whose operands extents_of() found right; `shapes` by
/// operand of the kernel. Each input of the problem is one slice of an operand, seen through
/// labels.
template <limits L, int R>
constexpr bind_result<L> bind_kernel(const kernel& k, const unrolled_kernel<L>& unrolled,
                                     const operand_shape<R>* shapes) {
  operand_shape<R> inputs[L.operands];
  index offsets[L.operands] = {};
  const int count = unrolled.said.input_count;
  for (int o = 0; o < count; ++o) {
    const auto slice = slice_of(shapes[unrolled.inputs[o].operand], unrolled.inputs[o]);
    inputs[o] = slice.shape;
    offsets[o] = slice.offset;
  }
  bind_result<L> result =
      bind<L, R>(unrolled.said, unrolled.names, inputs, count, &shapes[k.output()]);
  for (int o = 0; o < count; ++o) result.value.inputs[o].offset = offsets[o];
  result.value.batch = unrolled.batch;
  return result;
}

}  // namespace tenfold
