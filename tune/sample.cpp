#include "sample.hpp"

namespace tenfold::tune {

std::vector<sample> samples_of(const size_class& c) {
  constexpr index orders[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10,  11,  12,  13, 14,
                              15, 16, 17, 18, 19, 20, 21, 22, 23, 24,  25,  26,  27, 28,
                              29, 30, 31, 32, 40, 48, 64, 80, 96, 128, 160, 192, 256};
  std::vector<sample> all;
  const auto offer = [&](sample s) {
    if (class_of(shape_of(s, c)) == c) all.push_back(s);
  };
  for (const index n : orders) {
    // Up to a vector or two each order counts; above, ends and middles of vectors.
    const bool screened = n <= 9 || n == 12 || n == 16 || n == 17 || n == 20 || n == 24 ||
                          n == 28 || (n >= 32 && n <= 128);
    offer({n, n, n, false, place::cache, screened});
  }
  for (index p = 2; p <= 9; ++p) {
    for (index q = p + 1; q <= p + 2; ++q) {
      offer({q, p * p, p, true, place::cache, p % 3 == 2 && q == p + 1});
      offer({q * q, q, p, true, place::cache, false});
    }
  }
  for (const index n : {2, 4, 6, 8, 12, 16, 24, 32, 48, 64})
    offer({n, n, n, false, place::memory, true});
  for (const index n : {2, 4, 6, 8, 12, 16, 24, 32, 48}) offer({n, n, n, false, place::l3, true});
  for (const index n : {2, 4, 8, 16, 32, 64}) offer({n, n, n, false, place::threads, true});
  for (const index n : fixed_orders) offer({n, n, n, false, place::fixed, true});
  return all;
}

}  // namespace tenfold::tune
