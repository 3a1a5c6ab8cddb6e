#include <doctest/doctest.h>

#include <tenfold/tensor/gathered.hpp>
#include <tenfold/tensor/interleaved.hpp>
#include <tenfold/tensor/pointers.hpp>
#include <thrown.hpp>
#include <utility>
#include <vector>

#include "gemm_calls.hpp"

// Results that lie on what a call of batched BLAS reads or writes elsewhere.

namespace tenfold::testing {

TEST_CASE("results at an address may touch what is read, and may not share a byte with it") {
  // A and B of 2 x 2 lie before and behind C.
  std::vector<double> memory(16, 1);
  const auto call = [&](std::ptrdiff_t at_a, std::ptrdiff_t at_b) {
    const double *a = memory.data() + at_a, *b = memory.data() + at_b;
    double* c = memory.data() + 6;
    gemm(order::row_major, op::none, op::none, 2, 2, 2, 1.0, &a, 2, &b, 2, 0.0, &c, 2, 1);
  };
  call(2, 10);
  CHECK(memory[6] == 2);
  CHECK(memory[9] == 2);
  for (const auto& at : {std::pair{3, 10}, {2, 9}, {9, 2}, {10, 3}, {6, 12}, {0, 6}}) {
    CHECK(thrown_by<overlap_error>([&] { call(at.first, at.second); }) ==
          "tenfold: gemm: problem 0: c overlaps a or b");
  }
}

#ifndef NDEBUG
TEST_CASE("results that meet a matrix of another problem are found in builds with assertions") {
  const char* const sentence = "tenfold: gemm: problem 2: c overlaps a matrix of another problem";
  for (int way = 0; way < 3; ++way) {
    problem x[3];
    x[0].c.resize(20, -7);
    gemm_problem<double> p[] = {x[0].terms, x[1].terms, x[2].terms};
    p[0].c = x[0].c.data();
    if (way == 0) p[2].c = p[0].c;
    if (way == 1) p[2].c = x[0].c.data() + 7;
    if (way == 2) p[2].a = p[0].c;
    for (const form how : {form::variable, form::groups}) {
      CHECK(thrown_by<overlap_error>([&] { run(how, order::row_major, p, {}); }) == sentence);
      int codes[] = {99, 99, 99};
      run(how, order::row_major, p, batch_info::all(codes));
      CHECK(codes[0] == 0);
      CHECK(codes[1] == 0);
      CHECK(codes[2] == -13);
      CHECK(x[1].is_computed());
      CHECK(x[2].is_untouched());
    }
    // Another fault elsewhere hides nothing.
    p[1].m = -1;
    for (const form how : {form::variable, form::groups}) {
      int codes[] = {99, 99, 99};
      run(how, order::row_major, p, batch_info::all(codes));
      CHECK(codes[0] == 0);
      CHECK(codes[1] == -4);
      CHECK(codes[2] == -13);
      run(how, order::row_major, p, batch_info::any(codes[0]));
      CHECK(codes[0] == -4);
    }
    // The first bad problem is that of the lowest number, however it was found.
    p[1] = p[2];
    p[2] = x[2].terms;
    p[2].lda = 1;
    for (const form how : {form::variable, form::groups}) {
      int code = 99;
      run(how, order::row_major, p, batch_info::any(code));
      CHECK(code == -13);
    }
  }
}

TEST_CASE("matrices between the lines of another and matrices read by many meet nobody") {
  std::vector<double> memory(2 * 16, -7);
  problem x[2];
  gemm_problem<double> p[] = {x[0].terms, x[1].terms};
  p[1].a = p[0].a;
  p[1].b = p[0].b;
  for (int i = 0; i < 2; ++i) {
    p[i].c = memory.data() + 4 * i;
    p[i].ldc = 8;
  }
  gemm(order::row_major, p, 2);
  for (std::size_t i = 0; i < 16; ++i) CHECK(memory[i] == 6);
}

TEST_CASE("an operand that two problems read may hide no other of the same ends") {
  // A of problem 0 is 2 x 2 with an entry left out between, that of problem 1 is a row of 5; C of
  // problem 2 is the entry left out.
  std::vector<double> memory(5, 1), b(5, 1), c(8, 0);
  const gemm_problem<double> p[] = {
      {op::none, op::none, 2, 1, 2, 1, memory.data(), 3, b.data(), 1, 0, c.data(), 1},
      {op::none, op::none, 1, 1, 5, 1, memory.data(), 5, b.data(), 1, 0, c.data() + 4, 1},
      {op::none, op::none, 1, 1, 1, 1, b.data(), 1, b.data(), 1, 0, memory.data() + 2, 1}};
  int codes[3];
  gemm(order::row_major, p, 3, batch_info::all(codes));
  CHECK(codes[2] == -13);
}
#endif

// --- over views ---

namespace {

/// Three problems of 2 x 2 in memory of their own, and views of matrices anywhere in it.
struct view_call {
  std::vector<double> memory = std::vector<double>(100, 1);
  std::vector<double*> lists[3];

