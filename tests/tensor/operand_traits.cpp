#include <tenfold/tensor/conjugated.hpp>
#include <tenfold/tensor/operand_traits.hpp>

#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <type_traits>
#include <vector>

using namespace tenfold;

// What is an operand, and what may be written.
static_assert(tensor_like<tensor<double, 3>> && tensor_like<const tensor<double, 3>&>);
static_assert(tensor_like<view<const float, dyn>> && tensor_like<const strided_view<double, 3>&>);
static_assert(tensor_like<double> && tensor_like<const float&>);
static_assert(tensor_like<std::complex<double>> && tensor_like<tensor<std::complex<float>, 2>>);
static_assert(!tensor_like<int> && !tensor_like<tensor<int, 3>> && !tensor_like<double*>);
static_assert(!tensor_like<std::vector<int>>);

static_assert(writable_tensor_like<tensor<double, 3>&>);
static_assert(!writable_tensor_like<const tensor<double, 3>&>);
static_assert(writable_tensor_like<view<double, 3>>);
static_assert(writable_tensor_like<const view<double, 3>&>, "the entries are not const");
static_assert(!writable_tensor_like<view<const double, 3>&>);
static_assert(!writable_tensor_like<double&>, "a number is an input only");

// What the type says.
using traits = operand_traits<const tensor<float, dyn, 8, 4>>;
static_assert(std::is_same_v<traits::scalar_t, float>);
static_assert(traits::rank == 3);
static_assert(traits::static_extents == std::array<tenfold::index, 3>{dyn, 8, 4});
static_assert(traits::static_strides == std::array<tenfold::index, 3>{32, 4, 1});
static_assert(traits::layout == batch_layout::strided && traits::space == device::cpu);
static_assert(operand_traits<strided_view<double, 2, dyn>>::static_extents ==
              std::array<tenfold::index, 2>{2, dyn});
static_assert(operand_traits<strided_view<double, 2, dyn>>::static_strides ==
              std::array<tenfold::index, 2>{dyn, dyn});
static_assert(operand_traits<double>::rank == 0);

// Whose entries lie apart from all others' by their types alone.
static_assert(is_held<tensor<double, 2, 3>> && is_held<tensor<float>>);
static_assert(!is_held<tensor<double, dyn, 3>> && !is_held<tensor<double, 64, 64>>);
static_assert(!is_held<double> && !is_held<view<double, 2, 3>>);
static_assert(!is_held<conjugated<tensor<std::complex<double>, 2>>>);

// Who refers to entries of others, so that its copies do.
static_assert(is_view<view<double, 2>> && is_view<view<const double, 2>>);
static_assert(is_view<strided_view<double, dyn>> && !is_view<tensor<double, 2>>);
static_assert(!is_view<tensor<double, dyn>> && !is_view<double>);
static_assert(is_view<conjugated<tensor<std::complex<double>, 2>&>>);
static_assert(is_view<conjugated<view<std::complex<double>, 2>>>);
static_assert(!is_view<conjugated<tensor<std::complex<double>, 2>>>, "a temporary, kept here");
static_assert(std::is_same_v<kept_operand<tensor<double, 2>&>, tensor<double, 2>&>);
static_assert(std::is_same_v<kept_operand<tensor<double, 2>>, tensor<double, 2>>);
static_assert(std::is_same_v<kept_operand<const view<double, 2>&>, view<double, 2>>);

// The shape as data.
static_assert(static_shape_of<const tensor<double, dyn, 8>&, 4>() ==
              operand_shape<4>{.type = scalar::f64,
                               .rank = 2,
                               .extents = {dyn, 8, 0, 0},
                               .strides = {8, 1, 0, 0},
                               .layout = batch_layout::strided,
                               .space = device::cpu});
static_assert(static_shape_of<float, 4>() == operand_shape<4>{.type = scalar::f32});
static_assert(shape_of<2>(2.0) == operand_shape<2>{});
static_assert(operand_shape<3>::max_rank == 3);
static_assert(static_shape_of<tensor<double, 2, 3>, 4>() ==
              static_shape_of<view<const double, 2, 3>, 4>());
static_assert(static_shape_of<tensor<double, 2, 3>, 4>() !=
              static_shape_of<tensor<double, 3, 2>, 4>());

// A shape can be a template argument.
template <operand_shape<2> Shape>
constexpr int rank_of = Shape.rank;
static_assert(rank_of<static_shape_of<tensor<double, 2, 3>, 2>()> == 2);

TEST_CASE("the traits of a tensor read the tensor") {
  tensor<double, dyn, 3> a(2);
  using t = operand_traits_of<decltype(a)&>;
  CHECK(t::extent(a, 0) == 2);
  CHECK(t::extent(a, 1) == 3);
  CHECK(t::stride(a, 0) == 3);
  CHECK(t::data(a) == a.data());
  static_assert(std::is_same_v<decltype(t::data(a)), double*>);
  const auto& c = a;
  static_assert(std::is_same_v<decltype(operand_traits_of<decltype(c)>::data(c)), const double*>);
}

TEST_CASE("the traits of a number point to the number") {
  const double x = 3;
  CHECK(operand_traits_of<decltype(x)>::data(x) == &x);
}

TEST_CASE("shape_of leaves no dyn") {
  double memory[12] = {};
  const strided_view<const double, dyn, 3> a(memory + 11, {4, 3}, {-3, -1});
  CHECK(shape_of<3>(a) ==
        operand_shape<3>{
            .type = scalar::f64, .rank = 2, .extents = {4, 3, 0}, .strides = {-3, -1, 0}});
}

// An adaptor needs the traits and nothing else.
namespace other {
struct column {
  double at[3];
};
}  // namespace other

template <>
struct tenfold::operand_traits<other::column>
    : tenfold::strided_operand_traits<double, layout_right::mapping<extents<3>>> {
  static constexpr index extent(const other::column&, int) noexcept { return 3; }
  static constexpr index stride(const other::column&, int) noexcept { return 1; }
  static constexpr double* data(other::column& x) noexcept { return x.at; }
};

static_assert(writable_tensor_like<other::column&>);

TEST_CASE("a type becomes an operand by its operand_traits") {
  other::column x{{1, 2, 3}};
  CHECK(shape_of<1>(x) ==
        operand_shape<1>{.type = scalar::f64, .rank = 1, .extents = {3}, .strides = {1}});
  CHECK(operand_traits_of<decltype(x)&>::data(x)[2] == 3);
}
