#include <tenfold/tensor/conjugated.hpp>

#include <doctest/doctest.h>

#include <complex>

using namespace tenfold;
using complex = std::complex<double>;

// Who is kept, and who is referred to.
using named = decltype(tenfold::conj(std::declval<tensor<complex, 2, 3>&>()));
using temporary = decltype(tenfold::conj(std::declval<view<complex, 2, 3>>()));
static_assert(std::is_same_v<named, conjugated<tensor<complex, 2, 3>&>>);
static_assert(std::is_same_v<temporary, conjugated<view<complex, 2, 3>>>);
static_assert(std::is_same_v<decltype(tenfold::conj(std::declval<const view<complex, 2, 3>&>())),
                             conjugated<view<complex, 2, 3>>>);

// The same tensor, conjugated as it is read, and never a result.
static_assert(tensor_like<named> && tensor_like<const named&> && tensor_like<temporary>);
static_assert(!writable_tensor_like<named&> && !writable_tensor_like<temporary>);
static_assert(conjugates<named> && conjugates<const temporary&>);
static_assert(!conjugates<tensor<complex, 2, 3>> && !conjugates<complex> && !conjugates<double>);
static_assert(!conjugates<decltype(tenfold::conj(std::declval<named&>()))>, "twice is not at all");
static_assert(!conjugates<conjugated<tensor<double, 2>&>>, "a real tensor is its own conjugate");
static_assert(static_shape_of<named, 2>() == operand_shape<2>{.type = scalar::c64,
                                                              .rank = 2,
                                                              .extents = {2, 3},
                                                              .strides = {3, 1},
                                                              .conjugated = true});
static_assert(!static_shape_of<tensor<complex, 2, 3>, 2>().conjugated);

TEST_CASE("a conjugated tensor has the extents, strides and entries of the tensor") {
  tensor<complex, dyn, 3> a(2);
  a.fill({1, 2});
  const auto c = conj(a);
  using traits = operand_traits_of<decltype(c)>;
  CHECK(traits::data(c) == a.data());
  static_assert(std::is_same_v<decltype(traits::data(c)), const complex*>);
  operand_shape<2> want = shape_of<2>(a);
  want.conjugated = true;
  CHECK(shape_of<2>(c) == want);
  const auto of_view = conj(view<const complex, dyn, 3>(a));
  CHECK(operand_traits_of<decltype(of_view)>::data(of_view) == a.data());
  CHECK(shape_of<2>(of_view) == want);
}

TEST_CASE("a temporary tensor lives as long as its conjugate") {
  auto c = conj([] {
    tensor<complex, dyn> made(2);
    made.fill({3, 4});
    return made;
  }());
  CHECK(operand_traits_of<decltype(c)>::data(c)[1] == complex(3, 4));
}

TEST_CASE("arrays of others are conjugated alike") {
  complex a[2] = {{1, 2}, {3, 4}};
  const auto c = conj(a);
  CHECK(operand_traits_of<decltype(c)>::data(c) == a);
  CHECK(shape_of<1>(c).conjugated);
}
