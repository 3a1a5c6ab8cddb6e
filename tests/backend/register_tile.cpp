#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <tenfold/backend/cpu/register_tile.hpp>
#include <utility>
#include <vector>

using namespace tenfold::cpu;
using tenfold::access;
using tenfold::epilogue;

namespace {

template <class T>
constexpr T guard = T(-12345.5);
template <class T>
constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

template <class T>
std::vector<T> random_entries(std::size_t n, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<T> dist(-1, 1);
  std::vector<T> v(n);
  for (T& x : v) x = dist(engine);
  return v;
}

/// What register_tile shall compute, in higher precision, and how far it may be off.
template <class T>
struct expected {
  long double value = 0, tolerance = 0;
};

template <class T, int W>
expected<T> reference(const tile_operands<T>& t, tile_modes how, bool updates, T c_before, int m,
                      int n, int lane, int k_extent, const std::vector<k_loop>& outer) {
  long double sum = 0, magnitude = 0;
  tenfold::index total = 1;
  for (const k_loop& l : outer) total *= l.extent;
  for (tenfold::index o = 0; o < total; ++o) {
    const T* a = t.a;
    const T* b = t.b;
    tenfold::index rest = o;
    for (std::size_t i = outer.size(); i-- > 0;) {
      a += rest % outer[i].extent * outer[i].a;
      b += rest % outer[i].extent * outer[i].b;
      rest /= outer[i].extent;
    }
    for (int k = 0; k < k_extent; ++k) {
      const tenfold::index ai = m * t.a_m + k * t.a_k + (how.a_varies ? n * t.a_n : 0) +
                                (how.a == access::lanes ? lane : 0);
      const tenfold::index bi = k * t.b_k + n * t.b_n + (how.b == access::lanes ? lane : 0);
      const long double product =
          static_cast<long double>(a[ai]) * (how.has_b ? static_cast<long double>(b[bi]) : 1);
      sum += product;
      magnitude += std::fabs(product);
    }
  }
  const auto eps = static_cast<long double>(std::numeric_limits<T>::epsilon());
  const auto work = static_cast<long double>(total * k_extent + 2);
  if (!updates) return {sum, 2 * work * eps * magnitude};
  const auto alpha = static_cast<long double>(t.alpha), beta = static_cast<long double>(t.beta);
  const long double c = t.beta == T(0) ? 0 : beta * static_cast<long double>(c_before);
  return {alpha * sum + c, 2 * work * eps * (std::fabs(alpha) * magnitude + std::fabs(c))};
}

/// One tile with padded strides; every entry of C that is not the tile's must keep its guard.
template <class T, int W, int M, int N, int K, tile_modes How, epilogue Finish>
void check(int k_extent, T alpha, T beta, std::vector<k_loop> outer = {}) {
  const int ks = k_extent < 1 ? 1 : k_extent;
  tile_operands<T> t;
  t.a_n = 2 * W + 1;
  t.a_k = How.a_varies ? N * t.a_n + 3 : W + 2;
  t.a_m = ks * t.a_k + 1;
  t.b_n = W;
  t.b_k = N * W + 1;
  t.c_n = W;
  t.c_m = N * W + 2;
  t.alpha = alpha;
  t.beta = beta;
  tenfold::index a_size = M * t.a_m + W, b_size = ks * t.b_k + W;
  for (k_loop& l : outer) {
    l.a = a_size;
    l.b = b_size;
    a_size *= l.extent;
    b_size *= l.extent;
  }
  const auto a = random_entries<T>(static_cast<std::size_t>(a_size), 1);
  const auto b = random_entries<T>(static_cast<std::size_t>(b_size), 2);
  const bool updates = Finish == epilogue::update, reads = updates && beta != T(0);
  const auto before = random_entries<T>(static_cast<std::size_t>(M * t.c_m), 3);
  std::vector<T> c(before.size(), guard<T>);
  for (int m = 0; m < M; ++m)
    for (int i = 0; i < N * W; ++i) {
      const auto at = static_cast<std::size_t>(m * t.c_m + i);
      c[at] = reads ? before[at] : not_a_number<T>;
    }
  t.a = a.data();
  t.b = How.has_b ? b.data() : nullptr;
  t.c = c.data();
  if (outer.empty())
    register_tile<T, W, M, N, K, How, Finish>(t, k_extent);
  else
    register_tile<T, W, M, N, K, How, Finish>(t, outer.data(), static_cast<int>(outer.size()),
                                              k_extent);

  int wrong = 0;
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n)
      for (int lane = 0; lane < W; ++lane) {
        const auto at = static_cast<std::size_t>(m * t.c_m + n * t.c_n + lane);
        const auto want = reference<T, W>(t, How, updates, before[at], m, n, lane, k_extent, outer);
        if (!(std::fabs(static_cast<long double>(c[at]) - want.value) <= want.tolerance)) ++wrong;
      }
    for (int i = N * W; i < t.c_m; ++i)
      if (c[static_cast<std::size_t>(m * t.c_m + i)] != guard<T>) ++wrong;
  }
  CAPTURE(W);
  CAPTURE(M);
  CAPTURE(N);
  CAPTURE(K);
  CAPTURE(k_extent);
  CHECK(wrong == 0);
}

