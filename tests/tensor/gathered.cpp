#include <tenfold/tensor/gathered.hpp>

#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <tenfold/tensor/conjugated.hpp>

using namespace tenfold;
using number = tenfold::index;
using c32 = std::complex<float>;
using c64 = std::complex<double>;

// Conversions.
template <class T>
using g22 = gathered<T, 2, 2>;
static_assert(std::is_trivially_copyable_v<g22<double>>);
static_assert(std::is_constructible_v<g22<double>, double*, index_map<std::int32_t>>);
static_assert(std::is_constructible_v<g22<double>, double*, index_map<std::int64_t>>);
static_assert(!std::is_constructible_v<g22<double>, const double*, index_map<std::int64_t>>);
static_assert(!std::is_constructible_v<g22<double>, double*, index_map<std::int64_t>, int>);
static_assert(std::is_convertible_v<g22<double>, g22<const double>>);
static_assert(!std::is_constructible_v<g22<double>, g22<const double>>);
static_assert(std::is_convertible_v<g22<double>, gathered<const double, 2, dyn>>);
static_assert(!std::is_convertible_v<gathered<double, 2, dyn>, g22<double>>);
static_assert(std::is_constructible_v<g22<double>, gathered<double, 2, dyn>>);

// Traits.
static_assert(writable_tensor_like<g22<float>> && writable_tensor_like<const g22<c64>&>);
static_assert(tensor_like<g22<const float>> && !writable_tensor_like<g22<const float>>);
using traits = operand_traits<const gathered<const c32, 3, 4>>;
static_assert(std::is_same_v<traits::scalar_t, c32> && traits::rank == 3);
static_assert(traits::layout == batch_layout::gathered && traits::space == device::cpu);
static_assert(traits::static_extents == std::array<number, 3>{dyn, 3, 4});
static_assert(traits::static_strides == std::array<number, 3>{12, 4, 1});
static_assert(operand_traits<gathered<double, 3, dyn>>::static_strides ==
              std::array<number, 3>{dyn, dyn, 1});
static_assert(operand_traits<gathered<double, 8>>::rank == 2);

namespace {

constexpr std::int32_t square[] = {0, 1, 3, 2};
constexpr double corners[] = {1, 2, 3, 4};
constexpr double last_corner() {
  const index_map map(square, 1, 4, 4);
  return map.data()[3] == 2 && map.entries() == 4 ? corners[map.data()[3]] : 0;
}
static_assert(last_corner() == 3, "a map is checked at compile time too");

/// Every seventh entry is not there, the others jump about.
template <class I>
std::vector<I> numbers_of(number count, number size) {
  std::vector<I> numbers;
  for (number k = 0; k < count; ++k) {
    numbers.push_back(static_cast<I>(k % 7 == 3 ? -1 : (k * 5 + 2) % size));
  }
  return numbers;
}

template <class T, class I, number m, number n, class... Dynamic>
void check_gather(number batch, number rows, number columns, Dynamic... dynamic) {
  constexpr number size = 17;
  std::vector<T> array;
  for (int k = 0; k < size; ++k) array.push_back(T(static_cast<real_type<T>>(k + 1)));
  const std::vector<T> before = array;
  const auto numbers = numbers_of<I>(batch * rows * columns, size);
  const index_map map(numbers.data(), batch, rows * columns, size);
  const gathered<T, m, n> u(array.data(), map, dynamic...);
  CHECK(u.extent(0) == batch);
  CHECK(u.size() == static_cast<number>(numbers.size()));
  CHECK(u.array_size() == size);
  CHECK(u.stride(0) == (rows > 0 ? rows : 1) * columns);
  const gathered<const T, dyn, dyn> c = u;
  std::size_t k = 0;
  for (number b = 0; b < batch; ++b) {
    for (number i = 0; i < rows; ++i) {
      for (number j = 0; j < columns; ++j, ++k) {
        const auto at = static_cast<std::size_t>(numbers[k]);
        CHECK(c(b, i, j) == (numbers[k] < 0 ? T(0) : before[at]));
        CHECK(u(b, i, j) == c(b, i, j));
        u(b, i, j) = T(-1);
        CHECK(c(b, i, j) == (numbers[k] < 0 ? T(0) : T(-1)));
        u(b, i, j) = numbers[k] < 0 ? T(5) : before[at];
        u(b, i, j) += T(1);
        CHECK(c(b, i, j) == (numbers[k] < 0 ? T(0) : before[at] + T(1)));
        u(b, i, j) -= T(1);
        u(b, i, j) *= T(1);
      }
    }
  }
  CHECK(array == before);
}

}  // namespace

TEST_CASE_TEMPLATE("entries are gathered and written where the map says, -1 is 0 and dropped", T,
                   float, double, c32, c64) {
  for (const number batch : {0, 1, 4}) {
    check_gather<T, std::int32_t, 3, 2>(batch, 3, 2);
    check_gather<T, std::int64_t, 3, 2>(batch, 3, 2);
    check_gather<T, std::int32_t, dyn, 2>(batch, 3, 2, 3);
    check_gather<T, std::int64_t, dyn, dyn>(batch, 5, 1, 5, 1);
    check_gather<T, std::int32_t, dyn, dyn>(batch, 0, 3, 0, 3);
  }
}

