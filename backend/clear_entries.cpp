#include <algorithm>
#include <complex>
#include <cstdint>
#include <tenfold/backend/clear_entries.hpp>
#include <tenfold/backend/cpu/parallel.hpp>
#include <tenfold/backend/interface/select.hpp>
#include <tenfold/tensor/scatter_order.hpp>

namespace tenfold {

namespace {

template <class T, class I>
void clear_one_by_one(T* y, const I* map, index count) {
  for (index x = 0; x < count; ++x) {
    if (map[x] >= 0) y[map[x]] = T(0);
  }
}

}  // namespace

template <class T>
void clear_entries(T* y, const entry_map& map, index count, const scatter_order* order) {
  if (order != nullptr) {
    for (const scatter_order::range& r : order->entries()) {
      cpu::parallel_tiles(r.end - r.begin, select::cleared_entries, [&](index begin, index end) {
        std::fill(y + r.begin + begin, y + r.begin + end, T(0));
      });
    }
  } else if (map.wide) {
    clear_one_by_one(y, static_cast<const std::int64_t*>(map.numbers), count);
  } else {
    clear_one_by_one(y, static_cast<const std::int32_t*>(map.numbers), count);
  }
}

template void clear_entries(float*, const entry_map&, index, const scatter_order*);
template void clear_entries(double*, const entry_map&, index, const scatter_order*);
template void clear_entries(std::complex<float>*, const entry_map&, index, const scatter_order*);
template void clear_entries(std::complex<double>*, const entry_map&, index, const scatter_order*);

}  // namespace tenfold
