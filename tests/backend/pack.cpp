#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <memory>
#include <tenfold/backend/cpu/pack.hpp>
#include <vector>

#include "numbers.hpp"

using namespace tenfold::cpu;
using tenfold::epilogue;
using tenfold::testing::conjugate;
using tenfold::testing::not_a_number;
using tenfold::testing::number;
using tenfold::testing::random_entries;

namespace {

/// Exactly `n` entries on the heap, so that the address sanitizer sees any access outside.
template <class T>
struct exact {
  std::unique_ptr<T[]> entries;
  std::size_t n;
  explicit exact(tenfold::index size, T value = number<T>(-12345.5, 77))
      : entries(new T[static_cast<std::size_t>(size)]), n(static_cast<std::size_t>(size)) {
    for (std::size_t i = 0; i < n; ++i) entries[i] = value;
  }
  T& operator[](tenfold::index i) { return entries[static_cast<std::size_t>(i)]; }
  T* data() { return entries.get(); }
};

/// Another number for each entry, of few enough bits for every scalar.
template <class T>
T numbered(tenfold::index x, int lane) {
  const auto v = static_cast<double>(x * 32 + lane + 1) / 4;
  return number<T>(v, 0.5 - v);
}

struct shape {
  tenfold::index n, x_stride, lane_stride;
  int count;

