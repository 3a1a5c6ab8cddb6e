#include <complex>
#include <cstdint>
#include <tenfold/backend/clear_entries.hpp>

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
void clear_entries(T* y, const entry_map& map, index count) {
  if (map.wide) {
    clear_one_by_one(y, static_cast<const std::int64_t*>(map.numbers), count);
  } else {
    clear_one_by_one(y, static_cast<const std::int32_t*>(map.numbers), count);
  }
}

template void clear_entries(float*, const entry_map&, index);
template void clear_entries(double*, const entry_map&, index);
template void clear_entries(std::complex<float>*, const entry_map&, index);
template void clear_entries(std::complex<double>*, const entry_map&, index);

}  // namespace tenfold
