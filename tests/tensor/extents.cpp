#include <tenfold/tensor/extents.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

using namespace tenfold;

static_assert(extents<>::rank() == 0 && extents<>().size() == 1);
static_assert(extents<3, dyn, 4>::rank() == 3 && extents<3, dyn, 4>::rank_dynamic() == 1);
static_assert(extents<3, dyn>::static_extent(0) == 3 && extents<3, dyn>::static_extent(1) == dyn);
static_assert(extents<dyn, 8, dyn>(2, 5).extent(0) == 2);
static_assert(extents<dyn, 8, dyn>(2, 5).extent(1) == 8);
static_assert(extents<dyn, 8, dyn>(2, 5).extent(2) == 5);
static_assert(extents<dyn, 8, dyn>(2, 5).size() == 80);
static_assert(extents<dyn, 0>(7).size() == 0);
static_assert(extents<dyn, 3>().size() == 0, "dynamic extents begin as 0");

static_assert(std::is_empty_v<extents<3, 4>>, "an object holds the dynamic extents only");
static_assert(sizeof(extents<3, dyn, 4>) == sizeof(tenfold::index));
static_assert(sizeof(extents<dyn, dyn>) == 2 * sizeof(tenfold::index));
static_assert(std::is_trivially_copyable_v<extents<3, dyn>>);

static_assert(extents<dyn, 3>(2) == extents<dyn, 3>(std::array<tenfold::index, 2>{2, 3}));
static_assert(extents<dyn, 3>(2) != extents<dyn, 3>(4));

static_assert(std::is_constructible_v<extents<dyn, 3>, int>);
static_assert(std::is_constructible_v<extents<dyn, 3>, std::size_t>);
static_assert(!std::is_constructible_v<extents<dyn, 3>, double>, "an extent is an integer");
static_assert(!std::is_constructible_v<extents<dyn, 3>, int, int>, "the dynamic ones only");
static_assert(!std::is_constructible_v<extents<dyn, dyn>, int>);

static_assert(std::is_convertible_v<extents<2, 3>, extents<dyn, 3>>);
static_assert(!std::is_convertible_v<extents<dyn, 3>, extents<2, 3>>);
static_assert(std::is_constructible_v<extents<2, 3>, extents<dyn, 3>>);
static_assert(!std::is_constructible_v<extents<2, 3>, extents<2, 4>>);
static_assert(!std::is_constructible_v<extents<2, 3>, extents<2>>);
static_assert(extents<dyn, 3>(extents<2, 3>()).extent(0) == 2);

TEST_CASE("a negative extent is refused with its position and value") {
  CHECK_THROWS_WITH_AS((extents<3, dyn>(-2)),
                       "tenfold: the extent at position 1 is -2; an extent cannot be negative",
                       shape_error);
  CHECK_THROWS_AS((extents<dyn>(dyn)), shape_error);
  CHECK_THROWS_AS((extents<dyn>(SIZE_MAX)), shape_error);
}

TEST_CASE("an extent that is not the one in the type is refused with both numbers") {
  CHECK_THROWS_WITH_AS((extents<dyn, 8>(std::array<tenfold::index, 2>{3, 7})),
                       "tenfold: the extent at position 1 is 7, but the type fixes it to 8",
                       shape_error);
  CHECK_THROWS_WITH_AS((extents<2, 8>(extents<dyn, 8>(5))),
                       "tenfold: the extent at position 0 is 5, but the type fixes it to 2",
                       shape_error);
}

TEST_CASE("more entries than an index can count are refused") {
  const tenfold::index big = tenfold::index{1} << 32;
  CHECK_THROWS_WITH_AS((extents<dyn, 4, dyn>(big, big)),
                       "tenfold: the extents 4294967296 x 4 x 4294967296 multiply to more than "
                       "2^63 - 1 entries",
                       shape_error);
  CHECK_NOTHROW((extents<dyn>(INT64_MAX)));
  CHECK_THROWS_AS((extents<dyn, 2>(INT64_MAX / 2 + 1)), shape_error);
}

TEST_CASE("an extent of 0 does not excuse the others, whose strides would overflow") {
  const tenfold::index big = tenfold::index{1} << 32;
  CHECK_THROWS_AS((extents<dyn, dyn, dyn>(0, big, big)), shape_error);
  CHECK_THROWS_AS((extents<dyn, dyn, dyn>(big, big, 0)), shape_error);
}
