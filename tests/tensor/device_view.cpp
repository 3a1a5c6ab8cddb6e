#include <tenfold/tensor/device_view.hpp>

#include <doctest/doctest.h>

#include <tenfold/tensor/interleaved.hpp>
#include <tenfold/tensor/pointers.hpp>
#include <type_traits>

namespace tenfold {
namespace {

template <class View>
using there = device_view<device::cuda, View>;

template <class View>
constexpr bool differs_in_space_alone() {
  using here = operand_traits<View>;
  using away = operand_traits<there<View>>;
  return here::space == device::cpu && away::space == device::cuda &&
         std::is_same_v<typename here::scalar_t, typename away::scalar_t> &&
         here::is_writable == away::is_writable && here::layout == away::layout &&
         here::static_extents == away::static_extents &&
         here::static_strides == away::static_strides;
}
static_assert(differs_in_space_alone<view<double, dyn, 3>>());
static_assert(differs_in_space_alone<view<const float, 2, 3>>());
static_assert(differs_in_space_alone<strided_view<double, dyn, dyn>>());
static_assert(differs_in_space_alone<interleaved_view<double, 8, 3, 4>>());
static_assert(differs_in_space_alone<pointers<double, 3, 4>>());
static_assert(tensor_like<const there<view<double, 3>>>);
static_assert(!std::is_invocable_v<there<view<double, 3>>, int>, "no entry can be read here");

}  // namespace

TEST_CASE("a view of a device's memory has the numbers of the view") {
  double entries[24] = {};
  const auto x = in_memory_of<device::cuda>(view<double, dyn, 3>(entries, 8));
  const auto shape = shape_of<3>(x);
  CHECK(shape.space == device::cuda);
  CHECK(shape.extents[0] == 8);
  CHECK(shape.strides[0] == 3);
  CHECK(operand_traits<decltype(x)>::data(x) == entries);
  const auto lanes = in_memory_of<device::cuda>(interleaved_view<double, 8, 3>(entries, 8));
  CHECK(shape_of<3>(lanes).block == 8);
  CHECK(shape_of<3>(lanes).layout == batch_layout::interleaved);
}

}  // namespace tenfold
