#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <tenfold/backend/cpu/transpose.hpp>
#include <vector>

using namespace tenfold::cpu;
using tenfold::epilogue;

namespace {

template <class T>
constexpr T guard = T(-12345.5);

/// Exactly `n` entries on the heap, so that the address sanitizer sees any access outside.
template <class T>
struct exact {
  std::unique_ptr<T[]> entries;
  std::size_t n;
  explicit exact(tenfold::index size, T value = guard<T>)
      : entries(new T[static_cast<std::size_t>(size)]), n(static_cast<std::size_t>(size)) {
    for (std::size_t i = 0; i < n; ++i) entries[i] = value;
  }
  T& operator[](tenfold::index i) { return entries[static_cast<std::size_t>(i)]; }
  T* data() { return entries.get(); }
};

template <class T>
T numbered(tenfold::index x, int lane) {
  return static_cast<T>(x * 32 + lane + 1) / T(4);
}

struct shape {
  tenfold::index n, x_stride, lane_stride;
  int count;

  tenfold::index size() const {
    return n == 0 || count == 0 ? 0 : (n - 1) * x_stride + (count - 1) * lane_stride + 1;
  }
};

template <class T>
void check_pack(shape s) {
  constexpr int w = lanes<T>;
  exact<T> x(s.size(), std::numeric_limits<T>::quiet_NaN());
  for (tenfold::index i = 0; i < s.n; ++i)
    for (int l = 0; l < s.count; ++l) x[i * s.x_stride + l * s.lane_stride] = numbered<T>(i, l);
  exact<T> packed(s.n * w);
  pack(packed.data(), x.data(), s.n, {s.x_stride, s.lane_stride}, s.count);
  int wrong = 0;
  for (tenfold::index i = 0; i < s.n; ++i)
    for (int l = 0; l < w; ++l)
      if (packed[i * w + l] != (l < s.count ? numbered<T>(i, l) : T(0))) ++wrong;
  CAPTURE(s.n);
  CAPTURE(s.count);
  CHECK(wrong == 0);
}

template <class T, epilogue Finish>
void check_unpack(shape s, T alpha, T beta) {
  constexpr int w = lanes<T>;
  exact<T> packed(s.n * w, std::numeric_limits<T>::quiet_NaN());
  exact<T> y(s.size());
  exact<T> want(s.size());
  const bool reads = Finish == epilogue::update && beta != T(0);
  for (tenfold::index i = 0; i < s.n; ++i)
    for (int l = 0; l < s.count; ++l) {
      const tenfold::index at = i * s.x_stride + l * s.lane_stride;
      packed[i * w + l] = numbered<T>(i, l);
      y[at] = reads ? T(3) * numbered<T>(i, l) + T(1) : std::numeric_limits<T>::quiet_NaN();
      want[at] = (Finish == epilogue::update ? alpha : T(1)) * numbered<T>(i, l) +
                 (reads ? beta * y[at] : T(0));
    }
  unpack<T, Finish>(y.data(), packed.data(), s.n, {s.x_stride, s.lane_stride}, s.count, alpha,
                    beta);
  int wrong = 0;
  for (tenfold::index i = 0; i < s.size(); ++i)
    if (!(y[i] == want[i])) ++wrong;
  CAPTURE(s.n);
  CAPTURE(s.count);
  CHECK(wrong == 0);
}

/// All lengths around whole blocks, all lane counts, runs that touch, that have gaps, that are
/// themselves strided, and lanes that lie innermost or backwards in memory.
template <class T>
void check_all() {
  constexpr int w = lanes<T>;
  for (tenfold::index n = 0; n <= 3 * w + 1; ++n)
    for (int count = 1; count <= w; count += (count < w - 1 && w > 8) ? 3 : 1) {
      const shape shapes[] = {
          {n, 1, n, count}, {n, 1, n + 3, count}, {n, 2, 2 * n + 1, count}, {n, w, 1, count}};
      for (const shape& s : shapes) {
        check_pack<T>(s);
        check_unpack<T, epilogue::overwrite>(s, 1, 0);
        check_unpack<T, epilogue::update>(s, T(-2), 0);
        check_unpack<T, epilogue::update>(s, T(0.5), T(1));
        check_unpack<T, epilogue::update>(s, T(1), T(-2));
      }
      check_pack<T>({n, 1, n, w});
    }
}

}  // namespace

TEST_CASE("pack and unpack move every entry and touch no other, double") { check_all<double>(); }

TEST_CASE("pack and unpack move every entry and touch no other, float") { check_all<float>(); }

TEST_CASE("unpack undoes pack when the lanes lie backwards") {
  constexpr int w = lanes<double>;
  constexpr tenfold::index n = 2 * w + 3;
  std::vector<double> x(n * w), y(n * w, guard<double>), s(n * w);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  pack(s.data(), x.data() + (w - 1) * n, n, {1, -n}, w);
  CHECK(s[0] == x[(w - 1) * n]);
  unpack<double, epilogue::overwrite>(y.data() + (w - 1) * n, s.data(), n, {1, -n}, w);
  CHECK(x == y);
}

TEST_CASE("unpack rounds the same way in every lane, whatever the length and the lane count") {
  constexpr int w = lanes<double>;
  constexpr tenfold::index n = 2 * w;
  const double alpha = 1.0 / 3, beta = 1.0 / 7;
  std::vector<double> s(n * w), old(n * w);
  for (std::size_t i = 0; i < s.size(); ++i) {
    s[i] = 1.0 / static_cast<double>(i + 3);
    old[i] = std::sqrt(static_cast<double>(i + 2));
  }
  auto whole = old;
  unpack<double, epilogue::update>(whole.data(), s.data(), n, {1, n}, w, alpha, beta);
  for (int count = 1; count <= w; ++count)
    for (tenfold::index part = 1; part <= n; ++part) {
      auto y = old;
      unpack<double, epilogue::update>(y.data(), s.data(), part, {1, n}, count, alpha, beta);
      int wrong = 0;
      for (tenfold::index i = 0; i < part; ++i)
        for (int l = 0; l < count; ++l)
          if (y[static_cast<std::size_t>(i + l * n)] != whole[static_cast<std::size_t>(i + l * n)])
            ++wrong;
      CHECK(wrong == 0);
    }
}
