#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <tenfold/backend/cpu/sandwich.hpp>
#include <vector>

using namespace tenfold::cpu;
using tenfold::epilogue;

namespace {

template <class T>
std::vector<T> random_entries(std::size_t n, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<T> dist(-1, 1);
  std::vector<T> v(n);
  for (T& x : v) x = dist(engine);
  return v;
}

/// One compiled sandwich behind a pointer: what is checked is then compiled once per scalar.
template <class T>
struct compiled_sandwich {
  int w, q, k, m, n;
  epilogue finish;
  void (*run)(const sandwich_operands<T>&);
};

template <class T>
int wrong_entries(const compiled_sandwich<T>& one, T alpha, T beta) {
  using real = long double;
  constexpr T guard = T(-12345.5);
  const int width = one.n * one.w;
  sandwich_operands<T> s;
  s.a1_q = one.k + 1;
  s.a1_k = 1;
  s.a2_m = 1;
  s.a2_q = one.m + 2;
  s.b_n = s.d_n = s.c_n = one.w;
  s.b_k = width + 3;
  s.d_q = width + 1;
  s.c_m = width + 2;
  s.alpha = alpha;
  s.beta = beta;
  const auto a1 = random_entries<T>(static_cast<std::size_t>(one.q * s.a1_q + 1), 1);
  const auto a2 = random_entries<T>(static_cast<std::size_t>(one.q * s.a2_q + 1), 2);
  const auto b = random_entries<T>(static_cast<std::size_t>(one.k * s.b_k + 1), 3);
  const auto d = random_entries<T>(static_cast<std::size_t>(one.q * s.d_q + 1), 4);
  const auto before = random_entries<T>(static_cast<std::size_t>(one.m * s.c_m), 5);
  std::vector<T> c(before.size(), guard);
  const bool updates = one.finish == epilogue::update, reads = updates && beta != T(0);
  for (int m = 0; m < one.m; ++m)
    for (int i = 0; i < width; ++i) {
      const auto at = static_cast<std::size_t>(m * s.c_m + i);
      c[at] = reads ? before[at] : std::numeric_limits<T>::quiet_NaN();
    }
  s.a1 = a1.data();
  s.a2 = a2.data();
  s.b = b.data();
  s.d = d.data();
  s.c = c.data();
  one.run(s);

  int wrong = 0;
  const real eps = static_cast<real>(std::numeric_limits<T>::epsilon());
  for (int m = 0; m < one.m; ++m) {
    for (int i = 0; i < width; ++i) {
      real sum = 0, magnitude = 0;
      for (int q = 0; q < one.q; ++q) {
        real point = 0, point_magnitude = 0;
        for (int k = 0; k < one.k; ++k) {
          const real x =
              static_cast<real>(s.a1[q * s.a1_q + k]) * static_cast<real>(s.b[k * s.b_k + i]);
          point += x;
          point_magnitude += std::fabs(x);
        }
        const real scale = static_cast<real>(s.a2[m * s.a2_m + q * s.a2_q]) *
                           static_cast<real>(s.d[q * s.d_q + i]);
        sum += scale * point;
        magnitude += std::fabs(scale) * point_magnitude;
      }
      const auto at = static_cast<std::size_t>(m * s.c_m + i);
      real want = sum, bound = magnitude;
      if (updates) {
        const real old = reads ? static_cast<real>(beta) * static_cast<real>(before[at]) : real(0);
        want = static_cast<real>(alpha) * sum + old;
        bound = std::fabs(static_cast<real>(alpha)) * magnitude + std::fabs(old);
      }
      const real work = one.k + 2 + 3 + one.q + 2;
      if (!(std::fabs(static_cast<real>(c[at]) - want) <= 2 * work * eps * bound)) ++wrong;
    }
    for (int i = width; i < s.c_m; ++i)
      if (c[static_cast<std::size_t>(m * s.c_m + i)] != guard) ++wrong;
  }
  return wrong;
}

template <class T, int W, int Q, int K, int M, int N, epilogue Finish>
constexpr compiled_sandwich<T> compiled{W, Q, K, M, N, Finish, [](const sandwich_operands<T>& s) {
                                          sandwich<T, W, Q, K, M, N, Finish>(s);
                                        }};

template <class T, int W, int Q, int K, int M, int N>
void check_finishes() {
  CAPTURE(W);
  CAPTURE(Q);
  CAPTURE(K);
  CAPTURE(M);
  CAPTURE(N);
  CHECK(wrong_entries<T>(compiled<T, W, Q, K, M, N, epilogue::overwrite>, 1, 0) == 0);
  const auto& updating = compiled<T, W, Q, K, M, N, epilogue::update>;
  CHECK(wrong_entries<T>(updating, T(-2), 0) == 0);
  CHECK(wrong_entries<T>(updating, T(0.5), T(-1)) == 0);
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
  s.d = d.data();
  s.b_k = s.d_q = s.c_m = n * w;
  s.b_n = s.d_n = s.c_n = w;
  s.b = b.data();
  s.c = c.data();
  sandwich<double, w, q, k, k, n, epilogue::overwrite>(s);
  s.c = b.data();
  sandwich<double, w, q, k, k, n, epilogue::overwrite>(s);
  CHECK(b == c);
}
