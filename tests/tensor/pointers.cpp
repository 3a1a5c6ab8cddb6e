#include <tenfold/tensor/pointers.hpp>

#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <type_traits>
#include <vector>

#include <tenfold/tensor/conjugated.hpp>

using namespace tenfold;
using number = tenfold::index;
using c32 = std::complex<float>;
using c64 = std::complex<double>;

static_assert(sizeof(pointers<double, 3, 4>) == sizeof(double**) + sizeof(number));
static_assert(std::is_trivially_copyable_v<strided_pointers<double, 3, dyn>>);

// Constructors: the list, its length, the dynamic extents; or all extents and the strides.
static_assert(std::is_constructible_v<pointers<double, 3, 4>, double**, int>);
static_assert(std::is_constructible_v<pointers<const double, 3, 4>, double**, int>);
static_assert(!std::is_constructible_v<pointers<double, 3, 4>, const double**, int>);
static_assert(!std::is_constructible_v<pointers<double, 3, 4>, double**>);
static_assert(!std::is_constructible_v<pointers<double, 3, 4>, double**, int, int>);
static_assert(!std::is_constructible_v<strided_pointers<double, 3, 4>, double**, int>);

// Conversions.
template <class T>
using p34 = pointers<T, 3, 4>;
static_assert(std::is_convertible_v<p34<double>, p34<const double>>);
static_assert(!std::is_constructible_v<p34<double>, p34<const double>>);
static_assert(std::is_convertible_v<p34<double>, pointers<double, dyn, 4>>);
static_assert(!std::is_convertible_v<pointers<double, dyn, 4>, p34<double>>);
static_assert(std::is_constructible_v<p34<double>, pointers<double, dyn, 4>>);
static_assert(std::is_convertible_v<p34<double>, strided_pointers<const double, dyn, 4>>);
static_assert(!std::is_constructible_v<p34<double>, strided_pointers<double, 3, 4>>);

// Traits.
static_assert(writable_tensor_like<p34<float>> && writable_tensor_like<const p34<c64>&>);
static_assert(tensor_like<p34<const float>> && !writable_tensor_like<p34<const float>>);
static_assert(tensor_like<strided_pointers<c32, dyn, dyn>&>);
using traits = operand_traits<const p34<const c32>>;
static_assert(std::is_same_v<traits::scalar_t, c32> && traits::rank == 3);
static_assert(traits::layout == batch_layout::pointers && traits::space == device::cpu);
static_assert(traits::static_extents == std::array<number, 3>{dyn, 3, 4});
static_assert(traits::static_strides == std::array<number, 3>{1, 4, 1});
static_assert(operand_traits<pointers<double, 3, dyn>>::static_strides ==
              std::array<number, 3>{1, dyn, 1});
static_assert(operand_traits<basic_pointers<double, layout_left, 3, dyn>>::static_strides ==
              std::array<number, 3>{1, 1, 3});
static_assert(operand_traits<strided_pointers<double, 3, 4>>::static_strides ==
              std::array<number, 3>{1, dyn, dyn});

namespace {

/// Problems of `size` entries each, in an order of memory that is not theirs.
template <class T>
struct scattered {
  std::vector<T> memory;
  std::vector<T*> list;