  /// Matrices at these places.
  pointers<double, 2, 2> at(int operand, const std::vector<index>& places) {
    lists[operand].clear();
    for (const index place : places) lists[operand].push_back(memory.data() + place);
    return pointers<double, 2, 2>(lists[operand].data(), 3);
  }
  view<double, dyn, 2, 2> side_by_side(index place) {
    return view<double, dyn, 2, 2>(memory.data() + place, 3);
  }
};

template <class A, class B, class C>
std::string overlap(const A& a, const B& b, C&& c, double alpha = 1) {
  return thrown_by<overlap_error>([&] { gemm(alpha, a, b, 0.0, c); });
}

const char* const accepted = "(nothing was thrown)";

}  // namespace

TEST_CASE("views of matrices at addresses: a problem's result may touch what it reads") {
  view_call x;
  tensor<double, 2, 2> one{};
  const auto c = x.at(0, {20, 60, 40});
  // End to end on either side.
  CHECK(overlap(x.at(1, {16, 64, 36}), x.at(2, {24, 56, 44}), c) == accepted);
  CHECK(overlap(x.side_by_side(24), x.side_by_side(44), c) == accepted);
  CHECK(overlap(x.at(1, {20, 41, 60}), one, x.side_by_side(64), 0) == accepted);
  CHECK(overlap(x.at(1, {0, 63, 36}), one, c) == "tenfold: gemm: problem 1: C overlaps A");
  CHECK(overlap(one, x.at(1, {0, 8, 37}), c) == "tenfold: gemm: problem 2: C overlaps B");
  CHECK(overlap(c, one, c) == "tenfold: gemm: problem 0: C overlaps A");
  CHECK(overlap(c, one, c, 0) == accepted);
}

TEST_CASE("views of matrices at addresses meet batches in one range, whichever is the result") {
  view_call x;
  tensor<double, 2, 2> one{};
  const auto c = x.at(0, {20, 60, 40});
  CHECK(overlap(x.side_by_side(30), one, c) == "tenfold: gemm: problem 2: C overlaps A");
  CHECK(overlap(one, x.side_by_side(9), c) == "tenfold: gemm: problem 0: C overlaps B");
  CHECK(overlap(one, view<double, 2, 2>(x.memory.data() + 63), c) ==
        "tenfold: gemm: problem 1: C overlaps B");
  CHECK(overlap(c, one, x.side_by_side(49)) == "tenfold: gemm: problem 1: C overlaps A");
  CHECK(overlap(c, one, x.side_by_side(48)) == accepted);
  interleaved<double, 4, 2, 2> lanes(3);
  double* in_lanes[] = {x.memory.data(), x.memory.data() + 4, lanes.data() + 13};
  const pointers<double, 2, 2> p(in_lanes, 3);
  CHECK(overlap(p, one, lanes) == "tenfold: gemm: problem 2: C overlaps A");
  CHECK(overlap(lanes, one, p) == "tenfold: gemm: problem 2: C overlaps A");
  // Columns beside the others of one array of 3 x 2 rows.
  std::vector<double*> left;
  for (index b = 0; b < 3; ++b) left.push_back(x.memory.data() + 8 * b);
  const strided_pointers<double, 2, 2> columns(left.data(), {3, 2, 2}, {4, 1});
  const strided_view<double, dyn, 2, 2> others(x.memory.data() + 2, {3, 2, 2}, {8, 4, 1});
  CHECK(overlap(columns, one, others) == accepted);
  CHECK(overlap(others, one, columns) == accepted);
  const strided_pointers<double, 2, 2> twice(left.data(), {3, 2, 2}, {0, 1});
  CHECK(overlap(one, one, twice) ==
        "tenfold: gemm: C may overlap itself: its strides do not keep its entries apart");
}

TEST_CASE("of many matrices at addresses that which meets its result is found at every place") {
  constexpr index count = 37;
  std::vector<double> memory(2 * 4 * count, 1);
  std::vector<double*> a, c;
  for (index p = 0; p < count; ++p) {
    a.push_back(memory.data() + 8 * p);
    c.push_back(memory.data() + 8 * p + 4);
  }
  const pointers<double, 2, 2> from(a.data(), count), to(c.data(), count);
  tensor<double, 2, 2> one{};
  CHECK(overlap(from, one, to) == accepted);
  for (std::size_t p = 0; p < static_cast<std::size_t>(count); ++p) {
    double* const before = std::exchange(a[p], c[p] + 3);
    CHECK(overlap(from, one, to) ==
          "tenfold: gemm: problem " + std::to_string(p) + ": C overlaps A");
    a[p] = before;
  }
}

TEST_CASE("a batch through a map is no result of itself") {
  const int numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const index_map<std::int32_t> map(numbers, 3, 4, 12);
  view_call x;
  tensor<double, 2, 2> one{};
  const gathered<double, 2, 2> g(x.memory.data(), map);
  CHECK(overlap(g, one, g) == "tenfold: gemm: C overlaps A");
  CHECK(overlap(one, g, g) == "tenfold: gemm: C overlaps B");
  for (const double y : x.memory) CHECK(y == 1);
  CHECK(overlap(g, one, gathered<double, 2, 2>(x.memory.data() + 12, map)) == accepted);
  const int none[] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  const index_map<std::int32_t> nowhere(none, 3, 4, 12);
  const gathered<double, 2, 2> nothing(x.memory.data(), nowhere);
  CHECK(overlap(nothing, one, nothing) == accepted);
}

#ifndef NDEBUG
TEST_CASE("views whose results meet another problem's matrix are found in builds with assertions") {
  view_call x;
  tensor<double, 2, 2> one{};
  const char* const sentence = "tenfold: gemm: problem 2: C overlaps a matrix of another problem";
  CHECK(overlap(one, one, x.at(0, {20, 60, 23})) == sentence);
  CHECK(overlap(one, one, x.at(0, {20, 60, 20})) == sentence);
  const auto c = x.at(0, {20, 60, 40});
  CHECK(overlap(x.at(1, {0, 4, 61}), one, c) == sentence);
  CHECK(overlap(one, x.at(1, {0, 4, 18}), c) == sentence);
  CHECK(overlap(x.at(1, {0, 0, 0}), x.at(2, {0, 2, 1}), c) == accepted);
}

TEST_CASE("what a map names is told apart from other entries of one array in such builds") {
  // Three numbers at each of four nodes: component 0 is read, component 1 written.
  int first[12], second[12], third[12];
  for (int i = 0; i < 12; ++i) {
    first[i] = 3 * (i % 5);
    second[i] = 3 * (i % 4) + 1;
    third[i] = i == 7 ? 10 : -1;
  }
  const index_map<std::int32_t> read(first, 3, 4, 15), written(second, 3, 4, 15),
      meets(third, 3, 4, 15);
  view_call x;
  tensor<double, 2, 2> one{};
  double* const array = x.memory.data();
  const gathered<double, 2, 2> a(array, read), c(array, written), few(array, meets);
  CHECK(overlap(a, one, c) == accepted);
  CHECK(overlap(few, one, c) == "tenfold: gemm: C overlaps A");
  CHECK(overlap(one, few, c) == "tenfold: gemm: C overlaps B");
  CHECK(overlap(gathered<double, 2, 2>(array + 1, read), one, c) == "tenfold: gemm: C overlaps A");
  CHECK(overlap(one, x.side_by_side(12), c) == accepted);
  CHECK(overlap(one, x.side_by_side(10), c) == "tenfold: gemm: C overlaps B");
  CHECK(overlap(few, one, x.side_by_side(0)) == "tenfold: gemm: C overlaps A");
  CHECK(overlap(x.at(1, {20, 30, 7}), one, c) == "tenfold: gemm: C overlaps A");
  CHECK(overlap(few, one, x.at(1, {20, 30, 7})) == "tenfold: gemm: C overlaps A");
  CHECK(overlap(few, one, x.at(1, {20, 30, 11})) == accepted);
}
#endif

}  // namespace tenfold::testing
