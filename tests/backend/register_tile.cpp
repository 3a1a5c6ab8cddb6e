#include <doctest/doctest.h>

#include <complex>
#include <tenfold/backend/cpu/register_tile.hpp>
#include <vector>

#include "numbers.hpp"

using namespace tenfold::cpu;
using tenfold::epilogue;
using tenfold::lane_access;
using tenfold::step_loop;
using tenfold::testing::close;
using tenfold::testing::epsilon;
using tenfold::testing::integers;
using tenfold::testing::not_a_number;
using tenfold::testing::number;
using tenfold::testing::random_entries;
using tenfold::testing::wide;

namespace {

/// One compiled register tile behind a pointer: what is checked is then compiled once per scalar.
template <class T>
struct compiled_tile {
  using function = void (*)(const tile_operands<T>&, const std::vector<step_loop>&, tenfold::index);

  int w, m, n, k;
  tile_modes how;
  epilogue finish;
  function run;
};

template <class T, int W, int M, int N, int K, tile_modes How, epilogue Finish>
constexpr compiled_tile<T> tile{
    W,
    M,
    N,
    K,
    How,
    Finish,
    [](const tile_operands<T>& t, const std::vector<step_loop>&, tenfold::index k_extent) {
      register_tile<T, W, M, N, K, How, Finish>(t, k_extent);
    }};

/// The same with further contracted loops, in a function of their own.
template <class T, int W, int M, int N, int K, tile_modes How, epilogue Finish>
constexpr compiled_tile<T> tile_in_loops{
    W,
    M,
    N,
    K,
    How,
    Finish,
    [](const tile_operands<T>& t, const std::vector<step_loop>& outer, tenfold::index k_extent) {
      register_tile<T, W, M, N, K, How, Finish>(t, outer.data(), static_cast<int>(outer.size()),
                                                k_extent);
    }};

/// What the tile shall compute, in higher precision, and how far it may be off.
template <class T>
struct expected {
  wide<T> value = 0;
  long double tolerance = 0;
};

template <class T>
expected<T> reference(const compiled_tile<T>& tile, const tile_operands<T>& t, T c_before, int m,
                      int n, int lane, tenfold::index k_extent,
                      const std::vector<step_loop>& outer) {
  wide<T> sum = 0;
  long double magnitude = 0;
  tenfold::index total = 1;
  for (const step_loop& l : outer) total *= l.extent;
  for (tenfold::index o = 0; o < total; ++o) {
    const T* a = t.a + m * t.a_m + (tile.how.a_varies ? n * t.a_n : 0);
    const T* b = t.b + n * t.b_n;
    if (tile.how.a == lane_access::lanes) a += lane;
    if (tile.how.b == lane_access::lanes) b += lane;
    tenfold::index rest = o;
    for (std::size_t i = outer.size(); i-- > 0; rest /= outer[i].extent) {
      a += rest % outer[i].extent * outer[i].a;
      b += rest % outer[i].extent * outer[i].b;
    }
    for (tenfold::index k = 0; k < k_extent; ++k) {
      const wide<T> x = static_cast<wide<T>>(a[k * t.a_k]);
      const wide<T> y = tile.how.has_b ? static_cast<wide<T>>(b[k * t.b_k]) : wide<T>(1);
      sum += x * y;
      magnitude += std::abs(x) * std::abs(y);
    }
  }
  const auto work = static_cast<long double>(total * k_extent + 2);
  if (tile.finish == epilogue::overwrite) return {sum, 2 * work * epsilon<T> * magnitude};
  const auto alpha = static_cast<wide<T>>(t.alpha), beta = static_cast<wide<T>>(t.beta);
  const wide<T> c = beta == wide<T>(0) ? wide<T>(0) : beta * static_cast<wide<T>>(c_before);
  return {alpha * sum + c, 2 * work * epsilon<T> * (std::abs(alpha) * magnitude + std::abs(c))};
}

/// The entries of a row in the last column: where their number is left to the call, one less than
/// the vector has lanes.
template <class T>
int entries_of_last(const compiled_tile<T>& tile) {
  const int lanes = tile.how.last != 0 ? tile.how.last : tile.w;
  return tile.how.tail == any_tail ? lanes - 1 : tile.how.tail != 0 ? tile.how.tail : lanes;
}

/// Runs the tile with padded strides. C holds NaN where it may not be read, and a guard wherever
/// the tile has no business.
template <class T>
int wrong_entries(const compiled_tile<T>& tile, tenfold::index k_extent, T alpha, T beta,
                  std::vector<step_loop> outer) {
  const T guard = number<T>(-12345.5, 77);
  const tenfold::index w = tile.w, k_room = k_extent < 1 ? 1 : k_extent;
  const tenfold::index end = entries_of_last(tile), row_entries = (tile.n - 1) * w + end;
  tile_operands<T> t;
  t.tail = static_cast<int>(end);
  t.a_n = 2 * w + 1;
  t.a_k = tile.how.a_varies ? tile.n * t.a_n + 3 : w + 2;
  t.a_m = k_room * t.a_k + 1;
  t.b_n = w;
  t.b_k = tile.n * w + 1;
  t.c_n = w;
  t.c_m = tile.n * w + 2;
  t.alpha = alpha;
  t.beta = beta;
  tenfold::index a_size = tile.m * t.a_m + w, b_size = k_room * t.b_k + w;
  for (step_loop& l : outer) {
    l.a = a_size;
    l.b = b_size;
    a_size *= l.extent < 1 ? 1 : l.extent;
    b_size *= l.extent < 1 ? 1 : l.extent;
  }
  const auto a = random_entries<T>(a_size, 1), b = random_entries<T>(b_size, 2);
  const auto before = random_entries<T>(tile.m * t.c_m, 3);
  const bool reads = tile.finish == epilogue::update && beta != T(0);
  std::vector<T> c(before.size(), guard);
  for (int m = 0; m < tile.m; ++m)
    for (int i = 0; i < row_entries; ++i) {
      const auto at = static_cast<std::size_t>(m * t.c_m + i);
      c[at] = reads ? before[at] : not_a_number<T>();
    }
  t.a = a.data();
  t.b = b.data();
  t.c = c.data();
  tile.run(t, outer, k_extent);

  int wrong = 0;
  for (int m = 0; m < tile.m; ++m) {
    const auto row = static_cast<std::size_t>(m * t.c_m);
    for (int n = 0; n < tile.n; ++n)
      for (int lane = 0; lane < (n + 1 < tile.n ? w : end); ++lane) {
        const std::size_t at = row + static_cast<std::size_t>(n * w + lane);
        const expected<T> want = reference(tile, t, before[at], m, n, lane, k_extent, outer);
        if (!close(c[at], want.value, want.tolerance)) ++wrong;
      }
    for (auto i = static_cast<std::size_t>(row_entries); i < static_cast<std::size_t>(t.c_m); ++i)
      if (c[row + i] != guard) ++wrong;
  }
  return wrong;
}

template <class T>
void check(const compiled_tile<T>& tile, std::vector<step_loop> outer = {}) {
  CAPTURE(tile.w);
  CAPTURE(tile.m);
  CAPTURE(tile.n);
  CAPTURE(tile.k);
  for (tenfold::index k = 0; k < 6; ++k) {
    if (tile.k != dynamic_k && tile.k != k && k > 0) continue;
    const tenfold::index k_extent = tile.k == dynamic_k ? k : tile.k;
    CAPTURE(k_extent);
    if (tile.finish == epilogue::overwrite) {
      CHECK(wrong_entries<T>(tile, k_extent, 1, 0, outer) == 0);
    } else {
      CHECK(wrong_entries<T>(tile, k_extent, 1, 0, outer) == 0);
      CHECK(wrong_entries<T>(tile, k_extent, number<T>(-1.5, 0.5), 0, outer) == 0);
      CHECK(wrong_entries<T>(tile, k_extent, T(0.5), 1, outer) == 0);
      CHECK(wrong_entries<T>(tile, k_extent, 1, number<T>(-2, 0.25), outer) == 0);
    }
  }
}

template <class T, int W, int M, int N, int K, tile_modes How>
void check_finishes() {
  check(tile<T, W, M, N, K, How, epilogue::overwrite>);
  check(tile<T, W, M, N, K, How, epilogue::update>);
}

constexpr tile_modes broadcast_a{};
constexpr tile_modes lanes_a{lane_access::lanes, lane_access::lanes, false, true};
constexpr tile_modes pointwise{lane_access::lanes, lane_access::lanes, true, true};
constexpr tile_modes pointwise_uniform{lane_access::uniform, lane_access::lanes, true, true};
constexpr tile_modes uniform_b{lane_access::lanes, lane_access::uniform, false, true};
constexpr tile_modes all_uniform{lane_access::uniform, lane_access::uniform, false, true};
constexpr tile_modes sum_lanes{lane_access::lanes, lane_access::lanes, true, false};
constexpr tile_modes sum_rows{lane_access::uniform, lane_access::lanes, false, false};

/// One of three groups of tiles; together they are all shapes up to 3 x 3, with both epilogues, and
/// a static sum of no and of some products. All of them for all scalars and modes would be 480.
template <class T, int W, tile_modes How, int Group>
void check_group() {
  constexpr auto overwrite = epilogue::overwrite, update = epilogue::update;
  if constexpr (Group % 3 == 0) {
    check(tile<T, W, 1, 1, dynamic_k, How, overwrite>);
    check(tile<T, W, 2, 3, dynamic_k, How, update>);
    check(tile<T, W, 3, 2, dynamic_k, How, overwrite>);
    check(tile<T, W, 2, 3, 0, How, overwrite>);
  } else if constexpr (Group % 3 == 1) {
    check(tile<T, W, 1, 2, dynamic_k, How, update>);
    check(tile<T, W, 2, 1, dynamic_k, How, overwrite>);
    check(tile<T, W, 3, 3, dynamic_k, How, update>);
    check(tile<T, W, 3, 2, 4, How, overwrite>);
  } else {
    check(tile<T, W, 1, 3, dynamic_k, How, overwrite>);
    check(tile<T, W, 2, 2, dynamic_k, How, update>);
    check(tile<T, W, 3, 1, dynamic_k, How, overwrite>);
    check(tile<T, W, 3, 2, 4, How, update>);
  }
}

/// Every mode, with a group of its own for each scalar: each mode meets all groups, each scalar
/// too.
template <class T, int First>
void check_modes() {
  constexpr int w = lanes<T>;
  check_group<T, 1, broadcast_a, First>();
  check_group<T, 1, pointwise, First + 1>();
  check_group<T, w, broadcast_a, First + 2>();
  if constexpr (in_pairs<T, neighbours<T>>) check_group<T, neighbours<T>, broadcast_a, First>();
  check_group<T, w, lanes_a, First>();
  check_group<T, w, pointwise, First + 1>();
  check_group<T, w, pointwise_uniform, First + 2>();
  check_group<T, w, uniform_b, First>();
  check_group<T, w, all_uniform, First + 1>();
  check_group<T, w, sum_lanes, First + 2>();
  check_group<T, w, sum_rows, First>();
}

}  // namespace

