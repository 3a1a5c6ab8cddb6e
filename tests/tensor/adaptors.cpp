#include <tenfold/tensor/operand_traits.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <foreign.hpp>
#include <span>
#include <string>
#include <vector>
#include <version>
#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#endif
#if defined(__cpp_lib_mdspan)
#include <mdspan>
#endif
#if __has_include(<xtensor/xtensor.hpp>)
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>
#endif

using namespace tenfold;

namespace {

template <int R>
using numbers = std::array<tenfold::index, R>;

template <class X>
constexpr auto extents_of = operand_traits_of<X>::static_extents;
template <class X>
constexpr auto strides_of = operand_traits_of<X>::static_strides;

/// What the traits of x read, in numbers.
template <class X>
operand_shape<4> shape(X& x) {
  return shape_of<4>(x);
}
constexpr operand_shape<4> strided(int rank, const numbers<4>& extents, const numbers<4>& strides) {
  return {.type = scalar::f64, .rank = rank, .extents = extents, .strides = strides};
}

}  // namespace

// --- Nested arrays ---

static_assert(extents_of<double[3][4]> == numbers<2>{3, 4});
static_assert(strides_of<double[3][4]> == numbers<2>{4, 1});
static_assert(extents_of<std::array<std::array<float, 4>, 3>> == numbers<2>{3, 4});
static_assert(extents_of<std::array<double[5], 2>[7]> == numbers<3>{7, 2, 5});
static_assert(strides_of<std::array<double[5], 2>[7]> == numbers<3>{10, 5, 1});
static_assert(extents_of<std::array<double, 0>> == numbers<1>{0});
static_assert(
    std::is_same_v<operand_traits<std::complex<float>[2]>::scalar_t, std::complex<float>>);

static_assert(writable_tensor_like<double (&)[3]> && writable_tensor_like<std::array<double, 3>&>);
static_assert(tensor_like<const double[3]> && !writable_tensor_like<const double (&)[3]>);
static_assert(!writable_tensor_like<const std::array<std::array<double, 2>, 2>&>);
static_assert(!writable_tensor_like<std::array<const double, 3>&>);
static_assert(!tensor_like<int[3]> && !tensor_like<std::array<int, 3>> && !tensor_like<double[]>);
static_assert(!tensor_like<std::array<std::vector<double>, 3>>);
static_assert(!is_view<double[3]> && !is_view<std::array<double, 3>>);
static_assert(!is_view<std::array<const double, 3>>);
static_assert(!tensor_like<decltype("text")> && !tensor_like<double*> && !tensor_like<double**>);

TEST_CASE("nested arrays lie where their first entry lies") {
  double a[2][3] = {{1, 2, 3}, {4, 5, 6}};
  CHECK(operand_traits_of<decltype(a)>::data(a) == &a[0][0]);
  CHECK(shape(a) == strided(2, {2, 3}, {3, 1}));
  const std::array<std::array<double, 3>, 2> b{{{1, 2, 3}, {4, 5, 6}}};
  CHECK(operand_traits_of<decltype(b)>::data(b) == b[0].data());
  CHECK(operand_traits_of<decltype(b)>::data(b) + 3 == b[1].data());
  static_assert(std::is_same_v<decltype(operand_traits_of<decltype(b)>::data(b)), const double*>);
}

// --- Contiguous ---

static_assert(extents_of<std::span<double>> == numbers<1>{dyn});
static_assert(extents_of<std::span<const float, 5>> == numbers<1>{5});
static_assert(strides_of<std::span<double>> == numbers<1>{1});
static_assert(writable_tensor_like<const std::span<double>&>, "a span is not its entries");
static_assert(!writable_tensor_like<std::span<const double>&>);
static_assert(writable_tensor_like<std::vector<double>&>);
static_assert(tensor_like<const std::vector<float>> &&
              !writable_tensor_like<const std::vector<float>&>);
static_assert(extents_of<std::vector<std::array<double, 3>>> == numbers<2>{dyn, 3});
static_assert(strides_of<std::vector<std::array<double, 3>>> == numbers<2>{3, 1});
static_assert(!tensor_like<std::vector<int>> && !tensor_like<std::vector<std::vector<double>>>);
static_assert(is_view<std::span<double>> && is_view<std::span<const float, 5>>);
static_assert(!is_view<std::vector<double>> && !is_view<std::vector<std::array<double, 3>>>);
static_assert(!tensor_like<std::vector<bool>> && !tensor_like<std::string>);

TEST_CASE("spans and vectors have one axis, and those of their entries") {
  std::vector<double> a{1, 2, 3, 4};
  CHECK(shape(a) == strided(1, {4}, {1}));
  CHECK(operand_traits_of<decltype(a)>::data(a) == a.data());
  const std::span<const double> b = std::span<const double>(a).subspan(1);
  CHECK(shape(b) == strided(1, {3}, {1}));
  CHECK(operand_traits_of<decltype(b)>::data(b) == &a[1]);
  std::vector<std::array<double, 3>> points(2);
  CHECK(shape(points) == strided(2, {2, 3}, {3, 1}));
  CHECK(operand_traits_of<decltype(points)>::data(points) == &points[0][0]);
}

