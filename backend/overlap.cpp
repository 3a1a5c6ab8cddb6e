#include <cstdint>
#include <numeric>
#include <tenfold/backend/overlap.hpp>
#include <tenfold/tensor/entries_apart.hpp>

namespace tenfold {

void memory_extent::repeat(index extent, index stride) {
  empty_ = empty_ || extent == 0;
  if (extent < 2) return;
  if (stride == 0) {
    stands_ = true;
    return;
  }
  const index step = (stride < 0 ? -stride : stride) * entry_;
  reach_ += (extent - 1) * step;
  if (stride < 0) before_ += (extent - 1) * step;
  int at = count_++;
  for (; at > 0 && step > steps_[at - 1]; --at) {
    steps_[at] = steps_[at - 1];
    extents_[at] = extents_[at - 1];
  }
  steps_[at] = step;
  extents_[at] = extent;
}

bool memory_extent::entries_apart() const {
  return empty_ || (!stands_ && tenfold::entries_apart(extents_, steps_, count_, entry_));
}

bool may_overlap(const memory_extent& x, const memory_extent& y) {
  if (x.empty_ || y.empty_) return false;
  index window_x = x.reach_ + x.entry_, window_y = y.reach_ + y.entry_;
  const index d = static_cast<index>(reinterpret_cast<std::intptr_t>(x.data_) - x.before_ -
                                     (reinterpret_cast<std::intptr_t>(y.data_) - y.before_));
  if (d >= window_y || -d >= window_x) return false;
  index g = 0;
  for (int i = 0, j = 0; i < x.count_ || j < y.count_;) {
    const bool of_x = j == y.count_ || (i < x.count_ && x.steps_[i] >= y.steps_[j]);
    const memory_extent& next = of_x ? x : y;
    const int axis = of_x ? i++ : j++;
    g = std::gcd(g, next.steps_[axis]);
    (of_x ? window_x : window_y) -= (next.extents_[axis] - 1) * next.steps_[axis];
    const index r = (d % g + g) % g;
    if (r >= window_y && r + window_x <= g) return false;
  }
  return true;
}

}  // namespace tenfold