  tenfold::index size() const {
    return n == 0 || count == 0 ? 0 : (n - 1) * x_stride + (count - 1) * lane_stride + 1;
  }
};

/// X as T.
template <class T, class X>
T converted(X x) {
  if constexpr (is_complex_type<X>)
    return number<T>(static_cast<double>(x.real()), static_cast<double>(x.imag()));
  else
    return number<T>(static_cast<double>(x), 0);
}

template <class T, int W, class X, bool Conjugated>
void check_pack(shape s) {
  exact<X> x(s.size(), not_a_number<X>());
  for (tenfold::index i = 0; i < s.n; ++i)
    for (int l = 0; l < s.count; ++l) x[i * s.x_stride + l * s.lane_stride] = numbered<X>(i, l);
  exact<T> packed(s.n * W);
  pack<T, W, Conjugated>(packed.data(), x.data(), s.n, {s.x_stride, s.lane_stride}, s.count);
  int wrong = 0;
  for (tenfold::index i = 0; i < s.n; ++i)
    for (int l = 0; l < W; ++l) {
      T want = l < s.count ? converted<T>(numbered<X>(i, l)) : T(0);
      if (Conjugated) want = conjugate(want);
      if (packed[i * W + l] != want) ++wrong;
    }
  CAPTURE(s.n);
  CAPTURE(s.count);
  CHECK(wrong == 0);
}

template <class T, epilogue Finish, int W, class Y>
void check_unpack(shape s, T alpha, T beta) {
  exact<T> packed(s.n * W, not_a_number<T>());
  exact<Y> y(s.size());
  exact<Y> want(s.size());
  const bool reads = Finish == epilogue::update && beta != T(0);
  for (tenfold::index i = 0; i < s.n; ++i)
    for (int l = 0; l < s.count; ++l) {
      const tenfold::index at = i * s.x_stride + l * s.lane_stride;
      packed[i * W + l] = numbered<T>(i, l);
      const T before = T(3) * numbered<T>(i, l) + T(1);
      y[at] = reads ? converted<Y>(before) : not_a_number<Y>();
      want[at] = converted<Y>((Finish == epilogue::update ? alpha : T(1)) * numbered<T>(i, l) +
                              (reads ? beta * before : T(0)));
    }
  unpack<T, Finish, W>(y.data(), packed.data(), s.n, {s.x_stride, s.lane_stride}, s.count, alpha,
                       beta);
  int wrong = 0;
  for (tenfold::index i = 0; i < s.size(); ++i)
    if (!(y[i] == want[i])) ++wrong;
  CAPTURE(s.n);
  CAPTURE(s.count);
  CHECK(wrong == 0);
}

/// Several vectors of lanes come out as one after another does.
template <class T, int W, class X>
void check_vectors(tenfold::index n, tenfold::index x_stride, tenfold::index lane_stride) {
  constexpr int vectors = 3;
  CAPTURE(n);
  CAPTURE(lane_stride);
  const shape all{n, x_stride, lane_stride, W * vectors};
  exact<X> x(all.size());
  for (std::size_t i = 0; i < x.n; ++i) x.entries[i] = numbered<X>(static_cast<int>(i), 0);
  exact<T> together(n * W * vectors), one(n * W);
  pack<T, W>(together.data(), x.data(), n, {x_stride, lane_stride}, W, vectors);
  exact<X> copy(all.size()), updated(all.size(), X(1)), want(all.size()),
      want_updated(all.size(), X(1));
  unpack<T, epilogue::overwrite, W>(copy.data(), together.data(), n, {x_stride, lane_stride}, W,
                                    T(1), T(0), vectors);
  unpack<T, epilogue::update, W>(updated.data(), together.data(), n, {x_stride, lane_stride}, W,
                                 T(2), T(4), vectors);
  int wrong = 0;
  for (int v = 0; v < vectors; ++v) {
    const tenfold::index first = v * W * lane_stride;
    pack<T, W>(one.data(), x.data() + first, n, {x_stride, lane_stride}, W);
    for (tenfold::index i = 0; i < n; ++i)
      for (int l = 0; l < W; ++l) wrong += together[(i * vectors + v) * W + l] != one[i * W + l];
    unpack<T, epilogue::overwrite, W>(want.data() + first, one.data(), n, {x_stride, lane_stride},
                                      W);
    unpack<T, epilogue::update, W>(want_updated.data() + first, one.data(), n,
                                   {x_stride, lane_stride}, W, T(2), T(4));
  }
  if constexpr (std::is_same_v<X, T> && !is_complex_type<T> && W >= 4) {
    // Runs that touch come out so, too.
    const auto touching = [&]<int N>(std::integral_constant<int, N>) {
      if (n != N || !moves_touching<T, W, X>(n, {x_stride, lane_stride}, false)) return;
      exact<T> s(n * W * vectors);
      exact<X> y(all.size());
      pack_touching<T, W, N>(s.data(), x.data(), vectors);
      unpack_touching<T, W, N>(y.data(), s.data(), vectors);
      for (std::size_t i = 0; i < s.n; ++i) wrong += s.entries[i] != together.entries[i];
      for (std::size_t i = 0; i < y.n; ++i) wrong += y.entries[i] != x.entries[i];
    };
    touching(std::integral_constant<int, 2>{});
    touching(std::integral_constant<int, 3>{});
    touching(std::integral_constant<int, 4>{});
  }
  for (std::size_t i = 0; i < x.n; ++i)
    wrong += copy.entries[i] != want.entries[i] || updated.entries[i] != want_updated.entries[i];
  CHECK(wrong == 0);
}

/// All lengths around whole blocks, all lane counts, runs that touch, that have gaps, that are
/// themselves strided, and lanes that lie innermost or backwards in memory.
template <int W, class F>
void for_each_shape(F f) {
  for (tenfold::index n = 0; n <= 3 * W + 1; ++n)
    for (int count = 1; count <= W; count += (count < W - 1 && W > 8) ? 3 : 1) {
      const shape shapes[] = {{n, 1, n, count},
                              {n, 1, n + 3, count},
                              {n, 2, 2 * n + 1, count},
                              {n, W, 1, count},
                              {n, W + 3, 1, count}};
      for (const shape& s : shapes) f(s);
    }
}

template <class T, int W, class X, bool Conjugated = false>
void check_packs() {
  for_each_shape<W>([](const shape& s) { check_pack<T, W, X, Conjugated>(s); });
  for (tenfold::index n = 0; n <= 3 * W + 1; ++n) check_pack<T, W, X, Conjugated>({n, 1, n, W});
}

template <class T, int W, class Y>
void check_unpacks() {
  for_each_shape<W>([](const shape& s) {
    check_unpack<T, epilogue::overwrite, W, Y>(s, 1, 0);
    check_unpack<T, epilogue::update, W, Y>(s, 1, 0);
    check_unpack<T, epilogue::update, W, Y>(s, number<T>(-2, 1), 0);
    check_unpack<T, epilogue::update, W, Y>(s, T(0.5), T(1));
    check_unpack<T, epilogue::update, W, Y>(s, T(1), number<T>(-2, 0.5));
  });
}

/// Every scalar that T takes in and gives out.
template <class T, int W>
void check_all() {
  check_packs<T, W, T>();
  check_unpacks<T, W, T>();
  using low = std::conditional_t<is_complex_type<T>, std::complex<float>, float>;
  if constexpr (!std::is_same_v<low, T>) {
    check_packs<T, W, low>();
    check_unpacks<T, W, low>();
  }
  if constexpr (is_complex_type<T>) {
    check_packs<T, W, T, true>();
    check_packs<T, W, float>();
    if constexpr (!std::is_same_v<low, T>) {
      check_packs<T, W, low, true>();
      check_packs<T, W, double>();
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("pack and unpack move, convert and conjugate every entry and touch no other", T,
                   double, float, std::complex<double>, std::complex<float>) {
  check_all<T, lanes<T>>();
}

TEST_CASE_TEMPLATE("pack and unpack with one lane", T, double, float, std::complex<double>,
                   std::complex<float>) {
  check_all<T, 1>();
}

TEST_CASE_TEMPLATE("several vectors of lanes are packed and unpacked as one after another", T,
                   double, float, std::complex<double>, std::complex<float>) {
  using low = std::conditional_t<is_complex_type<T>, std::complex<float>, float>;
  for (const tenfold::index n : {1, 2, 3, 4, 5, 7, 16, 19}) {
    check_vectors<T, lanes<T>, T>(n, 1, n);
    check_vectors<T, lanes<T>, T>(n, 1, n + 1);
    check_vectors<T, lanes<T>, T>(n, 3 * lanes<T>, 1);
    check_vectors<T, lanes<T>, low>(n, 1, n);
  }
}

TEST_CASE_TEMPLATE("unpack undoes pack when the lanes lie backwards", T, double,
                   std::complex<double>, std::complex<float>) {
  constexpr int w = lanes<T>;
  constexpr tenfold::index n = 2 * w + 3;
  const auto x = random_entries<T>(n * w, 1);
  std::vector<T> y(n * w), s(n * w);
  pack(s.data(), x.data() + (w - 1) * n, n, {1, -n}, w);
  CHECK(s[0] == x[(w - 1) * n]);
  unpack<T, epilogue::overwrite>(y.data() + (w - 1) * n, s.data(), n, {1, -n}, w);
  CHECK(x == y);
}

TEST_CASE("a conjugate has the sign of its zeros turned too") {
  constexpr int w = lanes<std::complex<double>>;
  for (const int count : {w, w - 1}) {
    const std::vector<std::complex<double>> x(w);
    std::vector<std::complex<double>> s(w, 1);
    pack<std::complex<double>, w, true>(s.data(), x.data(), 1, {1, 1}, count);
    CHECK(std::signbit(s[0].imag()));
    CHECK(!std::signbit(s[0].real()));
  }
}

namespace {

/// Rounds to Y once, wherever the entry lies.
template <class T, class Y>
void check_rounding() {
  constexpr int w = lanes<T>;
  constexpr tenfold::index n = 2 * w;
  const T alpha = number<T>(1.0 / 3, 0.7), beta = number<T>(1.0 / 7, -0.3);
  const auto s = random_entries<T>(n * w, 1);
  const auto old = random_entries<Y>(n * w, 2);
  auto copied = old;
  unpack<T, epilogue::overwrite>(copied.data(), s.data(), n, {1, n}, w);
  int wrong = 0;
  for (tenfold::index i = 0; i < n; ++i)
    for (int l = 0; l < w; ++l)
      if (copied[static_cast<std::size_t>(i + l * n)] !=
          static_cast<Y>(s[static_cast<std::size_t>(i * w + l)]))
        ++wrong;
  CHECK(wrong == 0);
  for (const T& factor : {T(0), beta}) {
    auto whole = old;
    unpack<T, epilogue::update>(whole.data(), s.data(), n, {1, n}, w, alpha, factor);
    for (int count = 1; count <= w; ++count)
      for (tenfold::index part = 1; part <= n; ++part) {
        auto y = old;
        unpack<T, epilogue::update>(y.data(), s.data(), part, {1, n}, count, alpha, factor);
        wrong = 0;
        for (tenfold::index i = 0; i < part; ++i)
          for (int l = 0; l < count; ++l)
            if (y[static_cast<std::size_t>(i + l * n)] !=
                whole[static_cast<std::size_t>(i + l * n)])
              ++wrong;
        CHECK(wrong == 0);
      }
  }
}

}  // namespace

TEST_CASE("unpack rounds the same way in every lane, whatever the length and the lane count") {
  check_rounding<double, double>();
  check_rounding<double, float>();
  check_rounding<std::complex<double>, std::complex<double>>();
  check_rounding<std::complex<double>, std::complex<float>>();
  check_rounding<std::complex<float>, std::complex<float>>();
}