TEST_CASE("register_tile agrees with plain loops in every mode, double") {
  check_modes<double, 0>();
}

TEST_CASE("register_tile agrees with plain loops in every mode, float") { check_modes<float, 1>(); }

TEST_CASE("register_tile agrees with plain loops in every mode, complex<double>") {
  check_modes<std::complex<double>, 2>();
}

TEST_CASE("register_tile agrees with plain loops in every mode, complex<float>") {
  check_modes<std::complex<float>, 3>();
}

TEST_CASE("register_tile agrees with plain loops for tall and wide tiles") {
  check_finishes<double, lanes<double>, 10, 2, 9, broadcast_a>();
  check_finishes<double, lanes<double>, 14, 1, 12, broadcast_a>();
  check_finishes<double, lanes<double>, 10, 1, dynamic_k, broadcast_a>();
  check_finishes<float, lanes<float>, 5, 5, 5, lanes_a>();
  check_finishes<double, lanes<double>, 4, 6, 16, lanes_a>();
  check_finishes<float, lanes<float>, 1, 6, 2, broadcast_a>();
  // With 16 registers a column of A and a vector of B beside the sums.
  check_finishes<double, lanes<double>, 3, 4, dynamic_k, tile_modes{.pairs = true}>();
  check_finishes<float, lanes<float>, 3, 4, 20, tile_modes{.tail = any_tail, .pairs = true}>();
  check_finishes<std::complex<double>, neighbours<std::complex<double>>, 6, 2, 16, broadcast_a>();
  check_finishes<std::complex<float>, neighbours<std::complex<float>>, 4, 3, 7, broadcast_a>();
  check_finishes<std::complex<double>, lanes<double>, 10, 1, dynamic_k, broadcast_a>();
  check_finishes<std::complex<float>, lanes<float>, 3, 4, 5, lanes_a>();
}