  scattered(number batch, number size) : memory(static_cast<std::size_t>(batch * size)) {
    for (number b = 0; b < batch; ++b) list.push_back(memory.data() + (batch - 1 - b) * size);
    for (std::size_t k = 0; k < memory.size(); ++k) memory[k] = static_cast<float>(k);
  }
};

/// Are the addresses those of the formula?
template <class X>
bool lies_at(const X& x, number row, number column) {
  bool all = true;
  for (number b = 0; b < x.extent(0); ++b) {
    for (number i = 0; i < x.extent(1); ++i) {
      for (number j = 0; j < x.extent(2); ++j) {
        all = all && &x(b, i, j) == x.data()[b] + i * row + j * column;
      }
    }
  }
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("problems behind pointers are row-major, with a leading dimension, or strided",
                   T, float, double, c32, c64) {
  for (const number batch : {0, 1, 5}) {
    const scattered<T> s(batch, 24);
    const pointers<T, 3, 4> fixed(s.list.data(), batch);
    CHECK(fixed.extent(0) == batch);
    CHECK(fixed.size() == batch * 12);
    CHECK(fixed.stride(0) == 1);
    CHECK(fixed.stride(1) == 4);
    CHECK(lies_at(fixed, 4, 1));
    CHECK(lies_at(pointers<T, dyn, 4>(s.list.data(), batch, 3), 4, 1));
    CHECK(lies_at(pointers<T, 3, dyn>(s.list.data(), batch, 2), 2, 1));
    CHECK(lies_at(pointers<const T, dyn, dyn>(s.list.data(), batch, 6, 3), 3, 1));
    const basic_pointers<T, layout_left, 3, dyn> columns(s.list.data(), batch, 4);
    CHECK(lies_at(columns, 1, 3));

    const strided_pointers<T, 3, dyn> padded(s.list.data(), {batch, 3, 4}, {7, 1});
    CHECK(padded.stride(1) == 7);
    CHECK(lies_at(padded, 7, 1));
    CHECK(lies_at(strided_pointers<T, dyn, dyn>(s.list.data(), {batch, 3, 4}, {1, 5}), 1, 5));

    // With fewer static extents, as const, and with strides of its own.
    CHECK(lies_at(strided_pointers<const T, dyn, dyn>(columns), 1, 3));
    CHECK(lies_at(pointers<const T, dyn, 4>(fixed), 4, 1));
    CHECK(lies_at(pointers<T, 3, 4>(pointers<T, dyn, dyn>(s.list.data(), batch, 3, 4)), 4, 1));
    CHECK(lies_at(strided_pointers<T, 3, 4>(padded), 7, 1));
  }
}

TEST_CASE("problems behind pointers are vectors and tensors of higher rank too") {
  const scattered<double> s(2, 24);
  CHECK(&pointers<double, 3>(s.list.data(), 2)(1, 2) == s.list[1] + 2);
  CHECK(&pointers<double, 2, dyn, 4>(s.list.data(), 2, 3)(1, 1, 2, 3) == s.list[1] + 23);
}

TEST_CASE("what is written through a pointer list is in the problem") {
  double a[4] = {}, b[4] = {};
  double* const list[] = {a, b};
  const pointers<double, 2, 2> x(list, 2);
  x(1, 1, 0) = 3;
  CHECK(b[2] == 3);
  CHECK(a[2] == 0);
}

TEST_CASE("a pointer list refuses extents that cannot be") {
  double* const list[] = {nullptr};
  CHECK_THROWS_WITH_AS((pointers<double, 3, 4>(list, -1)),
                       "tenfold: the extent at position 0 is -1; an extent cannot be negative",
                       shape_error);
  CHECK_THROWS_WITH_AS((pointers<double, 3, dyn>(list, 1, -4)),
                       "tenfold: the extent at position 2 is -4; an extent cannot be negative",
                       shape_error);
  CHECK_THROWS_WITH_AS((strided_pointers<double, 3, dyn>(list, {1, 2, 4}, {4, 1})),
                       "tenfold: the extent at position 1 is 2, but the type fixes it to 3",
                       shape_error);
  CHECK_THROWS_WITH_AS((pointers<double, 3, 4>(pointers<double, 3, dyn>(list, 1, 5))),
                       "tenfold: the extent at position 1 is 5, but the type fixes it to 4",
                       shape_error);
  CHECK_THROWS_AS((pointers<double, dyn, dyn>(list, 2, number{1} << 31, number{1} << 32)),
                  shape_error);
  CHECK_THROWS_AS((strided_pointers<double, 3, 4>(list, {1, 3, 4}, {number{1} << 62, 1})),
                  shape_error);
  CHECK_THROWS_WITH_AS((strided_pointers<double, 3, 4>(list, {1, 3, 4}, {number{1} << 58, 1})),
                       "tenfold: the extents (3, 4) with the strides (288230376151711744, 1) span "
                       "more than 2^62 bytes",
                       shape_error);
  CHECK_THROWS_AS((pointers<double, dyn>(list, 1, (number{1} << 59) + 1)), shape_error);
}

TEST_CASE("the traits of a pointer list give the list") {
  const scattered<c64> s(2, 12);
  const pointers<c64, 3, 4> x(s.list.data(), 2);
  using t = operand_traits_of<decltype(x)>;
  static_assert(std::is_same_v<decltype(t::data(x)), c64* const*>);
  CHECK(t::data(x) == s.list.data());
  CHECK(shape_of<3>(x) == operand_shape<3>{.type = scalar::c64,
                                           .rank = 3,
                                           .extents = {2, 3, 4},
                                           .strides = {1, 4, 1},
                                           .layout = batch_layout::pointers});
  const auto z = conj(x);
  using conj_traits = operand_traits_of<decltype(z)>;
  static_assert(std::is_same_v<decltype(conj_traits::data(z)), const c64* const*>);
  CHECK(conj_traits::data(z) == s.list.data());
  CHECK(shape_of<3>(z).conjugated);
}
