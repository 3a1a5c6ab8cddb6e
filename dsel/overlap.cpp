#include <cstdint>
#include <numeric>
#include <tenfold/dsel/run_time.hpp>

namespace tenfold {

namespace {

/// Where the entries of a strided operand lie, in bytes: its axes that move, longest steps first.
struct extent_in_memory {
  struct axis {
    index step, extent;
  };
  axis axes[max_rank];
  int count = 0;
  index reach = 0;   ///< from the first to the last entry
  index before = 0;  ///< from the first entry to entry (0, 0, ...)
  bool empty = false;

  explicit extent_in_memory(const operand_shape<max_rank>& shape) {
    const auto size = static_cast<index>(bytes_of(shape.type));
    for (std::size_t i = 0; i < static_cast<std::size_t>(shape.rank); ++i) {
      const index extent = shape.extents[i], stride = shape.strides[i] * size;
      empty = empty || extent == 0;
      if (extent < 2 || stride == 0) continue;
      const index step = stride < 0 ? -stride : stride;
      reach += (extent - 1) * step;
      if (stride < 0) before += (extent - 1) * step;
      int at = count++;
      for (; at > 0 && step > axes[at - 1].step; --at) axes[at] = axes[at - 1];
      axes[at] = {step, extent};
    }
  }
};

/// Whether two strided operands may share an address: no where a cheap proof exists, else yes.
///
/// The proof: let g be the greatest common divisor of the steps not shorter than some s. Modulo g
/// these axes stand still, and each operand stays in a window that its shorter steps reach. If the
/// windows are disjoint modulo g, so are the operands. With the shortest s this is the proof by
/// divisibility, with a longer one that of nested strides (two ranges of columns of one matrix);
/// before any step the windows are the ranges of addresses.
bool may_overlap(const operand_shape<max_rank>& x_shape, const void* x_data,
                 const operand_shape<max_rank>& y_shape, const void* y_data) {
  const extent_in_memory x(x_shape), y(y_shape);
  if (x.empty || y.empty) return false;
  index window_x = x.reach + static_cast<index>(bytes_of(x_shape.type));
  index window_y = y.reach + static_cast<index>(bytes_of(y_shape.type));
  const index d = static_cast<index>(reinterpret_cast<std::intptr_t>(x_data) - x.before -
                                     (reinterpret_cast<std::intptr_t>(y_data) - y.before));
  if (d >= window_y || -d >= window_x) return false;
  index g = 0;
  for (int i = 0, j = 0; i < x.count || j < y.count;) {
    const bool of_x = j == y.count || (i < x.count && x.axes[i].step >= y.axes[j].step);
    const auto& next = of_x ? x.axes[i++] : y.axes[j++];
    g = std::gcd(g, next.step);
    (of_x ? window_x : window_y) -= (next.extent - 1) * next.step;
    const index r = (d % g + g) % g;
    if (r >= window_y && r + window_x <= g) return false;
  }
  return true;
}

}  // namespace

void require_disjoint(std::string_view text, const run_time_operand* inputs, int count,
                      const operand_shape<max_rank>& y_shape, const void* y) {
  for (int o = 0; o < count; ++o) {
    if (may_overlap(inputs[o].shape, inputs[o].data, y_shape, y)) {
      throw_diagnostic({diagnosis::overlap, -1, 0, {o}}, text);
    }
  }
}

}  // namespace tenfold