// --- Shaped like std::mdspan ---

using foreign::dynamic_extent;
template <class T, class Layout, std::size_t... E>
using mdspan = foreign::mdspan<T, foreign::extents<E...>, Layout>;

static_assert(extents_of<mdspan<double, foreign::layout_right, dynamic_extent, 8, 4>> ==
              numbers<3>{dyn, 8, 4});
static_assert(strides_of<mdspan<double, foreign::layout_right, dynamic_extent, 8, 4>> ==
              numbers<3>{32, 4, 1});
static_assert(strides_of<mdspan<double, foreign::layout_right, 8, dynamic_extent, 4>> ==
              numbers<3>{dyn, 4, 1});
static_assert(strides_of<mdspan<double, foreign::layout_padded<8>, 5, dynamic_extent>> ==
                  numbers<2>{dyn, dyn},
              "padding makes one stride of two extents");
static_assert(writable_tensor_like<const mdspan<double, foreign::layout_right, 3>&>);
static_assert(!writable_tensor_like<mdspan<const double, foreign::layout_right, 3>&>);
static_assert(is_view<mdspan<double, foreign::layout_right, 3>>);
static_assert(is_view<mdspan<const double, foreign::layout_right, 3>>);
static_assert(!tensor_like<mdspan<double, foreign::layout_packed, 3, 3>>, "no strides");
static_assert(
    !tensor_like<foreign::mdspan<double, foreign::extents<3>, foreign::layout_right, double>>,
    "its accessor computes");
static_assert(operand_traits<mdspan<double, foreign::layout_right>>::rank == 0);

TEST_CASE("an mdspan without axes is one number") {
  double memory = 5;
  const mdspan<double, foreign::layout_right> a(&memory, {});
  CHECK(shape(a) == strided(0, {}, {}));
  CHECK(operand_traits_of<decltype(a)>::data(a) == &memory);
}

TEST_CASE("an mdspan gives its extents and strides") {
  double memory[2 * 3 * 8] = {};
  const mdspan<double, foreign::layout_padded<8>, dynamic_extent, 3, dynamic_extent> a(memory,
                                                                                       {2, 3, 5});
  CHECK(shape(a) == strided(3, {2, 3, 5}, {24, 8, 1}));
  CHECK(operand_traits_of<decltype(a)>::data(a) == memory);
}

#if defined(__cpp_lib_mdspan)
using std_mdspan = std::mdspan<double, std::extents<int, std::dynamic_extent, 8, 4>>;
static_assert(extents_of<std_mdspan> == numbers<3>{dyn, 8, 4});
static_assert(strides_of<std_mdspan> == numbers<3>{32, 4, 1});
static_assert(strides_of<std::mdspan<const float, std::extents<int, 3, 5>, std::layout_left>> ==
              numbers<2>{1, 3});
#endif

// --- Matrices ---

using foreign::dynamic;

static_assert(extents_of<foreign::matrix<double, 3, dynamic>> == numbers<2>{3, dyn});
static_assert(strides_of<foreign::matrix<double, 3, dynamic>> == numbers<2>{1, 3});
static_assert(strides_of<foreign::matrix<double, 3, 4, 1>> == numbers<2>{4, 1});
static_assert(strides_of<foreign::matrix<double, dynamic, dynamic>> == numbers<2>{1, dyn});
static_assert(extents_of<foreign::matrix<float, dynamic, 1>> == numbers<1>{dyn});
static_assert(extents_of<foreign::matrix<float, 1, 5>> == numbers<1>{5});
static_assert(strides_of<foreign::matrix<float, 1, 5>> == numbers<1>{1});
static_assert(strides_of<foreign::map<double, 3, 4>> == numbers<2>{dyn, dyn});
static_assert(writable_tensor_like<foreign::matrix<double, 3, 3>&>);
static_assert(!writable_tensor_like<const foreign::matrix<double, 3, 3>&>);
static_assert(is_view<foreign::map<double, 3, 4>> && is_view<foreign::map<const double, 3, 4>>);
static_assert(!is_view<foreign::matrix<double, 3, 4>>);
static_assert(!tensor_like<foreign::matrix<int, 3, 3>>);
static_assert(!tensor_like<foreign::matrix_expression>, "it has no entries");

TEST_CASE("a matrix gives its extents and strides; a vector has one axis") {
  foreign::matrix<double, dynamic, dynamic> a(2, 3);
  CHECK(shape(a) == strided(2, {2, 3}, {1, 2}));
  foreign::matrix<double, dynamic, 3, 1> b(2, 3);
  CHECK(shape(b) == strided(2, {2, 3}, {3, 1}));
  foreign::matrix<double, 1, dynamic> row(1, 7);
  CHECK(shape(row) == strided(1, {7}, {1}));
  double memory[40] = {};
  const foreign::map<double, dynamic, 3> c(memory, 2, 3, 5, 12);
  CHECK(shape(c) == strided(2, {2, 3}, {5, 12}));
  CHECK(operand_traits_of<decltype(c)>::data(c) == memory);
  foreign::map<double, 1, dynamic> d(memory, 1, 4, 5, 12);
  CHECK(shape(d) == strided(1, {4}, {5}));
}

