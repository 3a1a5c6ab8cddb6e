#include <tenfold/tensor/sliced.hpp>

#include <doctest/doctest.h>

using namespace tenfold;

TEST_CASE("a slice keeps what the type knows, and refers to the entries") {
  tensor<double, dyn, 3, 4> a(2);
  const auto s = slice<0, 2>(a, {0, 1, 0});
  using traits = operand_traits<decltype(s)>;
  static_assert(traits::static_extents == std::array<tenfold::index, 2>{dyn, 4});
  static_assert(traits::static_strides == std::array<tenfold::index, 2>{12, 1});
  static_assert(is_view<sliced<tensor<double, dyn, 3, 4>, 0, 2>>);
  CHECK(traits::data(s) == &a(0, 1, 0));
  CHECK_THROWS_WITH_AS((slice<0, 2>(a, {0, 3, 0})),
                       "tenfold: the index at position 1 is 3, but the extent there is 3",
                       shape_error);
}

TEST_CASE("a slice of what has no address has none") {
  const view<const double, dyn, 3> nowhere(nullptr, 2);
  CHECK(slice<0>(nowhere, {0, 2}).data == nullptr);
}