TEST_CASE("one map serves vectors and tensors of any rank") {
  std::int64_t numbers[] = {7, 6, 5, 4, 3, 2, 1, 0};
  double array[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  const index_map map(numbers, 1, 8, 8);
  CHECK(gathered<const double, 8>(array, map)(0, 2) == 5);
  CHECK(gathered<const double, 2, 2, 2>(array, map)(0, 1, 0, 1) == 2);
  CHECK(gathered<const double, dyn, 2, 2>(array, map, 2)(0, 1, 1, 1) == 0);
  const index_map scalars(numbers, 8, 1, 8);
  CHECK(gathered<const double>(array, scalars)(3) == 4);
}

TEST_CASE("a gathered entry assigned to another copies the number") {
  std::int32_t numbers[] = {0, 1, -1};
  double array[] = {1, 2};
  const gathered<double, 3> u(array, index_map(numbers, 1, 3, 2));
  u(0, 0) = u(0, 1);
  CHECK(array[0] == 2);
  u(0, 0) = u(0, 2);
  CHECK(array[0] == 0);
  auto entry = u(0, 0);
  entry = u(0, 1);
  CHECK(array[0] == 2);
  CHECK(u(0, 0) == u(0, 1));
  u(0, 2) = u(0, 1);
  CHECK(u(0, 2) == 0.0);
}

TEST_CASE("an index map is checked once, and names the first wrong number") {
  std::int32_t numbers[] = {0, -1, 2, 3, 4, 5};
  CHECK_NOTHROW(index_map(numbers, 2, 3, 6));
  CHECK_THROWS_WITH_AS(index_map(numbers, 2, 3, 5),
                       "tenfold: the map of problem 1 has 5 at entry 2, which is neither -1 nor an "
                       "index into an array of 5 entries",
                       shape_error);
  numbers[1] = -2;
  CHECK_THROWS_WITH_AS(index_map(numbers, 3, 2, 6),
                       "tenfold: the map of problem 0 has -2 at entry 1, which is neither -1 nor "
                       "an index into an array of 6 entries",
                       shape_error);
  const std::int64_t far[] = {0, number{1} << 40};
  CHECK_NOTHROW(index_map(far, 1, 2, (number{1} << 40) + 1));
  CHECK_THROWS_AS(index_map(far, 1, 2, number{1} << 40), shape_error);
  CHECK_NOTHROW(index_map(numbers, 0, 2, 0));
  CHECK_NOTHROW(index_map(numbers, 2, 0, 0));
  CHECK_THROWS_WITH_AS(
      index_map(numbers, 0, 2, -6),
      "tenfold: the map points into an array of -6 entries; a size cannot be negative",
      shape_error);
  CHECK_THROWS_WITH_AS(index_map(numbers, 1, -1, 6),
                       "tenfold: the extent at position 1 is -1; an extent cannot be negative",
                       shape_error);
}

TEST_CASE("an index map without an address is refused where it has entries") {
  const std::int32_t* const nowhere = nullptr;
  CHECK_THROWS_WITH_AS(
      index_map(nowhere, 2, 3, 6),
      "tenfold: index_map: the map has entries, but the address of its numbers is null",
      shape_error);
  CHECK_NOTHROW(index_map(nowhere, 0, 3, 6));
  CHECK_NOTHROW(index_map(nowhere, 2, 0, 6));
}

TEST_CASE("gathered entries refuse extents that are not those of the map") {
  const std::int32_t numbers[12] = {};
  double array[1] = {};
  const index_map map(numbers, 2, 6, 1);
  CHECK_NOTHROW((gathered<double, 3, 2>(array, map)));
  CHECK_THROWS_WITH_AS((gathered<double, 4, 2>(array, map)),
                       "tenfold: the map has 6 entries for each problem, which are not the extents "
                       "4 x 2",
                       shape_error);
  CHECK_THROWS_WITH_AS((gathered<double, dyn>(array, map, 5)),
                       "tenfold: the map has 6 entries for each problem, which are not the extents "
                       "5",
                       shape_error);
  CHECK_THROWS_WITH_AS((gathered<double>(array, map)),
                       "tenfold: the map has 6 entries for each problem, which are not the extents "
                       "of a number",
                       shape_error);
  CHECK_THROWS_WITH_AS((gathered<double, dyn, 2>(array, map, -3)),
                       "tenfold: the extent at position 1 is -3; an extent cannot be negative",
                       shape_error);
  const gathered<double, dyn, 2> general(array, map, 3);
  CHECK_NOTHROW((gathered<double, 3, 2>(general)));
  CHECK_THROWS_WITH_AS((gathered<double, 4, 2>(general)),
                       "tenfold: the extent at position 1 is 3, but the type fixes it to 4",
                       shape_error);
}

TEST_CASE("the traits of gathered entries give the array and the map") {
  const std::int32_t narrow[] = {0, 0, 0, 0};
  const std::int64_t wide[] = {0, 0, 0, 0};
  c64 array[1];
  const g22<c64> x(array, index_map(narrow, 1, 4, 1)), y(array, index_map(wide, 1, 4, 1));
  using t = operand_traits_of<decltype(x)>;
  static_assert(std::is_same_v<decltype(t::data(x)), c64*>);
  CHECK(t::data(x) == array);
  CHECK(t::map(x) == narrow);
  CHECK_FALSE(t::wide_map(x));
  CHECK(t::map(y) == wide);
  CHECK(t::wide_map(y));
  CHECK(shape_of<3>(x) == operand_shape<3>{.type = scalar::c64,
                                           .rank = 3,
                                           .extents = {1, 2, 2},
                                           .strides = {4, 2, 1},
                                           .layout = batch_layout::gathered});
  const auto z = conj(y);
  using conj_traits = operand_traits_of<decltype(z)>;
  static_assert(std::is_same_v<decltype(conj_traits::data(z)), const c64*>);
  CHECK(conj_traits::map(z) == wide);
  CHECK(conj_traits::wide_map(z));
  CHECK(shape_of<3>(z).conjugated);
}