TEST_CASE("register_tile sums over further contracted loops") {
  constexpr int w = lanes<double>;
  check(tile_in_loops<double, w, 3, 2, dynamic_k, broadcast_a, epilogue::overwrite>, {{2, 0, 0}});
  check(tile_in_loops<double, w, 3, 2, 4, lanes_a, epilogue::update>, {{3, 0, 0}, {2, 0, 0}});
  check(tile_in_loops<float, 1, 2, 2, dynamic_k, broadcast_a, epilogue::update>,
        {{2, 0, 0}, {1, 0, 0}, {3, 0, 0}});
  check(tile_in_loops<double, w, 2, 2, 3, broadcast_a, epilogue::update>, {{0, 0, 0}});
  check(tile_in_loops<std::complex<double>, w, 3, 2, 4, lanes_a, epilogue::update>,
        {{3, 0, 0}, {2, 0, 0}});
  check(tile_in_loops<std::complex<float>, 1, 2, 2, dynamic_k, broadcast_a, epilogue::overwrite>,
        {{2, 0, 0}, {3, 0, 0}});
}

namespace {

template <class T>
void check_exact() {
  constexpr int w = lanes<T>, m = 5, n = 3, k = 6;
  const auto a = integers<T>(m * k, 1), b = integers<T>(k * n * w, 2);
  std::vector<T> c(m * n * w);
  tile_operands<T> t{a.data(), b.data(), c.data(), k, 1, 0, n * w, w, n * w, w, 1, 0};
  register_tile<T, w, m, n, k, broadcast_a, epilogue::overwrite>(t);
  int wrong = 0;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n * w; ++j) {
      T sum = 0;
      for (std::size_t l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n * w + j];
      if (sum != c[i * n * w + j]) ++wrong;
    }
  CHECK(wrong == 0);
}

