#include <doctest/doctest.h>

#include <complex>
#include <tenfold/backend/cpu/sandwich.hpp>
#include <vector>

#include "numbers.hpp"

using namespace tenfold::cpu;
using tenfold::epilogue;
using tenfold::testing::close;
using tenfold::testing::epsilon;
using tenfold::testing::not_a_number;
using tenfold::testing::number;
using tenfold::testing::random_entries;
using tenfold::testing::wide;

namespace {

/// Factors of the entries, [q][n lanes].
template <class T>
struct scaling {
  const T* d = nullptr;
  tenfold::index d_q = 0, d_n = 0;
};

template <class T, int W, int Q, int K, int M, int N, epilogue Finish>
void run_sandwich(const sandwich_operands<T>& s, const scaling<T>& by) {
  sandwich<T, W, Q, K, M, N, Finish>(s, [&](int q, int n, const vec<T, W>& y) {
    return y * load<T, W>(by.d + q * by.d_q + n * by.d_n);
  });
}

/// One compiled sandwich behind a pointer: what is checked is then compiled once per scalar.
template <class T>
struct compiled_sandwich {
  int w, q, k, m, n;
  epilogue finish;
  void (*run)(const sandwich_operands<T>&, const scaling<T>&);
};

template <class T>
int wrong_entries(const compiled_sandwich<T>& one, T alpha, T beta) {
  const T guard = number<T>(-12345.5, 77);
  const int width = one.n * one.w;
  sandwich_operands<T> s;
  s.a1_q = one.k + 1;
  s.a1_k = 1;
  s.a2_m = 1;
  s.a2_q = one.m + 2;
  s.b_n = s.c_n = one.w;
  s.b_k = width + 3;
  scaling<T> by;
  by.d_q = width + 1;
  by.d_n = one.w;
  s.c_m = width + 2;
  s.alpha = alpha;
  s.beta = beta;
  const auto a1 = random_entries<T>(one.q * s.a1_q + 1, 1);
  const auto a2 = random_entries<T>(one.q * s.a2_q + 1, 2);
  const auto b = random_entries<T>(one.k * s.b_k + 1, 3);
  const auto d = random_entries<T>(one.q * by.d_q + 1, 4);
  const auto before = random_entries<T>(one.m * s.c_m, 5);
  std::vector<T> c(before.size(), guard);
  const bool updates = one.finish == epilogue::update, reads = updates && beta != T(0);
  for (int m = 0; m < one.m; ++m)
    for (int i = 0; i < width; ++i) {
      const auto at = static_cast<std::size_t>(m * s.c_m + i);
      c[at] = reads ? before[at] : not_a_number<T>();
    }
  s.a1 = a1.data();
  s.a2 = a2.data();
  s.b = b.data();
  by.d = d.data();
  s.c = c.data();
  one.run(s, by);

  int wrong = 0;
  for (int m = 0; m < one.m; ++m) {
    for (int i = 0; i < width; ++i) {
      wide<T> sum = 0;
      long double magnitude = 0;
      for (int q = 0; q < one.q; ++q) {
        wide<T> point = 0;
        long double point_magnitude = 0;
        for (int k = 0; k < one.k; ++k) {
          const auto x = static_cast<wide<T>>(s.a1[q * s.a1_q + k]);
          const auto y = static_cast<wide<T>>(s.b[k * s.b_k + i]);
          point += x * y;
          point_magnitude += std::abs(x) * std::abs(y);
        }
        const wide<T> scale = static_cast<wide<T>>(s.a2[m * s.a2_m + q * s.a2_q]) *
                              static_cast<wide<T>>(d[static_cast<std::size_t>(q * by.d_q + i)]);
        sum += scale * point;
        magnitude += std::abs(scale) * point_magnitude;
      }
      const auto at = static_cast<std::size_t>(m * s.c_m + i);
      wide<T> want = sum;
      long double bound = magnitude;
      if (updates) {
        const auto a = static_cast<wide<T>>(alpha), b_factor = static_cast<wide<T>>(beta);
        const wide<T> old = reads ? b_factor * static_cast<wide<T>>(before[at]) : wide<T>(0);
        want = a * sum + old;
        bound = std::abs(a) * magnitude + std::abs(old);
      }
      const long double work = one.k + 2 + 3 + one.q + 2;
      if (!close(c[at], want, 2 * work * epsilon<T> * bound)) ++wrong;
    }
    for (int i = width; i < s.c_m; ++i)
      if (c[static_cast<std::size_t>(m * s.c_m + i)] != guard) ++wrong;
  }
  return wrong;
}

template <class T, int W, int Q, int K, int M, int N, epilogue Finish>
constexpr compiled_sandwich<T> compiled{
    W, Q, K, M, N, Finish, run_sandwich<T, W, Q, K, M, N, Finish>};

template <class T, int W, int Q, int K, int M, int N>
void check_finishes() {
  CAPTURE(W);
  CAPTURE(Q);
  CAPTURE(K);
  CAPTURE(M);
  CAPTURE(N);
  CHECK(wrong_entries<T>(compiled<T, W, Q, K, M, N, epilogue::overwrite>, 1, 0) == 0);
  const auto& updating = compiled<T, W, Q, K, M, N, epilogue::update>;
  CHECK(wrong_entries<T>(updating, number<T>(-2, 0.5), 0) == 0);
  CHECK(wrong_entries<T>(updating, T(0.5), number<T>(-1, 1)) == 0);
}

template <class T>
void check_all() {
  constexpr int w = lanes<T>;
  check_finishes<T, w, 1, 1, 1, 1>();
  check_finishes<T, w, 3, 2, 2, 4>();
  check_finishes<T, w, 4, 3, 3, 3>();
  check_finishes<T, w, 6, 5, 5, 2>();
  check_finishes<T, w, 10, 9, 9, 1>();
  check_finishes<T, w, 10, 9, 9, 2>();
  check_finishes<T, w, 12, 12, 12, 1>();
  check_finishes<T, w, 2, 5, 7, 2>();
  check_finishes<T, w, 4, 0, 3, 2>();
  check_finishes<T, 1, 4, 3, 2, 2>();
}

}  // namespace

TEST_CASE("sandwich agrees with plain loops, double") { check_all<double>(); }

TEST_CASE("sandwich agrees with plain loops, float") { check_all<float>(); }

TEST_CASE("sandwich agrees with plain loops, complex<double>") {
  check_all<std::complex<double>>();
}

TEST_CASE("sandwich agrees with plain loops, complex<float>") { check_all<std::complex<float>>(); }

TEST_CASE("sandwich may write its result over its input") {
  constexpr int w = lanes<double>, q = 4, k = 3, n = 2;
  const auto a = random_entries<double>(q * k, 1);
  const auto d = random_entries<double>(q * n * w, 2);
  auto b = random_entries<double>(k * n * w, 3);
  std::vector<double> c(b.size());
  sandwich_operands<double> s;
  s.a1 = s.a2 = a.data();
  s.a1_q = s.a2_q = k;
  s.a1_k = s.a2_m = 1;
  const scaling<double> by{d.data(), n * w, w};
  s.b_k = s.c_m = n * w;
  s.b_n = s.c_n = w;
  s.b = b.data();
  s.c = c.data();
  run_sandwich<double, w, q, k, k, n, epilogue::overwrite>(s, by);
  s.c = b.data();
  run_sandwich<double, w, q, k, k, n, epilogue::overwrite>(s, by);
  CHECK(b == c);
}
