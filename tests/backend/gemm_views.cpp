#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <tenfold/tensor/dynamic_tensor.hpp>
#include <tenfold/tensor/scatter_order.hpp>
#include <thrown.hpp>

#include "operands.hpp"
#include "threads.hpp"

// What views a batched product takes, and what is refused. Small integers: every result is exact.

namespace tenfold::testing {
namespace {

using batch_of_matrices = tensor<double, dyn, dyn, dyn>;
using matrix = tensor<double, dyn, dyn>;
using strided_batch = strided_view<double, dyn, dyn, dyn>;

batch_of_matrices ones(index count, index m, index n) {
  batch_of_matrices x(count, m, n);
  x.fill(1);
  return x;
}
matrix ones(index m, index n) {
  matrix x(m, n);
  x.fill(1);
  return x;
}

}  // namespace

TEST_CASE("a matrix serves all problems, and two matrices have one product") {
  using call = call_of<op::none, op::transpose>;
  using t = in_tensor;
  using s = in_matrix;
  CHECK(call::errors<double, dyn, dyn, dyn, s, t, t>({9, 3, 4}, 5, 2.0, 1.0) == 0);
  CHECK(call::errors<double, dyn, dyn, dyn, t, s, t>({9, 3, 4}, 5, 2.0, 1.0) == 0);
  CHECK(call::errors<double, dyn, dyn, dyn, s, s, t>({9, 3, 4}, 5, 2.0, 1.0) == 0);
  CHECK(call::errors<double, dyn, dyn, dyn, s, s, s>({1, 3, 4}, 5, 2.0, 1.0) == 0);
  CHECK(call::errors<double, dyn, dyn, dyn, s, in_blocks<8>, in_blocks<8>>({9, 3, 4}, 5, 2.0,
                                                                           1.0) == 0);
}

TEST_CASE("a product is the same the first time, again, and after one of another size or form") {
  using s = in_matrix;
  const auto errors = []<op B>(index m, index n, index k) {
    return call_of<op::none, B>::template errors<double, dyn, dyn, dyn, s, s, s>({1, m, n}, k, 1.0,
                                                                                 1.0);
  };
  for (int round = 0; round < 2; ++round) {
    for (int again = 0; again < 2; ++again) {
      CHECK(errors.operator()<op::none>(5, 9, 7) == 0);
      CHECK(errors.operator()<op::none>(9, 9, 7) == 0);
      CHECK(errors.operator()<op::transpose>(9, 9, 7) == 0);
    }
    CHECK(errors.operator()<op::transpose>(9, 9, 7) == 0);
    CHECK(errors.operator()<op::none>(9, 9, 7) == 0);
    CHECK(errors.operator()<op::none>(9, 9, 7) == 0);
  }
}

TEST_CASE("views of stride 0 along the batch are one matrix, as operands") {
  std::vector<double> memory{1, 2, 3, 4};
  const strided_view<const double, dyn, dyn, dyn> a(memory.data(), {20, 2, 2}, {0, 2, 1});
  batch_of_matrices b = ones(20, 2, 2), c(20, 2, 2);
  gemm(1, a, b, 0, c);
  for (index p = 0; p < 20; ++p) {
    CHECK(c(p, 0, 1) == 3);
    CHECK(c(p, 1, 0) == 7);
  }
  gemm(1, b, a, 0, c);
  CHECK(c(19, 0, 0) == 4);
  CHECK(c(19, 1, 1) == 6);
}

TEST_CASE("views with falling strides are multiplied") {
  generator g(2);
  tensor<double, dyn, dyn, dyn> x(5, 4, 3), y(5, 3, 6), z(5, 4, 6);
  fill_entries(x, g);
  fill_entries(y, g);
  const strided_view<double, dyn, dyn, dyn> back(x.data() + x.size() - 1, {5, 4, 3}, {-12, -3, -1});
  gemm(1, back, y, 0, z);
  for (index p = 0; p < 5; ++p)
    for (index i = 0; i < 4; ++i)
      for (index j = 0; j < 6; ++j) {
        double sum = 0;
        for (index l = 0; l < 3; ++l) sum += x(4 - p, 3 - i, 2 - l) * y(p, l, j);
        CHECK(z(p, i, j) == sum);
      }
}

TEST_CASE("entries of C that several problems share receive the sum of all") {
  const int numbers[] = {0, 1, 2, -1, 1, 1};  // two problems of 3 x 1; one entry three times
  const index_map<std::int32_t> map(numbers, 2, 3, 4);
  batch_of_matrices a(2, 3, 1), b = ones(2, 1, 1);
  for (index i = 0; i < 6; ++i) a.data()[i] = static_cast<double>(1 + i);
  for (const double beta : {0.0, 1.0, -2.0}) {
    std::vector<double> array{10, 20, 30, 40};
    const gathered<double, dyn, dyn> c(array.data(), map, 3, 1);
    gemm(1, a, b, beta, c);
    CHECK(array == std::vector<double>{10 * beta + 1, 20 * beta + 2 + 5 + 6, 30 * beta + 3, 40});
    gemm(0, a, b, beta, c);
    CHECK(array[1] == beta * (20 * beta + 13));
    CHECK(array[3] == 40);
  }
}

TEST_CASE("many threads add results in the order that C gives, with the same bits") {
  constexpr index problems = 1003, entries = 700;
  std::vector<std::int32_t> numbers;
  for (index p = 0; p < problems; ++p)
    for (index e = 0; e < 6; ++e)
      numbers.push_back(static_cast<std::int32_t>((p / 2 + 5 * e) % entries - (p % 7 == 0)));
  const index_map<std::int32_t> map(numbers.data(), problems, 6, entries);
  batch_of_matrices a(problems, 2, 4), b(problems, 4, 3);
  for (index i = 0; i < a.size(); ++i) a.data()[i] = static_cast<double>(i % 17 - 8);
  for (index i = 0; i < b.size(); ++i) b.data()[i] = static_cast<double>(i % 13 - 6);
  const auto results = [&](double unit, const scatter_order* order, int threads) {
    std::vector<double> array(entries, 1);
    on_threads(threads, [&] {
      if (order != nullptr)
        gemm(unit, a, b, 3, gathered<double, 2, 3>(array.data(), map, *order));
      else
        gemm(unit, a, b, 3, gathered<double, 2, 3>(array.data(), map));
    });
    return array;
  };
  const std::vector<double> expected = results(1, nullptr, 1);
  for (const index part : {1, 5, 8, 64, 5000}) {
    CAPTURE(part);
    const scatter_order order(map, part);
    CHECK(results(1, &order, 1) == expected);
    CHECK(results(1, &order, 4) == expected);
    CHECK(results(0.1, &order, 4) == results(0.1, &order, 1));
  }
}

TEST_CASE("a result whose map names no entry is not written") {
  const int numbers[] = {-1, -1, -1, -1};
  const index_map<std::int32_t> map(numbers, 2, 2, 1);
  double array = 7;
  gemm(1, ones(2, 2, 3), ones(2, 3, 1), 0, gathered<double, dyn, dyn>(&array, map, 2, 1));
  CHECK(array == 7);
}

TEST_CASE("batches of nothing and matrices without entries are legal") {
  batch_of_matrices none(0, 3, 3), flat(4, 0, 3), thin(4, 3, 0), c = ones(4, 3, 3), e(4, 0, 0);
  gemm(1, none, none, 0, none);
  gemm(1, flat, c, 0, flat);
  gemm(1, flat, thin, 0, e);
  gemm(1, thin, flat, 2, c);  // k = 0
  for (index i = 0; i < c.size(); ++i) CHECK(c.data()[i] == 2);
  gemm(1, thin, flat, 0, c);
  for (index i = 0; i < c.size(); ++i) CHECK(c.data()[i] == 0);
  const view<double, dyn, dyn, dyn> null(nullptr, 4, 3, 3);
  c.fill(5);
  gemm(0, null, null, -1, c);
  for (index i = 0; i < c.size(); ++i) CHECK(c.data()[i] == -5);
}

TEST_CASE("views that do not fit are refused with a sentence") {
  batch_of_matrices a = ones(3, 2, 4), b = ones(3, 4, 5), c = ones(3, 2, 5);
  const auto says = [](const std::string& sentence, auto f) {
    CHECK(thrown_by<shape_error>(f) == "tenfold: gemm: " + sentence);
  };
  batch_of_matrices odd = ones(3, 7, 5), few = ones(2, 2, 4);
  says("op(A) has 2 rows, but C has 7", [&] { gemm(1, a, b, 0, odd); });
  says("op(A) has 4 rows, but C has 2", [&] { gemm<op::transpose>(1, a, b, 0, c); });
  says("op(B) has 4 columns, but C has 5", [&] { gemm<op::none, op::transpose>(1, a, b, 0, c); });
  says("op(A) has 4 columns, but op(B) has 7 rows", [&] { gemm(1, a, odd, 0, c); });
  says("A holds 2 problems, but C holds 3", [&] { gemm(1, few, b, 0, c); });
  batch_of_matrices b2 = ones(2, 4, 5);
  says("B holds 2 problems, but C holds 3", [&] { gemm(1, a, b2, 0, c); });
  matrix one = ones(2, 5);
  says("C is one matrix, but A or B is a batch", [&] { gemm(1, a, b, 0, one); });
  const view<double, dyn, dyn, dyn> null_a(nullptr, 3, 2, 4), null_b(nullptr, 3, 4, 5),
      null_c(nullptr, 3, 2, 5);
  says("A is null, but there is work to do", [&] { gemm(1, null_a, b, 0, c); });
  says("B is null, but there is work to do", [&] { gemm(1, a, null_b, 0, c); });
  says("C is null, but there is work to do", [&] { gemm(1, a, b, 0, null_c); });
  double entries[10] = {};
  double* list[] = {entries, nullptr, entries};
  const pointers<double, dyn, dyn> behind_a(list, 3, 2, 4), behind_b(list, 3, 4, 5),
      behind_c(list, 3, 2, 5);
  says("problem 1: A is null, but there is work to do", [&] { gemm(1, behind_a, b, 0, c); });
  says("problem 1: B is null, but there is work to do", [&] { gemm(1, a, behind_b, 0, c); });
  says("problem 1: C is null, but there is work to do", [&] { gemm(1, a, b, 0, behind_c); });
  for (index i = 0; i < c.size(); ++i) CHECK(c.data()[i] == 1);
}

TEST_CASE("strides of axes with one entry may be huge") {
  constexpr index huge = std::numeric_limits<index>::max();
  double memory[] = {1, 2, 3, 4, 0, 0};
  const strided_batch a(memory, {1, 1, 2}, {huge, -huge, 1}),
      b(memory + 2, {1, 2, 1}, {-huge, 1, huge}), c(memory + 4, {1, 1, 1}, {huge, huge, huge});
  gemm(1, a, b, 0, c);
  CHECK(memory[4] == 11);
  CHECK(thrown_by<overlap_error>([&] {
          gemm(1, a, b, 0, strided_batch(memory + 3, {1, 1, 1}, {huge, 1, 1}));
        }) == "tenfold: gemm: C overlaps B");
}

TEST_CASE("results that meet themselves or an operand are refused with a sentence") {
  const auto says = [](const std::string& sentence, auto f) {
    CHECK(thrown_by<overlap_error>(f) == "tenfold: gemm: " + sentence);
  };
  std::vector<double> memory(1000, 1);
  double* const x = memory.data();
  const batch_of_matrices a = ones(3, 2, 2), b = ones(3, 2, 2);
  const std::string itself = "C may overlap itself: its strides do not keep its entries apart";
  says(itself, [&] { gemm(1, a, b, 0, strided_batch(x, {3, 2, 2}, {3, 2, 1})); });
  says(itself, [&] { gemm(1, a, b, 0, strided_batch(x, {3, 2, 2}, {4, 1, 1})); });
  says(itself, [&] { gemm(1, a, b, 0, strided_batch(x, {3, 2, 2}, {0, 2, 1})); });
  says(itself, [&] { gemm(0, a, b, 0, strided_batch(x, {3, 2, 2}, {0, 2, 1})); });
  const strided_batch c(x, {3, 2, 2}, {4, 2, 1});
  says("C overlaps A", [&] { gemm(1, c, b, 0, c); });
  says("C overlaps B", [&] { gemm(1, a, c, 0, c); });
  says("C overlaps A", [&] { gemm(1, strided_batch(x + 11, {3, 2, 2}, {4, 2, 1}), b, 0, c); });
  says("C overlaps B", [&] {
    gemm(1, a, strided_view<const double, dyn, dyn>(x + 5, {2, 2}, {2, 1}), 0, c);
  });
  const interleaved_view<double, 8, dyn, dyn> lanes(x, 3, 2, 2);
  says("C overlaps A", [&] { gemm(1, lanes, b, 0, lanes); });
  // The pad of the last block belongs to the operand.
  says("C overlaps B", [&] { gemm(1, a, strided_batch(x + 28, {3, 2, 2}, {4, 2, 1}), 0, lanes); });
  for (const double y : memory) CHECK(y == 1);
  gemm(0, c, c, 3, c);
  CHECK(memory[0] == 3);
}

TEST_CASE("a result that provably lies beside its operands is accepted") {
  // Columns 0..7, 8..15 and 16..23 of one matrix.
  std::vector<double> memory(24 * 3 * 5);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<double>(i % 5);
  const auto part = [&](index first) {
    return strided_batch(memory.data() + first, {5, 3, 8}, {72, 24, 1});
  };
  const strided_batch a = part(0), c = part(16);
  matrix unit(8, 8);
  for (index i = 0; i < 8; ++i)
    for (index j = 0; j < 8; ++j) unit(i, j) = i == j;
  gemm(1, a, unit, 0, c);
  gemm(1, a, unit, 1, c);
  for (index p = 0; p < 5; ++p)
    for (index i = 0; i < 3; ++i)
      for (index j = 0; j < 8; ++j) {
        CHECK(c(p, i, j) == 2 * a(p, i, j));
        CHECK(part(8)(p, i, j) == static_cast<double>((p * 72 + i * 24 + 8 + j) % 5));
      }
}

}  // namespace tenfold::testing
