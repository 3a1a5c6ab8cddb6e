#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <tenfold/backend/cpu/panels.hpp>
#include <vector>

// Operands as panels: every lane at every contracted value, wherever its entry lies.

namespace tenfold::testing {
namespace {

/// Columns (x, y, z), of which B[z][x][k][y] has neighbours along y: `count` of them from `first`
/// on, in panels of W lanes; `pads`: each run of z begins one.
template <class T, int W>
void check_panels(index x, index y, index z, index first, index count, bool pads = false) {
  CAPTURE(pads);
  CAPTURE(x);
  CAPTURE(y);
  CAPTURE(z);
  CAPTURE(first);
  CAPTURE(W);
  constexpr index sums = 3;
  std::vector<index> lane_at, k_at;
  for (index i = 0; i < x * y * z; ++i)
    lane_at.push_back((i % z * x + i / z / y) * sums * y + i / z % y);
  for (index k = 0; k < sums; ++k) k_at.push_back(k * y);
  std::vector<T> b(static_cast<std::size_t>(x * y * z * sums));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = T(static_cast<real_type<T>>(i + 1));
  count = std::min(count, x * y * z - first);

  std::vector<index> places(lane_at.begin() + first, lane_at.begin() + first + count);
  if (pads) {
    const cpu::padded_runs<W> padded{z, std::min(z - first % z, count)};
    places.resize(static_cast<std::size_t>(padded.places(count)));
    padded.spread(places.data(), count);
    for (index i = 0; i < count; ++i)
      CHECK(places[static_cast<std::size_t>(padded(i))] ==
            lane_at[static_cast<std::size_t>(first + i)]);
    count = padded.places(count);
    z = padded.whole(z);
  }
  const index panels = (count + W - 1) / W;
  std::vector<T> to(static_cast<std::size_t>(panels * W * sums), T(-1));
  const index* const lanes = places.data();
  cpu::packing<T, W, false, T>(to.data(), b.data(), lanes, count, k_at.data(), sums,
                               cpu::neighbours_apart{z, 0})
      .run();
  bool same = true;
  for (index lane = 0; lane < panels * W; ++lane)
    for (index k = 0; k < sums; ++k) {
      const T entry = lane < count ? b[static_cast<std::size_t>(lanes[lane] + k * y)] : T(0);
      const index at = (lane / W * sums + k) * W + lane % W;
      same = same && to[static_cast<std::size_t>(at)] == entry;
    }
  CHECK(same);
}

}  // namespace

TEST_CASE_TEMPLATE("panels of columns in runs, with neighbours apart, have every entry", T, float,
                   double, std::complex<float>, std::complex<double>) {
  constexpr int W = cpu::lanes<T>;
  for (const index x : {1, 3})
    for (const index y : {1, 6, 17, 19, 32})
      for (const index z : {5, 12, 20, 24, 32}) {
        check_panels<T, W>(x, y, z, 0, x * y * z);
        check_panels<T, W>(x, y, z, 0, 10 * z + 1);
        check_panels<T, W>(x, y, z, std::min<index>(7, x * y * z - 1), 131);
        check_panels<T, W>(x, y, z, 0, x * y * z, true);
        check_panels<T, W>(x, y, z, std::min<index>(7, x * y * z - 1), 131, true);
      }
}

}  // namespace tenfold::testing