/// One product by tiles of other shapes, lane widths, counts of k and epilogues.
template <class T>
void check_same_bits() {
  constexpr int w = lanes<T>, m = 4, n = 3, k = 7;
  const auto a = random_entries<T>(m * k, 5), b = random_entries<T>(k * n * w, 6);
  std::vector<T> c(m * n * w), d(m * n * w), e(m * n * w), f(m * n * w), g(m * n * w);
  tile_operands<T> t{a.data(), b.data(), c.data(), k, 1, 0, n * w, w, n * w, w, 1, 0};
  register_tile<T, w, m, n, k, broadcast_a, epilogue::overwrite>(t);
  t.c = d.data();
  register_tile<T, w, m, n, dynamic_k, broadcast_a, epilogue::overwrite>(t, k);
  CHECK(c == d);
  t.c = g.data();
  register_tile<T, w, m, n, dynamic_k, broadcast_a, epilogue::update>(t, k);
  CHECK(c == g);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      t.a = a.data() + i * k;
      t.b = b.data() + j * w;
      t.c = f.data() + i * n * w + j * w;
      register_tile<T, w, 1, 1, k, broadcast_a, epilogue::overwrite>(t);
    }
  CHECK(c == f);
  t.a = a.data();
  for (int i = 0; i < w; ++i) {
    t.b = b.data() + i;
    t.c = e.data() + i;
    register_tile<T, 1, m, n, k, broadcast_a, epilogue::overwrite>(t);
  }
  CHECK(c == e);
}

}  // namespace

TEST_CASE("register_tile is exact on small integers") {
  check_exact<double>();
  check_exact<float>();
  check_exact<std::complex<double>>();
  check_exact<std::complex<float>>();
}

TEST_CASE("register tiles of all shapes, static, run-time and scalar, give the same bits") {
  check_same_bits<double>();
  check_same_bits<float>();
  check_same_bits<std::complex<double>>();
  check_same_bits<std::complex<float>>();
}

namespace {

template <class T, int Last, int Tail>
void check_end() {
  constexpr int w = neighbours<T>;
  check_finishes<T, w, 3, 2, 4, tile_modes{.tail = Tail, .last = Last}>();
  check_finishes<T, w, 2, 3, dynamic_k, tile_modes{.tail = Tail, .last = Last}>();
}

/// The last column in part, and as a narrower vector, whole and in part.
template <class T>
void check_ends() {
  constexpr int w = neighbours<T>;
  check_end<T, 0, 1>();
  if constexpr (w > 2) check_end<T, 0, w - 1>();
  if constexpr (w > 2) check_end<T, 0, any_tail>();
  constexpr int half = neighbours_for<T>(w / 2);
  if constexpr (half < w) {
    check_end<T, half, 0>();
    check_end<T, half, 1>();
    check_end<T, half, half - 1>();
    check_end<T, half, any_tail>();
  }
}

}  // namespace

TEST_CASE("register tiles end in the middle of a vector, or with a narrower one") {
  check_ends<double>();
  check_ends<float>();
  check_ends<std::complex<double>>();
  check_ends<std::complex<float>>();
}

TEST_CASE("a complex register tile keeps infinities and the signs of zeros where alpha is 1") {
  using T = std::complex<double>;
  constexpr int w = lanes<T>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<T> a(2 * w), c(2 * w, not_a_number<T>());
  for (std::size_t i = 0; i < 2 * w; ++i) a[i] = i % 2 == 0 ? T(-0.0, -1) : T(2, infinity);
  tile_operands<T> t{a.data(), nullptr, c.data(), w, 0, 0, 0, 0, w, 0, 1, 0};
  register_tile<T, w, 2, 1, 1, tile_modes{lane_access::lanes, lane_access::lanes, false, false},
                epilogue::update>(t);
  CHECK(c == a);
  CHECK(std::signbit(c[0].real()));
}