#if __has_include(<Eigen/Core>)
static_assert(extents_of<Eigen::Matrix<double, 3, Eigen::Dynamic>> == numbers<2>{3, dyn});
static_assert(strides_of<Eigen::Matrix<double, 3, Eigen::Dynamic>> == numbers<2>{1, 3});
static_assert(strides_of<Eigen::Matrix3d> == numbers<2>{1, 3});
static_assert(extents_of<Eigen::VectorXf> == numbers<1>{dyn});
static_assert(extents_of<Eigen::RowVector3d> == numbers<1>{3});
static_assert(strides_of<Eigen::RowVector3d> == numbers<1>{1});
static_assert(tensor_like<Eigen::ArrayXXd> && tensor_like<Eigen::Matrix2cf>);
static_assert(writable_tensor_like<Eigen::Map<Eigen::MatrixXd>&>);
static_assert(!writable_tensor_like<Eigen::Map<const Eigen::MatrixXd>&>);
static_assert(!writable_tensor_like<const Eigen::MatrixXd&>);
static_assert(writable_tensor_like<Eigen::Ref<Eigen::MatrixXd>&>);
static_assert(is_view<Eigen::Map<Eigen::MatrixXd>> && is_view<Eigen::Map<const Eigen::VectorXf>>);
static_assert(is_view<Eigen::Block<Eigen::MatrixXd>> && is_view<Eigen::Ref<Eigen::MatrixXd>>);
static_assert(!is_view<Eigen::MatrixXd> && !is_view<Eigen::Array3d>);
static_assert(!is_view<Eigen::Matrix<double, 3, 3, Eigen::DontAlign>>, "PlainObject is aligned");
struct named_vector : Eigen::VectorXd {
  using Eigen::VectorXd::VectorXd;
};
static_assert(!is_view<named_vector>);
static_assert(!tensor_like<Eigen::Matrix3i>);
static_assert(!tensor_like<decltype(Eigen::MatrixXd() + Eigen::MatrixXd())>);

TEST_CASE("Eigen's matrices, blocks and maps give their extents and strides") {
  Eigen::MatrixXd a(4, 5);
  CHECK(shape(a) == strided(2, {4, 5}, {1, 4}));
  auto block = a.block(1, 2, 2, 3);
  CHECK(shape(block) == strided(2, {2, 3}, {1, 4}));
  CHECK(operand_traits_of<decltype(block)>::data(block) == &a(1, 2));
  auto row = a.row(2);
  CHECK(shape(row) == strided(1, {5}, {4}));
  CHECK(operand_traits_of<decltype(row)>::data(row) == &a(2, 0));
  auto transposed = a.transpose();
  CHECK(shape(transposed) == strided(2, {5, 4}, {4, 1}));
  Eigen::Map<Eigen::MatrixXd, 0, Eigen::Stride<Eigen::Dynamic, 2>> map(
      a.data(), 2, 2, Eigen::Stride<Eigen::Dynamic, 2>(8, 2));
  static_assert(strides_of<decltype(map)> == numbers<2>{2, dyn});
  CHECK(shape(map) == strided(2, {2, 2}, {2, 8}));
}
#endif

// --- Shaped like xtensor's ---

using shaped_2 = foreign::shaped<double, std::array<std::size_t, 2>>;
static_assert(extents_of<shaped_2> == numbers<2>{dyn, dyn});
static_assert(strides_of<shaped_2> == numbers<2>{dyn, dyn});
static_assert(writable_tensor_like<shaped_2&> && !writable_tensor_like<const shaped_2&>);
static_assert(!is_view<shaped_2>, "it may own its entries");
static_assert(!tensor_like<foreign::shaped<double, std::vector<std::size_t>>>,
              "its rank is not in its type, and it is no vector");

TEST_CASE("a tensor with a shape gives its extents, strides and offset") {
  double memory[40] = {};
  shaped_2 a(memory, {2, 3}, {12, 4}, 5);
  CHECK(shape(a) == strided(2, {2, 3}, {12, 4}));
  CHECK(operand_traits_of<decltype(a)>::data(a) == memory + 5);
}

#if __has_include(<xtensor/xtensor.hpp>)
static_assert(tensor_like<xt::xtensor<double, 2>> && !tensor_like<xt::xarray<double>>);
static_assert(!is_view<xt::xtensor<double, 2>>);

TEST_CASE("xtensor's tensors and views give their extents and strides") {
  xt::xtensor<double, 2> a = xt::zeros<double>({4, 5});
  CHECK(shape(a) == strided(2, {4, 5}, {5, 1}));
  auto part = xt::view(a, xt::range(1, 3), xt::range(2, 5));
  CHECK(shape(part) == strided(2, {2, 3}, {5, 1}));
  CHECK(operand_traits_of<decltype(part)>::data(part) == &a(1, 2));
  static_assert(!is_view<decltype(part)>, "an adaptor, which may own, looks the same");
}
#endif
