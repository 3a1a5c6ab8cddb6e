#include <doctest/doctest.h>

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

}  // namespace tenfold::testing
