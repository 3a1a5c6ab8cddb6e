#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <tenfold/backend/allocate.hpp>
#include <tenfold/backend/convert.hpp>
#include <tenfold/backend/launch.hpp>
#include <tenfold/tensor/gathered.hpp>
#include <tenfold/tensor/pointers.hpp>
#include <tenfold/tensor/tensor.hpp>
#include <tenfold/tensor/view.hpp>
#include <vector>

namespace tenfold::testing {
namespace {

/// Whole numbers, exact in every scalar and different in neighbours.
template <class T>
T number(index i) {
  const auto x = static_cast<real_type<T>>(i % 8191 + 1);
  if constexpr (is_complex(scalar_of<T>))
    return T(x, -x / 2);
  else
    return x;
}

template <class X>
void fill(X& x) {
  for (index i = 0; i < x.size(); ++i) {
    x.data()[i] = number<std::remove_cvref_t<decltype(*x.data())>>(i);
  }
}

template <class T, index W>
void check_there_and_back(index count) {
  CAPTURE(count);
  CAPTURE(W);
  tensor<T, dyn, 3, 5> x(count), back(count);
  fill(x);
  interleaved<T, W, 3, 5> y(count);
  for (index e = 0; e < y.mapping().size(); ++e) y.data()[e] = number<T>(77);
  to_interleaved(x, y);
  from_interleaved(y, back);
  bool same = true;
  for (index b = 0; b < count; ++b)
    for (index i = 0; i < 3; ++i)
      for (index j = 0; j < 5; ++j)
        same = same && T(y(b, i, j)) == x(b, i, j) && back(b, i, j) == x(b, i, j);
  CHECK(same);
}

/// Behind the last problem of the last block lies 0, whatever block the batch comes from.
template <class T, index From, index To>
void check_pad(index count) {
  CAPTURE(count);
  CAPTURE(From);
  CAPTURE(To);
  interleaved<T, From, 3, 5> x(count);
  for (index b = 0; b < count; ++b)
    for (index i = 0; i < 3; ++i)
      for (index j = 0; j < 5; ++j) x(b, i, j) = number<T>((b * 3 + i) * 5 + j);
  const index padded = (count + To - 1) / To * To;
  interleaved<T, To, 3, 5> y(count), expected(count);
  for (index e = 0; e < y.mapping().size(); ++e) {
    y.data()[e] = number<T>(77);
    expected.data()[e] = T(0);
  }
  for (index b = 0; b < count; ++b)
    for (index i = 0; i < 3; ++i)
      for (index j = 0; j < 5; ++j) expected(b, i, j) = T(x(b, i, j));
  to_interleaved(x, y);
  REQUIRE(y.mapping().size() == padded * 15);
  CHECK(std::equal(y.data(), y.data() + y.mapping().size(), expected.data()));
}

TEST_CASE_TEMPLATE("the pad of interleaved storage becomes 0", T, float, double,
                   std::complex<float>, std::complex<double>) {
  constexpr index W = simd_block<T>;
  for (const index count : {1, 5, 8, 17}) {
    check_pad<T, W, W>(count);
    check_pad<T, W, 3>(count);
    check_pad<T, W, W / 2>(count);
    check_pad<T, 2 * W, W + W / 2>(count);
    check_pad<T, W, 2 * W>(count);
    check_pad<T, 3, W>(count);
  }
}

TEST_CASE_TEMPLATE("a batch goes into interleaved storage and back", T, float, double,
                   std::complex<float>, std::complex<double>) {
  for (const index count : {0, 1, 7, 8, 9, 16, 33}) {
    check_there_and_back<T, simd_block<T>>(count);
    check_there_and_back<T, 2 * simd_block<T>>(count);
    check_there_and_back<T, 3>(count);
    check_there_and_back<T, dyn>(count);
  }
}

TEST_CASE("a conversion does not write what it reads") {
  std::vector<double> room(200);
  const view<double, dyn, 2, 3> apart(room.data(), 5);
  interleaved<double, 2, 2, 3> own(5);
  const auto sentence_of = [](const auto& f) {
    try {
      f();
    } catch (const overlap_error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(sentence_of([&] { to_interleaved(apart, own); }).empty());
  const interleaved_view<double, 2, 2, 3> same(room.data() + 20, 5);
  CHECK(sentence_of([&] { to_interleaved(apart, same); }) ==
        "tenfold: to_interleaved: y overlaps x");
  CHECK(sentence_of([&] { from_interleaved(same, apart); }) ==
        "tenfold: from_interleaved: y overlaps x");
  const strided_view<double, dyn, 2, 3> one_place(room.data(), {5, 2, 3}, {0, 3, 1});
  CHECK(sentence_of([&] { from_interleaved(own, one_place); }) ==
        "tenfold: from_interleaved: y may overlap itself: its strides do not keep its entries "
        "apart");
}

TEST_CASE("to_interleaved makes a batch of the natural block, of any rank") {
  tensor<double, dyn, 4> vectors(11);
  fill(vectors);
  const auto v = to_interleaved(vectors);
  static_assert(std::is_same_v<std::remove_const_t<decltype(v)>, interleaved<double, 8, 4>>);
  CHECK(v(10, 3) == vectors(10, 3));
  tensor<float, dyn, 2, 3, dyn> cubes(19, 5);
  fill(cubes);
  const auto c = to_interleaved<4>(cubes);
  static_assert(std::is_same_v<std::remove_const_t<decltype(c)>, interleaved<float, 4, 2, 3, dyn>>);
  bool same = true;
  for (index b = 0; b < 19; ++b)
    for (index i = 0; i < 2; ++i)
      for (index j = 0; j < 3; ++j)
        for (index k = 0; k < 5; ++k) same = same && c(b, i, j, k) == cubes(b, i, j, k);
  CHECK(same);
}

TEST_CASE("matrices apart, at addresses and behind a map are converted too") {
  constexpr index count = 13;
  std::vector<double> memory(static_cast<std::size_t>(count * 60), -1);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = number<double>(static_cast<index>(i));
  const strided_view<double, dyn, 3, 4> apart(memory.data(), {count, 3, 4}, {60, 2, 7});
  const auto y = to_interleaved(apart);
  std::vector<double*> list;
  std::vector<std::int32_t> numbers;
  for (index b = 0; b < count; ++b) {
    list.push_back(memory.data() + (count - 1 - b) * 60);
    for (index i = 0; i < 12; ++i) numbers.push_back(static_cast<std::int32_t>(b * 60 + 3 * i));
  }
  numbers[5] = -1;
  const pointers<double, 3, 4> at(list.data(), count);
  const auto z = to_interleaved(at);
  const gathered<double, 3, 4> behind(
      memory.data(), index_map(numbers.data(), count, 12, static_cast<index>(memory.size())));
  const auto w = to_interleaved(behind);
  bool same = true;
  for (index b = 0; b < count; ++b)
    for (index i = 0; i < 3; ++i)
      for (index j = 0; j < 4; ++j) {
        const index mapped = numbers[static_cast<std::size_t>(b * 12 + i * 4 + j)];
        same = same && y(b, i, j) == memory[static_cast<std::size_t>(b * 60 + 2 * i + 7 * j)] &&
               z(b, i, j) == list[static_cast<std::size_t>(b)][4 * i + j] &&
               w(b, i, j) == (mapped < 0 ? 0 : memory[static_cast<std::size_t>(mapped)]);
      }
  CHECK(same);
}

TEST_CASE(
    "what leads to one entry behind a map is added, by whichever thread its problem is read") {
  constexpr index count = 4096, entries = 64, size = 320;
  tensor<double, dyn, 64> x(count);
  fill(x);
  std::vector<std::int32_t> numbers;
  for (index k = 0; k < count * entries; ++k)
    numbers.push_back(k % 11 == 4 ? -1 : static_cast<std::int32_t>(k * 7 % size));
  std::vector<double> y(size, 3.0), expected(size, 3.0);
  for (index k = 0; k < count * entries; ++k) {
    if (const auto n = numbers[static_cast<std::size_t>(k)]; n >= 0)
      expected[static_cast<std::size_t>(n)] += x.data()[k];
  }
  from_interleaved(to_interleaved(x),
                   gathered<double, 64>(y.data(), index_map(numbers.data(), count, entries, size)));
  CHECK(y == expected);
}

template <index W>
void check_pad(instruction_set isa) {
  CAPTURE(W);
  tensor<double, dyn, 2, 2> x(3);
  fill(x);
  interleaved<double, W, 2, 2> y(3);
  for (index e = 0; e < y.mapping().size(); ++e) y.data()[e] = 5;
  batch_copy c{1, 4, 3, {}, {}, {x.data(), 4}, {y.data(), 4 * W}};
  c.from.row = c.to.row = 4;
  c.from.column = c.to.column = 1;
  c.to.layout = batch_layout::interleaved;
  c.to.block = W;
  launch(c, scalar::f64, isa);
  for (index e = 0; e < 4; ++e)
    for (index lane = 0; lane < W; ++lane)
      CHECK(y.data()[e * W + lane] == (lane < 3 ? x.data()[lane * 4 + e] : 0));
}

TEST_CASE("the pad of the last block becomes 0, on every instruction set") {
  for (int isa = 0; isa <= static_cast<int>(best_instruction_set()); ++isa) {
    CAPTURE(isa);
    check_pad<5>(static_cast<instruction_set>(isa));
    check_pad<8>(static_cast<instruction_set>(isa));
    check_pad<32>(static_cast<instruction_set>(isa));
  }
}

TEST_CASE("batches of different sizes are refused") {
  const tensor<double, dyn, dyn, 3> x(4, 2);
  interleaved<double, 8, dyn, 3> y(4, 3);
  CHECK_THROWS_WITH_AS(to_interleaved(x, y),
                       "tenfold: to_interleaved: axis 1 has 2 entries in x and 3 in y",
                       shape_error);
}

TEST_CASE("allocate gives zeros, aligned") {
  for (const index count : {0, 1, 511, 512, 1'000'000}) {
    const allocation<double> memory = allocate<double>(count);
    CHECK(memory.count() == count);
    CHECK(reinterpret_cast<std::uintptr_t>(memory.data()) % alignment == 0);
    bool zero = true;
    for (index i = 0; i < count; ++i) zero = zero && memory.data()[i] == 0;
    CHECK(zero);
  }
}

}  // namespace
}  // namespace tenfold::testing