template <class T, int W, int M, int N, int K, tile_modes How>
void check_finishes(int k_extent) {
  check<T, W, M, N, K, How, epilogue::overwrite>(k_extent, 1, 0);
  check<T, W, M, N, K, How, epilogue::update>(k_extent, T(-1.5), 0);
  check<T, W, M, N, K, How, epilogue::update>(k_extent, T(0.5), T(1));
}

template <class T, int W, tile_modes How, int... I>
void check_shapes(std::integer_sequence<int, I...>) {
  constexpr int n_max = 4;
  (check_finishes<T, W, I / n_max + 1, I % n_max + 1, dynamic_k, How>(3), ...);
}

constexpr tile_modes broadcast_a{};
constexpr tile_modes lanes_a{access::lanes, access::lanes, false, true};
constexpr tile_modes pointwise{access::lanes, access::lanes, true, true};
constexpr tile_modes pointwise_uniform{access::uniform, access::lanes, true, true};
constexpr tile_modes uniform_b{access::lanes, access::uniform, false, true};
constexpr tile_modes all_uniform{access::uniform, access::uniform, false, true};
constexpr tile_modes sum_lanes{access::lanes, access::lanes, true, false};
constexpr tile_modes sum_rows{access::uniform, access::lanes, false, false};

template <class T, int W, tile_modes How>
void check_mode() {
  check_shapes<T, W, How>(std::make_integer_sequence<int, 12>{});
  for (int k = 0; k < 6; ++k) check_finishes<T, W, 2, 3, dynamic_k, How>(k);
  check_finishes<T, W, 2, 3, 0, How>(0);
  check_finishes<T, W, 1, 1, 1, How>(1);
  check_finishes<T, W, 3, 2, 4, How>(4);
  check_finishes<T, W, 5, 2, 7, How>(7);
}

template <class T>
void check_modes() {
  check_mode<T, 1, broadcast_a>();
  check_mode<T, lanes<T>, broadcast_a>();
  check_mode<T, lanes<T>, lanes_a>();
  check_mode<T, lanes<T>, pointwise>();
  check_mode<T, lanes<T>, pointwise_uniform>();
  check_mode<T, lanes<T>, uniform_b>();
  check_mode<T, lanes<T>, all_uniform>();
  check_mode<T, lanes<T>, sum_lanes>();
  check_mode<T, lanes<T>, sum_rows>();
  check_mode<T, 1, pointwise>();
  check_mode<T, 1, sum_lanes>();
}

}  // namespace

TEST_CASE("register_tile agrees with plain loops in every mode, double") { check_modes<double>(); }

TEST_CASE("register_tile agrees with plain loops in every mode, float") { check_modes<float>(); }

TEST_CASE("register_tile agrees with plain loops for tall and wide tiles") {
  check_finishes<double, lanes<double>, 10, 2, 9, broadcast_a>(9);
  check_finishes<double, lanes<double>, 14, 1, 12, broadcast_a>(12);
  check_finishes<double, lanes<double>, 8, 3, dynamic_k, broadcast_a>(33);
  check_finishes<float, lanes<float>, 5, 5, 5, lanes_a>(5);
  check_finishes<double, lanes<double>, 4, 6, dynamic_k, lanes_a>(16);
  check_finishes<float, lanes<float>, 1, 6, 2, broadcast_a>(2);
}

TEST_CASE("register_tile sums over further contracted loops") {
  check<double, lanes<double>, 3, 2, dynamic_k, broadcast_a, epilogue::overwrite>(3, 1, 0,
                                                                                  {{2, 0, 0}});
  check<double, lanes<double>, 3, 2, 4, lanes_a, epilogue::update>(4, 2, 0.5,
                                                                   {{3, 0, 0}, {2, 0, 0}});
  check<float, 1, 2, 2, dynamic_k, broadcast_a, epilogue::update>(
      5, 2, 0, {{2, 0, 0}, {1, 0, 0}, {3, 0, 0}});
  check<double, lanes<double>, 2, 2, 3, broadcast_a, epilogue::update>(3, 2, 0.5, {{0, 0, 0}});
}

TEST_CASE("register_tile is exact on small integers") {
  constexpr int w = lanes<double>, m = 5, n = 3, k = 6;
  std::vector<double> a(m * k), b(k * n * w), c(m * n * w);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i % 7) - 3;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i % 11) - 5;
  tile_operands<double> t{a.data(), b.data(), c.data(), k, 1, 0, n * w, w, n * w, w, 1, 0};
  register_tile<double, w, m, n, k, broadcast_a, epilogue::overwrite>(t);
  int wrong = 0;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n * w; ++j) {
      double sum = 0;
      for (std::size_t l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n * w + j];
      if (sum != c[i * n * w + j]) ++wrong;
    }
  CHECK(wrong == 0);
}

TEST_CASE("a static and a run-time K give the same bits") {
  constexpr int w = lanes<double>, m = 4, n = 3, k = 7;
  const auto a = random_entries<double>(m * k, 5);
  const auto b = random_entries<double>(k * n * w, 6);
  std::vector<double> c(m * n * w), d(m * n * w);
  tile_operands<double> t{a.data(), b.data(), c.data(), k, 1, 0, n * w, w, n * w, w, 1, 0};
  register_tile<double, w, m, n, k, broadcast_a, epilogue::overwrite>(t);
  t.c = d.data();
  register_tile<double, w, m, n, dynamic_k, broadcast_a, epilogue::overwrite>(t, k);
  CHECK(c == d);
}
