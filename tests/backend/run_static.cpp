#include <doctest/doctest.h>

#include <complex>
#include <tenfold/backend/cpu/run_static.hpp>
#include <vector>

#include "numbers.hpp"
#include "programs.hpp"

// Programs that are constants. Small integers: every result is exact. Programs that the planner
// makes are run in tests/dsel and tests/fuzz.

namespace tenfold {
namespace {

using testing::conjugate;
using testing::integers;
using testing::not_a_number;
using testing::number;

template <class T, index M, index K, index N>
struct in_place {
  static constexpr auto value = testing::product_in_place(scalar_of<T>, M, K, N, cpu::lanes<T>);
};

template <class T>
void check_in_place() {
  constexpr index m = 5, k = 7, n = 2 * cpu::lanes<T>;
  const auto a = integers<T>(m * k, 1), b = integers<T>(k * n, 2), before = integers<T>(m * n, 3);
  const void* const inputs[] = {a.data(), b.data()};
  const T alpha = number<T>(2, 1), beta = number<T>(-1, 3);
  std::vector<T> plain(m * n, not_a_number<T>()), scaled = before;
  cpu::run_static<in_place<T, m, k, n>, false>(program_arguments<T>{inputs, plain.data()});
  cpu::run_static<in_place<T, m, k, n>, true>(
      program_arguments<T>{inputs, scaled.data(), nullptr, alpha, beta});
  index wrong = 0;
  for (index i = 0; i < m; ++i) {
    for (index e = 0; e < n; ++e) {
      T sum = 0;
      for (index j = 0; j < k; ++j) {
        sum += a[static_cast<std::size_t>(i * k + j)] * b[static_cast<std::size_t>(j * n + e)];
      }
      const auto at = static_cast<std::size_t>(i * n + e);
      wrong += plain[at] != sum;
      wrong += scaled[at] != alpha * sum + beta * before[at];
    }
  }
  CHECK(wrong == 0);
}

/// From x of type X, or its conjugate, to y of type Y, over lanes or a tile loop.
template <class T, class X, class Y, bool Conjugated, int Width>
struct converted {
  static constexpr auto value = [] {
    auto p = testing::product_packed(scalar_of<T>, 5, 7, Width);
    p.steps[0].a.type = scalar_of<X>;
    p.steps[0].a.conjugated = Conjugated;
    p.steps[2].c.type = scalar_of<Y>;
    return Width == 1 ? testing::over_tile_loop(p) : p;
  }();
};

template <class P, class T, class X, class Y>
void check_converted_by() {
  constexpr index m = 5, k = 7;
  const auto a = integers<T>(m * k, 1);
  const T alpha = number<T>(2, -1), beta = number<T>(1, 1);
  for (const index n : {1, 3 * cpu::lanes<T> + 1}) {
    const auto x = integers<X>(n * k, 2);
    const auto before = integers<Y>(n * m, 3);
    const void* const inputs[] = {a.data(), x.data()};
    const index extents[] = {0, 0, n};
    std::vector<Y> plain(before.size(), not_a_number<Y>()), scaled = before;
    cpu::run_static<P, false>(program_arguments<T>{inputs, plain.data(), extents});
    cpu::run_static<P, true>(program_arguments<T>{inputs, scaled.data(), extents, alpha, beta});
    index wrong = 0;
    for (index e = 0; e < n; ++e) {
      for (index i = 0; i < m; ++i) {
        T sum = 0;
        for (index j = 0; j < k; ++j) {
          const X entry = x[static_cast<std::size_t>(e * k + j)];
          sum += a[static_cast<std::size_t>(i * k + j)] *
                 static_cast<T>(P::value.steps[0].a.conjugated ? conjugate(entry) : entry);
        }
        const auto at = static_cast<std::size_t>(e * m + i);
        wrong += static_cast<T>(plain[at]) != sum;
        wrong += static_cast<T>(scaled[at]) != alpha * sum + beta * static_cast<T>(before[at]);
      }
    }
    CAPTURE(n);
    CHECK(wrong == 0);
  }
}

template <class T, class X, class Y, bool Conjugated>
void check_converted() {
  check_converted_by<converted<T, X, Y, Conjugated, cpu::lanes<T>>, T, X, Y>();
  check_converted_by<converted<T, X, Y, Conjugated, 1>, T, X, Y>();
}

}  // namespace

TEST_CASE_TEMPLATE("run_static runs products in place", T, double, float, std::complex<double>,
                   std::complex<float>) {
  check_in_place<T>();
}

TEST_CASE("run_static converts and conjugates what it packs and rounds what it unpacks") {
  using c32 = std::complex<float>;
  using c64 = std::complex<double>;
  check_converted<double, double, double, false>();
  check_converted<double, float, float, false>();
  check_converted<c32, float, c32, false>();
  check_converted<c32, c32, c32, true>();
  check_converted<c64, double, c64, false>();
  check_converted<c64, c32, c32, true>();
  check_converted<c64, c64, c64, true>();
}

}  // namespace tenfold
