#include <tenfold/tensor/view.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

using namespace tenfold;

static_assert(sizeof(view<double, 3, 4>) == sizeof(double*), "static extents cost nothing");
static_assert(sizeof(view<double, dyn, 4>) == sizeof(double*) + sizeof(tenfold::index));
static_assert(std::is_trivially_copyable_v<strided_view<double, dyn, dyn>>);
static_assert(view<double, dyn, 8, 8>::static_stride(0) == 64);

static_assert(!std::is_constructible_v<view<double, dyn, 4>, double*>, "the extent is missing");
static_assert(!std::is_constructible_v<view<double, 3, 4>, double*, int>, "all are in the type");
static_assert(!std::is_constructible_v<strided_view<double, 3>, double*>, "no strides");

static_assert(std::is_convertible_v<view<double, 3>, view<const double, 3>>);
static_assert(!std::is_constructible_v<view<double, 3>, view<const double, 3>>);
static_assert(std::is_convertible_v<view<double, 3, 4>, view<double, dyn, 4>>);
static_assert(!std::is_convertible_v<view<double, dyn, 4>, view<double, 3, 4>>);
static_assert(std::is_constructible_v<view<double, 3, 4>, view<double, dyn, 4>>);
static_assert(std::is_convertible_v<view<double, 3, 4>, strided_view<const double, 3, dyn>>);
static_assert(!std::is_constructible_v<view<double, 3>, strided_view<double, 3>>);

constexpr double sum_of_diagonal() {
  const double entries[] = {1, 2, 3, 4};
  const view<const double, 2, 2> a(entries);
  return a(0, 0) + a(1, 1);
}
static_assert(sum_of_diagonal() == 5);

namespace {
std::vector<double> iota(std::size_t n) {
  std::vector<double> v(n);
  std::iota(v.begin(), v.end(), 0.0);
  return v;
}
}  // namespace

TEST_CASE("a view is row-major over its pointer") {
  auto memory = iota(24);
  const view<double, dyn, 3, 4> a(memory.data(), 2);
  CHECK(a.data() == memory.data());
  CHECK(a.rank() == 3);
  CHECK(a.size() == 24);
  CHECK(a.extent(0) == 2);
  CHECK(a.stride(0) == 12);
  CHECK(a(1, 2, 3) == 23);
  a(1, 0, 2) = -1;
  CHECK(memory[14] == -1);
}

TEST_CASE("a column-major view is a view with layout_left") {
  auto memory = iota(6);
  const basic_view<double, extents<2, dyn>, layout_left> a(memory.data(), 3);
  CHECK(a(1, 2) == 5);
  CHECK(a(1, 0) == 1);
  const strided_view<double, dyn, dyn> s = a;
  CHECK(s.stride(0) == 1);
  CHECK(s.stride(1) == 2);
  CHECK(s(1, 2) == 5);
}

TEST_CASE("a strided view goes where its strides lead, backwards and nowhere too") {
  auto memory = iota(12);
  SUBCASE("transposed") {
    const strided_view<double, 4, dyn> a(memory.data(), {4, 3}, {1, 4});
    CHECK(a(3, 1) == 7);
    CHECK(a.size() == 12);
  }
  SUBCASE("backwards along both axes") {
    const strided_view<double, dyn, dyn> a(memory.data() + 11, {3, 4}, {-4, -1});
    CHECK(a(0, 0) == 11);
    CHECK(a(2, 3) == 0);
    CHECK(a(1, 0) == 7);
  }
  SUBCASE("one row for all") {
    const strided_view<const double, 5, 4> a(memory.data(), {5, 4}, {0, 1});
    CHECK(a(0, 2) == a(4, 2));
  }
  SUBCASE("the diagonal") {
    const strided_view<double, dyn> a(memory.data(), {3}, {5});
    CHECK(a(2) == 10);
  }
}

TEST_CASE("a view refuses extents that cannot be") {
  double x = 0;
  CHECK_THROWS_WITH_AS((view<double, 3, dyn>(&x, -1)),
                       "tenfold: the extent at position 1 is -1; an extent cannot be negative",
                       shape_error);
  CHECK_THROWS_WITH_AS((strided_view<double, 3, dyn>(&x, {4, 2}, {1, 1})),
                       "tenfold: the extent at position 0 is 4, but the type fixes it to 3",
                       shape_error);
  CHECK_THROWS_AS((strided_view<double, 3, dyn>(&x, {3, -2}, {1, 1})), shape_error);
}

TEST_CASE("a view of more than 2^62 bytes is refused") {
  double x = 0;
  const tenfold::index far = tenfold::index{1} << 59;
  CHECK_THROWS_WITH_AS((strided_view<double, 2, 2>(&x, {2, 2}, {far, 1})),
                       "tenfold: the extents (2, 2) with the strides (576460752303423488, 1) span "
                       "more than 2^62 bytes",
                       shape_error);
  CHECK_THROWS_AS((strided_view<double, 2, 2>(&x, {2, 2}, {4 * far, 1})), shape_error);
  CHECK_THROWS_AS((strided_view<double, 2, 2>(&x, {2, 2}, {-far / 2, far / 2})), shape_error);
  CHECK_THROWS_AS((strided_view<double, 2>(&x, {2}, {INT64_MIN + 1})), shape_error);
  CHECK_THROWS_AS((view<double, dyn>(&x, far + 1)), shape_error);
  CHECK_THROWS_AS((view<double, 3, tenfold::index{1} << 58>(&x)), shape_error);
  CHECK_NOTHROW((strided_view<double, 2>(&x, {2}, {far - 1})));
  CHECK_NOTHROW((strided_view<double, dyn, 2>(&x, {1, 2}, {4 * far, 1})));
  CHECK_NOTHROW((strided_view<double, dyn, dyn>(&x, {3, 0}, {INT64_MAX, INT64_MAX})));
  CHECK_NOTHROW((strided_view<double, dyn>(&x, {INT64_MAX}, {0})));
  CHECK_NOTHROW((view<float, dyn>(nullptr, far + 1)));
}

TEST_CASE("a view with more in its type checks what it is made from") {
  auto memory = iota(12);
  const view<double, dyn, 4> a(memory.data(), 3);
  const view<const double, 3, 4> b(a);
  CHECK(b(2, 3) == 11);
  CHECK_THROWS_WITH_AS((view<double, 2, 4>(a)),
                       "tenfold: the extent at position 0 is 3, but the type fixes it to 2",
                       shape_error);
}

TEST_CASE("a view of rank 0 is one entry") {
  double x = 4;
  const view<double> a(&x);
  CHECK(a.rank() == 0);
  CHECK(a.size() == 1);
  a() = 5;
  CHECK(x == 5);
  const strided_view<const double> s = a;
  CHECK(s() == 5);
}

TEST_CASE("in_bounds looks at every index") {
  const extents<2, dyn> e(3);
  CHECK(in_bounds(e, 1, 2));
  CHECK_FALSE(in_bounds(e, 2, 0));
  CHECK_FALSE(in_bounds(e, 0, 3));
  CHECK_FALSE(in_bounds(e, -1, 0));
  CHECK(in_bounds(extents<>()));
}
