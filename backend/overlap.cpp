#include <cstdint>
#include <numeric>
#include <tenfold/backend/overlap.hpp>

namespace tenfold {

void memory_extent::repeat(index extent, index step) {
  empty_ = empty_ || extent == 0;
  if (extent < 2) return;
  if (step == 0) {
    stands_ = true;
    return;
  }
  const index length = step < 0 ? -step : step;
  reach_ += (extent - 1) * length;
  if (step < 0) before_ += (extent - 1) * length;
  int at = count_++;
  for (; at > 0 && length > axes_[at - 1].step; --at) axes_[at] = axes_[at - 1];
  axes_[at] = {length, extent};
}

bool memory_extent::entries_apart() const {
  if (empty_) return true;
  if (stands_) return false;
  index reach = entry_;
  for (int i = count_ - 1; i >= 0; --i) {
    if (axes_[i].step < reach) return false;
    reach += (axes_[i].extent - 1) * axes_[i].step;
  }
  return true;
}

bool may_overlap(const memory_extent& x, const memory_extent& y) {
  if (x.empty_ || y.empty_) return false;
  index window_x = x.reach_ + x.entry_, window_y = y.reach_ + y.entry_;
  const index d = static_cast<index>(reinterpret_cast<std::intptr_t>(x.data_) - x.before_ -
                                     (reinterpret_cast<std::intptr_t>(y.data_) - y.before_));
  if (d >= window_y || -d >= window_x) return false;
  index g = 0;
  for (int i = 0, j = 0; i < x.count_ || j < y.count_;) {
    const bool of_x = j == y.count_ || (i < x.count_ && x.axes_[i].step >= y.axes_[j].step);
    const auto& next = of_x ? x.axes_[i++] : y.axes_[j++];
    g = std::gcd(g, next.step);
    (of_x ? window_x : window_y) -= (next.extent - 1) * next.step;
    const index r = (d % g + g) % g;
    if (r >= window_y && r + window_x <= g) return false;
  }
  return true;
}

}  // namespace tenfold
