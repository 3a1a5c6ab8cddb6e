#include <tenfold/tensor/interleaved.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenfold/tensor/conjugated.hpp>

using namespace tenfold;
using number = tenfold::index;
using c32 = std::complex<float>;
using c64 = std::complex<double>;

static_assert(simd_block<double> == 8 && simd_block<c64> == 8);
static_assert(simd_block<float> == 16 && simd_block<const c32> == 16);

// What an index gives.
static_assert(std::is_same_v<interleaved<double, 8, 3>::reference, double&>);
static_assert(std::is_same_v<interleaved<double, 8, 3>::const_reference, const double&>);
static_assert(std::is_same_v<interleaved<c64, 8, 3>::reference, split_reference<c64>>);
static_assert(std::is_same_v<interleaved<c64, 8, 3>::const_reference, c64>);
static_assert(std::is_same_v<interleaved_view<const c64, 8, 3>::reference, c64>);

// Constructors: the batch, then the dynamic extents.
static_assert(std::is_constructible_v<interleaved<double, 8, 3, 3>, int>);
static_assert(!std::is_constructible_v<interleaved<double, 8, 3, 3>, int, int>);
static_assert(std::is_constructible_v<interleaved<double, 8, dyn, 3>, int, int>);
static_assert(!std::is_constructible_v<interleaved_view<double, 8, 3, 3>, double*>);
static_assert(!std::is_constructible_v<interleaved_view<double, 8, 3, 3>, const double*, int>);

// Views convert to those that say less, never to another block.
using fixed_view = interleaved_view<double, 8, 3, 4>;
static_assert(sizeof(fixed_view) == sizeof(double*) + sizeof(number));
static_assert(std::is_trivially_copyable_v<fixed_view>);
static_assert(std::is_convertible_v<fixed_view, interleaved_view<const double, 8, 3, 4>>);
static_assert(std::is_convertible_v<fixed_view, interleaved_view<double, 8, 3, dyn>>);
static_assert(!std::is_constructible_v<fixed_view, interleaved_view<const double, 8, 3, 4>>);
static_assert(!std::is_convertible_v<interleaved_view<double, 8, 3, dyn>, fixed_view>);
static_assert(std::is_constructible_v<fixed_view, interleaved_view<double, 8, 3, dyn>>);
static_assert(!std::is_constructible_v<fixed_view, interleaved_view<double, 4, 3, 4>>);
static_assert(!std::is_constructible_v<fixed_view, interleaved_view<double, dyn, 3, 4>>);
static_assert(!std::is_constructible_v<fixed_view, interleaved_view<double, 8, 12>>);
using owner = interleaved<double, 8, 3, 4>;
static_assert(std::is_convertible_v<owner&, fixed_view>);
static_assert(std::is_convertible_v<const owner&, interleaved_view<const double, 8, dyn, 4>>);
static_assert(!std::is_convertible_v<const owner&, fixed_view>);

// Traits.
static_assert(writable_tensor_like<owner&> && tensor_like<const owner&>);
static_assert(!writable_tensor_like<const owner&>);
static_assert(writable_tensor_like<const fixed_view&>);
static_assert(!writable_tensor_like<interleaved_view<const double, 8, 3, 4>>);
using traits = operand_traits<const interleaved<c32, 16, 3, 4>>;
static_assert(std::is_same_v<traits::scalar_t, c32> && traits::rank == 3);
static_assert(traits::layout == batch_layout::interleaved && traits::space == device::cpu);
static_assert(traits::static_extents == std::array<number, 3>{dyn, 3, 4});
static_assert(traits::static_strides == std::array<number, 3>{3 * 4 * 16, 4, 1});
static_assert(traits::static_block == 16);
template <number W, number... E>
constexpr auto strides_of = operand_traits<interleaved<double, W, E...>>::static_strides;
static_assert(strides_of<8, dyn, 4> == std::array<number, 3>{dyn, 4, 1});
static_assert(strides_of<8, 3, dyn> == std::array<number, 3>{dyn, dyn, 1});
static_assert(strides_of<dyn, 3, 4> == std::array<number, 3>{dyn, 4, 1});
static_assert(strides_of<8, 3> == std::array<number, 2>{24, 1});
static_assert(strides_of<8, 0, 4> == std::array<number, 3>{32, 4, 1}, "no derived stride is 0");
static_assert(operand_traits<interleaved<double, dyn, 3>>::static_block == dyn);

