#include <algorithm>
#include <tenfold/backend/overlap.hpp>
#include <tenfold/dsel/run_time.hpp>

namespace tenfold {

namespace {

memory_extent extent_of(const operand_shape<max_rank>& shape, const void* data) {
  memory_extent extent(data, static_cast<index>(bytes_of(shape.type)));
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.rank); ++i)
    extent.repeat(shape.extents[i], shape.strides[i]);
  return extent;
}

}  // namespace

bool lacks_memory(const operand_shape<max_rank>& shape, const void* data) {
  return data == nullptr && std::all_of(shape.extents.begin(), shape.extents.begin() + shape.rank,
                                        [](index n) { return n > 0; });
}

bool are_disjoint(const run_time_operand& input, const operand_shape<max_rank>& y_shape,
                  const void* y) {
  return !may_overlap(extent_of(input.shape, input.data), extent_of(y_shape, y));
}

void check_addresses(std::string_view text, const run_time_operand* inputs, int count,
                     const operand_shape<max_rank>* y_shape, const void* y) {
  for (int o = 0; o < count; ++o) {
    if (lacks_memory(inputs[o].shape, inputs[o].data))
      throw_diagnostic({diagnosis::null_operand, -1, 0, {o}}, text);
  }
  if (y_shape == nullptr) return;
  if (lacks_memory(*y_shape, y)) throw_diagnostic({diagnosis::null_output}, text);
  const memory_extent result = extent_of(*y_shape, y);
  for (int o = 0; o < count; ++o) {
    if (may_overlap(extent_of(inputs[o].shape, inputs[o].data), result))
      throw_diagnostic({diagnosis::overlap, -1, 0, {o}}, text);
  }
}

}  // namespace tenfold
