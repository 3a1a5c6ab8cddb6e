#include <tenfold/tensor/layout.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <type_traits>

using namespace tenfold;

template <class Extents>
using right = layout_right::mapping<Extents>;
template <class Extents>
using left = layout_left::mapping<Extents>;
template <class Extents>
using stride = layout_stride::mapping<Extents>;

template <class Mapping>
constexpr auto static_strides() {
  std::array<tenfold::index, static_cast<std::size_t>(Mapping::rank())> s{};
  for (int i = 0; i < Mapping::rank(); ++i)
    s[static_cast<std::size_t>(i)] = Mapping::static_stride(i);
  return s;
}

static_assert(static_strides<right<extents<dyn, 8, 8, 8>>>() ==
              std::array<tenfold::index, 4>{512, 64, 8, 1});
static_assert(static_strides<right<extents<8, dyn>>>() == std::array<tenfold::index, 2>{dyn, 1});
static_assert(static_strides<right<extents<2, dyn, 5>>>() ==
              std::array<tenfold::index, 3>{dyn, 5, 1});
static_assert(static_strides<left<extents<8, 4, dyn>>>() ==
              std::array<tenfold::index, 3>{1, 8, 32});
static_assert(static_strides<left<extents<dyn, 8>>>() == std::array<tenfold::index, 2>{1, dyn});
static_assert(static_strides<stride<extents<8, 4>>>() == std::array<tenfold::index, 2>{dyn, dyn});

static_assert(right<extents<2, 3, 4>>()(1, 2, 3) == 23);
static_assert(left<extents<2, 3, 4>>()(1, 2, 3) == 23);
static_assert(right<extents<2, 3, 4>>()(1, 0, 2) == 14);
static_assert(left<extents<2, 3, 4>>()(1, 0, 2) == 13);
static_assert(right<extents<>>()() == 0 && left<extents<>>()() == 0);
static_assert(stride<extents<>>(extents<>(), {})() == 0);
static_assert(stride<extents<2, 3>>(extents<2, 3>(), {10, -1})(1, 2) == 8);

static_assert(std::is_empty_v<right<extents<2, 3>>> && std::is_empty_v<left<extents<2, 3>>>);
static_assert(right<extents<dyn>>(extents<dyn>(3)) == right<extents<dyn>>(extents<dyn>(3)));
static_assert(right<extents<dyn>>(extents<dyn>(3)) != right<extents<dyn>>(extents<dyn>(4)));

// A stride of 0 would say that entries repeat; an axis without entries does not make them.
static_assert(static_strides<right<extents<3, 0, 5>>>() == std::array<tenfold::index, 3>{5, 5, 1});
static_assert(static_strides<left<extents<3, 0, 5>>>() == std::array<tenfold::index, 3>{1, 3, 3});
static_assert(right<extents<3, dyn>>(extents<3, dyn>(0)).stride(0) == 1);

TEST_CASE_TEMPLATE("the run-time strides are the static ones where those are known", Mapping,
                   right<extents<3, 4, 5>>, left<extents<3, 4, 5>>, right<extents<7>>) {
  const Mapping mapping;
  for (int i = 0; i < Mapping::rank(); ++i) CHECK(mapping.stride(i) == Mapping::static_stride(i));
}

TEST_CASE_TEMPLATE("an offset is the sum of index times stride", Mapping,
                   right<extents<dyn, 4, dyn>>, left<extents<dyn, 4, dyn>>) {
  const Mapping mapping(extents<dyn, 4, dyn>(3, 5));
  for (tenfold::index i = 0; i < 3; ++i) {
    for (tenfold::index j = 0; j < 4; ++j) {
      for (tenfold::index k = 0; k < 5; ++k) {
        CHECK(mapping(i, j, k) ==
              i * mapping.stride(0) + j * mapping.stride(1) + k * mapping.stride(2));
      }
    }
  }
}

TEST_CASE("strides that lead beyond the range of an index are refused") {
  using two = extents<dyn, dyn>;
  CHECK_THROWS_WITH_AS((stride<two>(two(3, 2), {INT64_MAX, 1})),
                       "tenfold: the extents (3, 2) with the strides (9223372036854775807, 1) "
                       "span offsets of more than 2^63 - 1 entries",
                       shape_error);
  CHECK_THROWS_AS((stride<two>(two(2, 2), {INT64_MAX, -1})), shape_error);
  CHECK_THROWS_AS((stride<two>(two(2, 2), {INT64_MAX, 1})), shape_error);
  CHECK_THROWS_AS((stride<two>(two(2, 2), {dyn, 1})), shape_error);
  CHECK_THROWS_AS((stride<two>(two(1, 2), {dyn, 1})), shape_error);  // not a number, but `dyn`
  CHECK_NOTHROW((stride<two>(two(2, 1), {INT64_MAX, INT64_MAX})));
  CHECK_NOTHROW((stride<two>(two(3, 0), {INT64_MAX, INT64_MAX})));
}