namespace {

/// A different number for each entry and part; exact in float.
template <class T>
T value(number b, number i, number j) {
  const auto x = static_cast<real_type<T>>(1 + j + 10 * (i + 10 * b));
  if constexpr (is_complex(scalar_of<T>)) {
    return T(x, -x);
  } else {
    return x;
  }
}

/// The real numbers of the batch in the order of the storage: counted, not computed.
template <class T>
std::vector<real_type<T>> in_order(number W, number batch, number m, number n) {
  std::vector<real_type<T>> all;
  for (number first = 0; first < batch; first += W) {
    for (number i = 0; i < m; ++i) {
      for (number j = 0; j < n; ++j) {
        for (number b = first; b < first + W; ++b) {
          all.push_back(b < batch ? std::real(value<T>(b, i, j)) : 0);
        }
        for (number b = first; b < first + W && is_complex(scalar_of<T>); ++b) {
          all.push_back(b < batch ? std::imag(value<T>(b, i, j)) : 0);
        }
      }
    }
  }
  return all;
}

template <class X>
void fill(X&& x) {
  using T = typename std::remove_cvref_t<X>::value_type;
  for (number b = 0; b < x.extent(0); ++b) {
    for (number i = 0; i < x.extent(1); ++i) {
      for (number j = 0; j < x.extent(2); ++j) x(b, i, j) = value<T>(b, i, j);
    }
  }
}

template <class X>
bool is_filled(const X& x) {
  using T = typename X::value_type;
  bool all = true;
  for (number b = 0; b < x.extent(0); ++b) {
    for (number i = 0; i < x.extent(1); ++i) {
      for (number j = 0; j < x.extent(2); ++j) all = all && x(b, i, j) == value<T>(b, i, j);
    }
  }
  return all;
}

template <class T, number W, number m, number n, class... Dynamic>
void check_storage(number batch, Dynamic... dynamic) {
  const number block = W != dyn ? W : batch > 0 ? batch : 1;
  CAPTURE(batch);
  CAPTURE(block);
  interleaved<T, W, m, n> x(batch, dynamic...);
  const number rows = x.extent(1), columns = x.extent(2);
  CHECK(x.extent(0) == batch);
  CHECK(x.rank() == 3);
  CHECK(x.size() == batch * rows * columns);
  CHECK(x.block() == block);
  CHECK(x.blocks() == (batch + block - 1) / block);
  CHECK(reinterpret_cast<std::uintptr_t>(x.data()) % 64 == 0);

  fill(x);
  CHECK(is_filled(std::as_const(x)));
  const auto expected = in_order<T>(block, batch, rows, columns);
  const auto* memory = reinterpret_cast<const real_type<T>*>(x.data());
  CHECK(std::vector<real_type<T>>(memory, memory + expected.size()) == expected);
  CHECK(x.mapping().size() * (is_complex(scalar_of<T>) ? 2 : 1) ==
        static_cast<number>(expected.size()));

  // The strides lead from entry to entry, and from block to block.
  const number last = (x.blocks() - 1) * block;
  if (batch > 0 && rows > 0 && columns > 0) {
    using t = operand_traits_of<decltype(x)&>;
    CHECK(t::block(x) == block);
    CHECK(t::extent(x, 2) == columns);
    const number at = (last / block * t::stride(x, 0)) +
                      ((rows - 1) * t::stride(x, 1) + (columns - 1) * t::stride(x, 2)) * block;
    const number parts = is_complex(scalar_of<T>) ? 2 : 1;
    CHECK(memory[at * parts] == std::real(value<T>(last, rows - 1, columns - 1)));
  }

  // A view of the memory is the same batch.
  std::vector<T> other(static_cast<std::size_t>(x.mapping().size()));
  const interleaved_view<T, W, m, n> v(other.data(), batch, dynamic...);
  CHECK(v.size() == x.size());
  CHECK(v.stride(0) == x.stride(0));
  fill(v);
  const auto* same = reinterpret_cast<const real_type<T>*>(other.data());
  CHECK(std::vector<real_type<T>>(same, same + expected.size()) == expected);
  CHECK(is_filled(interleaved_view<const T, W, dyn, dyn>(v)));
}

/// `Static` and `Dynamic` extents meet every scalar and every block, though not each pair of both.
template <class T, number W, bool Static>
void check_block() {
  const number w = W == dyn ? 5 : W;
  for (const number batch : {number{0}, number{1}, w - 1, w, w + 1, 3 * w}) {
    if constexpr (Static) {
      check_storage<T, W, 3, 2>(batch);
      check_storage<T, W, dyn, 2>(batch, 3);
    } else {
      check_storage<T, W, 3, dyn>(batch, 2);
      check_storage<T, W, dyn, dyn>(batch, 1, 4);
      check_storage<T, W, dyn, dyn>(batch, 0, 4);
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("an interleaved batch lies block by block, entry by entry, lane by lane", T,
                   float, double, c32, c64) {
  constexpr bool here = std::is_same_v<T, float> || std::is_same_v<T, c64>;
  check_block<T, 1, here>();
  check_block<T, 3, !here>();
  check_block<T, 8, here>();
  check_block<T, simd_block<T>, !here>();
  check_block<T, dyn, here>();
}

TEST_CASE("vectors, scalars and tensors of higher rank are interleaved as matrices are") {
  interleaved<double, 4, 3> x(6);
  x(5, 2) = 7;
  CHECK(x.data()[(1 * 3 + 2) * 4 + 1] == 7);
  interleaved<double, 4> s(6);
  s(5) = 8;
  CHECK(s.data()[5] == 8);
  CHECK(s.stride(0) == 4);
  interleaved<c64, 4, 2, dyn, 5> u(6, 3);
  u(5, 1, 2, 4) = c64(1, 2);
  CHECK(reinterpret_cast<double*>(u.data())[2 * 4 * (30 + 29) + 1] == 1);
  CHECK(reinterpret_cast<double*>(u.data())[2 * 4 * (30 + 29) + 4 + 1] == 2);
}

TEST_CASE_TEMPLATE("the pad of a new batch is 0, the rest is not set", T, float, double, c32, c64) {
  const interleaved<T, 8, 2, 3> x(11);
  const auto* memory = reinterpret_cast<const real_type<T>*>(x.data());
  const number rows = x.mapping().size() * (is_complex(scalar_of<T>) ? 2 : 1) / 8;
  for (number row = 0; row < rows; ++row) {
    for (number lane = 0; lane < 8; ++lane) {
      const auto entry = memory[row * 8 + lane];
      if (row >= rows / 2 && lane >= 3) CHECK(entry == 0);
#ifndef NDEBUG
      else
        CHECK(std::isnan(entry));
#endif
    }
  }
}

TEST_CASE("a complex entry is read, assigned and added to like a number") {
  interleaved<c64, 8, 2, 2> x(3);
  x(0, 0, 0) = c64(1, 2);
  x(1, 0, 0) = x(0, 0, 0);
  CHECK(x(1, 0, 0) == c64(1, 2));
  CHECK(x(1, 0, 0) == x(0, 0, 0));
  x(1, 0, 0) += c64(1, 1);
  x(1, 0, 0) -= 1;
  x(1, 0, 0) *= c64(0, 1);
  CHECK(c64(x(1, 0, 0)) == c64(-3, 1));
  auto entry = x(0, 0, 1);
  entry = x(1, 0, 0);
  CHECK(x(0, 0, 1) == c64(-3, 1));
  x(0, 0, 1) = 4;
  const c64 z = x(0, 0, 1);
  CHECK(z == c64(4, 0));
}

TEST_CASE_TEMPLATE("copies of an interleaved batch are deep, what is moved from is empty", T,
                   double, c32) {
  using batch = interleaved<T, 8, 3, dyn>;
  batch x(11, 2);
  fill(x);
  batch copy(x);
  CHECK(is_filled(copy));
  copy(0, 0, 0) = T(-1);
  CHECK(is_filled(x));
  copy = x;
  CHECK(is_filled(copy));
  copy = std::as_const(copy);
  CHECK(is_filled(copy));

  const T* memory = x.data();
  batch moved(std::move(x));
  CHECK(moved.data() == memory);
  CHECK(is_filled(moved));
  const auto is_empty = [](const batch& b) {
    return b.data() == nullptr && b.extent(0) == 0 && b.extent(2) == 0 && b.size() == 0;
  };
  CHECK(is_empty(x));
  copy = std::move(moved);
  CHECK(copy.data() == memory);
  CHECK(is_empty(moved));
  CHECK(is_empty(batch()));
  moved = copy;
  CHECK(is_filled(moved));
}

TEST_CASE("an interleaved batch is seen through views with fewer rights and fewer static extents") {
  interleaved<c64, 8, 3, 2> x(9);
  fill(x);
  interleaved_view v = x;
  static_assert(std::is_same_v<decltype(v), interleaved_view<c64, 8, 3, 2>>);
  interleaved_view c = std::as_const(x);
  static_assert(std::is_same_v<decltype(c), interleaved_view<const c64, 8, 3, 2>>);
  const interleaved_view<const c64, 8, dyn, 2> d = x;
  CHECK(is_filled(d));
  CHECK(v.data() == x.data());
  v(8, 2, 1) = c64(5);
  CHECK(c(8, 2, 1) == c64(5));
  const interleaved_view<c64, 8, dyn, dyn> general = v;
  CHECK(interleaved_view<c64, 8, 3, 2>(general).extent(1) == 3);
  CHECK_THROWS_WITH_AS((interleaved_view<c64, 8, 3, 3>(general)),
                       "tenfold: the extent at position 2 is 2, but the type fixes it to 3",
                       shape_error);
}

TEST_CASE("an interleaved batch refuses extents that cannot be") {
  double entry = 0;
  CHECK_THROWS_WITH_AS((interleaved<double, 8, 3, 3>(-1)),
                       "tenfold: the extent at position 0 is -1; an extent cannot be negative",
                       shape_error);
  CHECK_THROWS_WITH_AS((interleaved_view<double, dyn, 3, dyn>(&entry, 1, -2)),
                       "tenfold: the extent at position 2 is -2; an extent cannot be negative",
                       shape_error);
  constexpr number huge = number{1} << 62;
  CHECK_THROWS_WITH_AS(
      (interleaved<double, 8, dyn, 3>(3, huge)),
      "tenfold: the extents 3 x 4611686018427387904 x 3 multiply to more than 2^63 - 1 entries",
      shape_error);
  // The batch alone would do, its blocks do not.
  CHECK_THROWS_WITH_AS(
      (interleaved_view<double, 8, dyn, 1>(&entry, 1, huge)),
      "tenfold: the extents 1 x 8 x 4611686018427387904 x 1 multiply to more than 2^63 - 1 entries",
      shape_error);
  CHECK_THROWS_AS((interleaved_view<double, 8, 1>(&entry, std::numeric_limits<number>::max())),
                  shape_error);
  CHECK_THROWS_AS((interleaved_view<double, 8, dyn>(&entry, 1, number{1} << 57)), shape_error);
  CHECK_NOTHROW((interleaved_view<double, 8, dyn>(&entry, 1, number{1} << 56)));
  // A stride that does not fit is refused although there is no entry.
  CHECK_THROWS_AS((interleaved_view<double, 8, dyn, 1>(&entry, 0, huge)), shape_error);
  CHECK((interleaved_view<double, dyn, dyn, 1>(&entry, 0, huge).stride(0)) == huge);
}

TEST_CASE("the shape of an interleaved operand tells its block") {
  const interleaved<float, 16, 3, dyn> x(20, 2);
  constexpr auto known = static_shape_of<decltype(x)&, 4>();
  static_assert(known == operand_shape<4>{.type = scalar::f32,
                                          .rank = 3,
                                          .extents = {dyn, 3, dyn, 0},
                                          .strides = {dyn, dyn, 1, 0},
                                          .layout = batch_layout::interleaved,
                                          .block = 16});
  CHECK(shape_of<4>(x) == operand_shape<4>{.type = scalar::f32,
                                           .rank = 3,
                                           .extents = {20, 3, 2, 0},
                                           .strides = {96, 2, 1, 0},
                                           .layout = batch_layout::interleaved,
                                           .block = 16});
  const interleaved<float, dyn, 3, 2> all(20);
  static_assert(static_shape_of<decltype(all)&, 4>().block == dyn);
  CHECK(shape_of<4>(all).block == 20);
  CHECK(shape_of<4>(interleaved<float, dyn, 3, 2>(0)).block == 1);
  CHECK(shape_of<4>(all) != shape_of<4>(x));
  static_assert(static_shape_of<tensor<double, 2, 2>, 4>().block == 1);
}

TEST_CASE("conj of an interleaved batch keeps its block") {
  interleaved<c64, dyn, 3, 2> x(5);
  const auto z = conj(x);
  using t = operand_traits_of<decltype(z)>;
  static_assert(tensor_like<decltype(z)> && !writable_tensor_like<decltype(z)>);
  static_assert(t::layout == batch_layout::interleaved && t::static_block == dyn);
  static_assert(std::is_same_v<decltype(t::data(z)), const c64*>);
  CHECK(t::block(z) == 5);
  CHECK(shape_of<3>(z).block == 5);
  CHECK(shape_of<3>(z).conjugated);
}
