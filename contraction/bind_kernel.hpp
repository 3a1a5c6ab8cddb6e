#pragma once

#include <tenfold/contraction/bind.hpp>
#include <tenfold/contraction/unroll.hpp>

/// The statements of a kernel + the shapes of its operands -> problem.
namespace tenfold {

/// Binds what `unroll` made of a kernel whose operands extents_of() found right; `shapes` by
/// operand of the kernel, `extents` by its labels. Each input of the problem is one slice of an
/// operand, seen through labels.
template <limits L, int R>
constexpr bind_result<L> bind_kernel(const kernel& k, const unrolled_kernel<L>& unrolled,
                                     const operand_shape<R>* shapes, const index* extents) {
  operand_shape<R> inputs[L.operands];
  index offsets[L.operands] = {};
  const int count = unrolled.said.input_count;
  for (int o = 0; o < count; ++o) {
    const auto slice = slice_of(shapes[unrolled.inputs[o].operand], unrolled.inputs[o]);
    inputs[o] = slice.shape;
    inputs[o].layout = batch_layout::strided;  // strides of the map, where there is one
    offsets[o] = slice.offset;
  }
  operand_shape<R> output = shapes[k.output()];
  output.layout = batch_layout::strided;
  bind_result<L> result = bind<L, R>(unrolled.said, unrolled.names, inputs, count, &output);
  problem<L>& p = result.value;
  for (int o = 0; o < count; ++o) {
    p.inputs[o].offset = offsets[o];
    p.inputs[o].layout = shapes[unrolled.inputs[o].operand].layout;
    for (int before = 0; before < o && p.same[o] == o; ++before) {
      if (unrolled.inputs[before].reads_as(unrolled.inputs[o])) {
        p.same[o] = static_cast<std::uint8_t>(before);
      }
    }
  }
  p.output.layout = shapes[k.output()].layout;
  // A label that locals alone have is told by no input.
  for (int l = 0; l < p.label_count; ++l) {
    p.extent[l] = extents[unrolled.label[l]];
  }
  p.batch = unrolled.batch;
  return result;
}

}  // namespace tenfold
