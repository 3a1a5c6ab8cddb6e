#include <tenfold/backend/cpu/tile_rows.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "numbers.hpp"

using namespace tenfold::cpu;
using tenfold::epilogue;
using tenfold::reflection;
using tenfold::testing::integers;

// Entries are small integers and halves of them, so that sums are exact in any order.

namespace {

template <class T>
std::vector<T> reflected_matrix(int rows, int columns, reflection kind, unsigned seed) {
  auto a = integers<T>(tenfold::index{rows} * columns, seed);
  const T s = kind == reflection::odd ? T(-1) : T(1);
  const auto size = a.size();
  for (std::size_t x = 0; 2 * x < size; ++x) a[size - 1 - x] = s * a[x];
  // Its own mirror image.
  if (size % 2 != 0 && kind == reflection::odd) a[size / 2] = T(0);
  return a;
}

/// One way to compute M x N entries with K summed.
template <class T>
struct compiled_product {
  int w, m, n, k;
  reflection kind;
  epilogue finish;
  void (*run)(const tile_operands<T>&, half_strides);
};

template <class T>
int wrong_entries(const compiled_product<T>& one, bool transposed, T alpha, T beta) {
  const auto a = transposed ? reflected_matrix<T>(one.k, one.m, one.kind, 1)
                            : reflected_matrix<T>(one.m, one.k, one.kind, 1);
  std::vector<T> halves(a.size(), T(99));
  if (transposed)
    halve(a.data(), one.m, 1, halves.data(), one.m, 1, one.k, one.m, one.kind);
  else
    halve(a.data(), one.k, 1, halves.data(), one.k, 1, one.m, one.k, one.kind);
  const int width = one.n * one.w;
  tile_operands<T> t;
  t.a = halves.data();
  t.a_m = transposed ? 1 : one.k;
  t.a_k = transposed ? one.m : 1;
  t.b_n = t.c_n = one.w;
  t.b_k = width + 3;
  t.c_m = width + 2;
  t.alpha = alpha;
  t.beta = beta;
  const auto b = integers<T>(one.k * t.b_k, 2);
  const auto before = integers<T>(one.m * t.c_m, 3);
  auto c = before;
  if (beta == T(0)) {
    for (int m = 0; m < one.m; ++m)
      for (int i = 0; i < width; ++i)
        c[static_cast<std::size_t>(m * t.c_m + i)] = tenfold::testing::not_a_number<T>();
  }
  t.b = b.data();
  t.c = c.data();
  one.run(t, {t.a_m, t.a_k, one.m, one.k});
  int wrong = 0;
  for (int m = 0; m < one.m; ++m) {
    for (int i = 0; i < t.c_m; ++i) {
      const auto at = static_cast<std::size_t>(m * t.c_m + i);
      T want = before[at];
      if (i < width) {
        T sum = 0;
        for (int k = 0; k < one.k; ++k)
          sum += a[static_cast<std::size_t>(m * t.a_m + k * t.a_k)] *
                 b[static_cast<std::size_t>(k * t.b_k + i)];
        want = alpha * sum + (beta == T(0) ? T(0) : beta * before[at]);
      }
      wrong += !(c[at] == want);
    }
  }
  return wrong;
}

template <class T, int M, int N, int K, reflection Kind, epilogue Finish>
void run_chunks(const tile_operands<T>& t, half_strides h) {
  constexpr int pairs = M / 2;
  constexpr bool middle = M % 2 != 0;
  if constexpr (pairs > 2) {
    even_odd_tile<T, lanes<T>, 2, false, N, K, Kind, Finish>(t, 0, h, [] {});
    even_odd_tile<T, lanes<T>, pairs - 2, middle, N, K, Kind, Finish>(t, 2, h, [] {});
  } else {
    even_odd_tile<T, lanes<T>, pairs, middle, N, K, Kind, Finish>(t, 0, h, [] {});
  }
}

/// Every panel by the tile that has as many pairs.
template <class T, int N, reflection Kind, epilogue Finish>
void run_panels(const tile_operands<T>& t, half_strides h) {
  std::vector<T> panels(static_cast<std::size_t>(size_of_half_panels(h)));
  CHECK(pack_half_panels<Kind>(t.a, h, panels.data()) == panels.data() + panels.size());
  const T* panel = panels.data();
  for_each_half_panel(h.rows, [&](tenfold::index first, tenfold::index count, bool has_middle) {
    const auto run = [&]<int Pairs>(std::integral_constant<int, Pairs>) {
      if (count != Pairs) return;
      const auto tile = [&]<bool Middle>(std::bool_constant<Middle>) {
        even_odd_panel_tile<T, lanes<T>, Pairs, Middle, N, Kind, Finish>(t, panel, first, h.rows,
                                                                         h.columns);
      };
      if (has_middle)
        tile(std::true_type{});
      else
        tile(std::false_type{});
    };
    [&]<int... I>(std::integer_sequence<int, I...>) {
      (run(std::integral_constant<int, I + 1>{}), ...);
    }
    (std::make_integer_sequence<int, tenfold::select::most_pairs>{});
    panel += size_of_half_panels({0, 0, 2 * count + has_middle, h.columns});
  });
}

template <class T, int M, int N, int K, reflection Kind, bool InPanels>
void check_finishes() {
  CAPTURE(M);
  CAPTURE(N);
  CAPTURE(K);
  CAPTURE(InPanels);
  constexpr auto product = []<epilogue Finish>(std::integral_constant<epilogue, Finish>) {
    if constexpr (InPanels)
      return &run_panels<T, N, Kind, Finish>;
    else
      return &run_chunks<T, M, N, K, Kind, Finish>;
  };
  using overwriting = std::integral_constant<epilogue, epilogue::overwrite>;
  using updating_product = std::integral_constant<epilogue, epilogue::update>;
  for (const bool transposed : {false, true}) {
    CAPTURE(transposed);
    const compiled_product<T> plain{
        lanes<T>, M, N, K, Kind, epilogue::overwrite, product(overwriting{})};
    CHECK(wrong_entries<T>(plain, transposed, 1, 0) == 0);
    const compiled_product<T> updating{
        lanes<T>, M, N, K, Kind, epilogue::update, product(updating_product{})};
    CHECK(wrong_entries<T>(updating, transposed, -2, 0) == 0);
    CHECK(wrong_entries<T>(updating, transposed, 1, 1) == 0);
    CHECK(wrong_entries<T>(updating, transposed, 2, -1) == 0);
  }
}

template <class T, reflection Kind>
void check_sizes() {
  check_finishes<T, 2, 1, 2, Kind, false>();
  check_finishes<T, 3, 2, 3, Kind, false>();
  check_finishes<T, 4, 1, 3, Kind, false>();
  check_finishes<T, 5, 2, 4, Kind, false>();
  check_finishes<T, 7, 1, 6, Kind, true>();
  check_finishes<T, 8, 2, 9, Kind, false>();
  check_finishes<T, 9, 1, 7, Kind, true>();
  check_finishes<T, 4, 2, 2, Kind, true>();
  check_finishes<T, 15, 1, 16, Kind, true>();
}

template <class T, int Q, int P, int N>
int wrong_in_sandwich(reflection kind) {
  constexpr int w = lanes<T>, width = N * w;
  const auto a = reflected_matrix<T>(Q, P, kind, 5);
  std::vector<T> halves(a.size(), T(99));
  halve(a.data(), P, 1, halves.data(), P, 1, Q, P, kind);
  const auto b = integers<T>(tenfold::index{P} * width, 6),
             d = integers<T>(tenfold::index{Q} * width, 7);
  std::vector<T> c(b.size(), T(99));
  sandwich_operands<T> s{halves.data(), b.data(), halves.data(), c.data()};
  s.a1_q = s.a2_q = P;
  s.a1_k = s.a2_m = 1;
  s.b_k = s.c_m = width;
  s.b_n = s.c_n = w;
  // What is read at an entry is left there scaled: each entry is met once.
  std::vector<T> left = d;
  const auto at = [&](int q, int n, const vec<T, w>& y) {
    T* const entry = left.data() + q * width + n * w;
    const vec<T, w> scale = load<T, w>(entry);
    store<T, w>(entry, scale + scale);
    return y * scale;
  };
  int between = 0;
  const auto count = [&] { ++between; };
  if (kind == reflection::odd)
    even_odd_sandwich<T, w, Q, P, P, N, reflection::odd, epilogue::overwrite>(s, at, count);
  else
    even_odd_sandwich<T, w, Q, P, P, N, reflection::even, epilogue::overwrite>(s, at, count);
  // With what is done before the tile.
  int wrong = between + 1 != pieces_of_sandwich(Q, P, true);
  for (int m = 0; m < P; ++m) {
    for (int i = 0; i < width; ++i) {
      T want = 0;
      for (int q = 0; q < Q; ++q) {
        T point = 0;
        for (int k = 0; k < P; ++k)
          point +=
              a[static_cast<std::size_t>(q * P + k)] * b[static_cast<std::size_t>(k * width + i)];
        want += a[static_cast<std::size_t>(q * P + m)] *
                d[static_cast<std::size_t>(q * width + i)] * point;
      }
      wrong += c[static_cast<std::size_t>(m * width + i)] != want;
    }
  }
  for (std::size_t i = 0; i < d.size(); ++i) wrong += left[i] != 2 * d[i];
  return wrong;
}

template <class T>
void check_sandwiches() {
  for (const reflection kind : {reflection::even, reflection::odd}) {
    CHECK(wrong_in_sandwich<T, 4, 3, 1>(kind) == 0);
    CHECK(wrong_in_sandwich<T, 5, 5, 2>(kind) == 0);
    CHECK(wrong_in_sandwich<T, 6, 4, 1>(kind) == 0);
    CHECK(wrong_in_sandwich<T, 7, 6, 1>(kind) == 0);
    CHECK(wrong_in_sandwich<T, 8, 7, 2>(kind) == 0);
  }
}

}  // namespace

TEST_CASE("products in halves agree with plain loops, double") {
  check_sizes<double, reflection::even>();
  check_sizes<double, reflection::odd>();
}

TEST_CASE("products in halves agree with plain loops, float") {
  check_sizes<float, reflection::even>();
  check_sizes<float, reflection::odd>();
}

TEST_CASE("sandwiches in halves agree with plain loops") {
  check_sandwiches<double>();
  check_sandwiches<float>();
}
