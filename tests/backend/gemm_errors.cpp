#include <doctest/doctest.h>

#include <string>
#include <tenfold/backend/batched_blas.hpp>
#include <thrown.hpp>

#include "gemm_calls.hpp"

// What calls of batched BLAS over addresses refuse: the sentence, the code, and what becomes of the
// other problems.

namespace tenfold::testing {
namespace {

/// What is made wrong with a problem, the code of it and the sentence.
struct fault {
  void (*make)(gemm_problem<double>&);
  int code;
  const char* sentence;
  bool overlaps = false;
  order layout = order::row_major;
};

const fault faults[] = {
    {[](auto& p) { p.m = -1; }, -4, "m is -1, less than 0"},
    {[](auto& p) { p.n = -2; }, -5, "n is -2, less than 0"},
    {[](auto& p) { p.k = -3; }, -6, "k is -3, less than 0"},
    {[](auto& p) { p.a = nullptr; }, -8, "a is null, but there is work to do"},
    {[](auto& p) { p.b = nullptr; }, -10, "b is null, but there is work to do"},
    {[](auto& p) { p.c = nullptr; }, -13, "c is null, but there is work to do"},
    {[](auto& p) { p.lda = 2; }, -9, "lda is 2, less than k = 3 (row-major, A not transposed)"},
    {[](auto& p) { p.ldb = 3; }, -11, "ldb is 3, less than n = 4 (row-major, B not transposed)"},
    {[](auto& p) { p.ldc = 3; }, -14, "ldc is 3, less than n = 4 (row-major, C not transposed)"},
    {[](auto& p) { p.lda = -3; }, -9, "lda is -3, less than k = 3 (row-major, A not transposed)"},
    {[](auto& p) {
       p.op_a = op::transpose;
       p.lda = 1;
     },
     -9, "lda is 1, less than m = 2 (row-major, A transposed)"},
    {[](auto& p) {
       p.op_b = op::conjugate_transpose;
       p.ldb = 2;
     },
     -11, "ldb is 2, less than k = 3 (row-major, B transposed)"},
    {[](auto& p) { p.lda = 1; }, -9, "lda is 1, less than m = 2 (column-major, A not transposed)",
     false, order::column_major},
    {[](auto& p) { p.ldb = 2; }, -11, "ldb is 2, less than k = 3 (column-major, B not transposed)",
     false, order::column_major},
    {[](auto& p) { p.ldc = 1; }, -14, "ldc is 1, less than m = 2 (column-major, C not transposed)",
     false, order::column_major},
    {[](auto& p) {
       p.op_a = op::transpose;
       p.lda = 2;
     },
     -9, "lda is 2, less than k = 3 (column-major, A transposed)", false, order::column_major},
    {[](auto& p) {
       p.op_b = op::transpose;
       p.ldb = 3;
     },
     -11, "ldb is 3, less than n = 4 (column-major, B transposed)", false, order::column_major},
    {[](auto& p) {
       p.k = 0;
       p.lda = 0;
     },
     -9, "lda is 0, less than 1 (row-major, A not transposed)"},
    {[](auto& p) { p.lda = huge / 8; }, -9,
     "lda = 1152921504606846975 makes a matrix beyond 2^62 bytes"},
    {[](auto& p) { p.ldb = huge; }, -11,
     "ldb = 9223372036854775807 makes a matrix beyond 2^62 bytes"},
    {[](auto& p) { p.ldc = huge / 2; }, -14,
     "ldc = 4611686018427387903 makes a matrix beyond 2^62 bytes"},
    {[](auto& p) { p.a = p.c; }, -13, "c overlaps a or b", true},
    {[](auto& p) { p.b = p.c; }, -13, "c overlaps a or b", true},
    {[](auto& p) { p.a = p.c + 7; }, -13, "c overlaps a or b", true},
};

/// Checks that the neighbours of a fault are computed and that it is reported in all ways.
void check_fault(const fault& f, form how) {
  CAPTURE(f.sentence);
  CAPTURE(static_cast<int>(how));
  for (int reporting = 0; reporting < 6; ++reporting) {
    CAPTURE(reporting);
    problem x[3];
    gemm_problem<double> p[3];
    for (int i = 0; i < 3; ++i) {
      p[i] = x[i].terms;
      if (f.layout == order::column_major) {
        p[i].lda = 2;
        p[i].ldb = 3;
        p[i].ldc = 2;
      }
    }
    f.make(p[1]);
    int codes[3] = {99, 99, 99};
    switch (reporting) {
      case 0: {
        const auto call = [&] { run(how, f.layout, p, {}); };
        const std::string text =
            f.overlaps ? thrown_by<overlap_error>(call) : thrown_by<shape_error>(call);
        CHECK(text == std::string("tenfold: gemm: problem 1: ") + f.sentence);
        break;
      }
      case 1:
        run(how, f.layout, p, batch_info::all(codes));
        CHECK(codes[0] == 0);
        CHECK(codes[1] == f.code);
        CHECK(codes[2] == 0);
        break;
      case 2:
        run(how, f.layout, p, batch_info::group(codes));
        if (how == form::groups) {
          CHECK(codes[0] == 0);
          CHECK(codes[1] == f.code);
          CHECK(codes[2] == 0);
        } else {
          CHECK(codes[0] == f.code);
          CHECK(codes[1] == 99);
        }
        break;
      case 3:
        run(how, f.layout, p, batch_info::any(codes[0]));
        CHECK(codes[0] == f.code);
        CHECK(codes[1] == 99);
        break;
      case 4:
        run(how, f.layout, p, batch_info::whole(codes[0]));
        CHECK(codes[0] == f.code);
        for (const problem& y : x) CHECK(y.is_untouched());
        continue;
      default:
        run(how, f.layout, p, batch_info::none());
    }
    CHECK(x[0].is_computed());
    CHECK(x[1].is_untouched());
    CHECK(x[2].is_computed());
  }
}

struct strided_fault {
  void (*make)(strided_call&);
  int code;
  const char* sentence;
  bool overlaps = false;
};

const strided_fault strided_faults[] = {
    {[](auto& x) { x.m = -1; }, -4, "m is -1, less than 0"},
    {[](auto& x) { x.ldb = 0; }, -11, "ldb is 0, less than n = 4 (row-major, B not transposed)"},
    {[](auto& x) { x.at_a = nullptr; }, -8, "a is null, but there is work to do"},
    {[](auto& x) { x.at_b = nullptr; }, -10, "b is null, but there is work to do"},
    {[](auto& x) { x.at_c = nullptr; }, -13, "c is null, but there is work to do"},
    {[](auto& x) { x.stride_c = 7; }, -13, "c may overlap itself: stride_c is 7", true},
    {[](auto& x) { x.stride_c = 0; }, -13, "c may overlap itself: stride_c is 0", true},
    {[](auto& x) { x.stride_c = -3; }, -13, "c may overlap itself: stride_c is -3", true},
    {[](auto& x) { x.at_a = x.at_c; }, -13, "c overlaps a or b", true},
    {[](auto& x) { x.at_b = x.at_c + 15; }, -13, "c overlaps a or b", true},
    {[](auto& x) { x.stride_c = huge / 8; }, -13,
     "stride_c = 1152921504606846975 times 2 problems is beyond 2^62 bytes"},
    {[](auto& x) { x.stride_a = huge / 16; }, -8,
     "stride_a = 576460752303423487 times 2 problems is beyond 2^62 bytes"},
    {[](auto& x) { x.stride_b = -huge; }, -10,
     "stride_b = -9223372036854775807 times 2 problems is beyond 2^62 bytes"},
};

}  // namespace

TEST_CASE(
    "what is wrong with a problem of a variable batch is said in the way that was asked for") {
  for (const fault& f : faults) check_fault(f, form::variable);
}

TEST_CASE("what is wrong with a group is said in the way that was asked for") {
  for (const fault& f : faults) check_fault(f, form::groups);
}

TEST_CASE("what is wrong with a fixed batch of addresses is said for its problems") {
  problem x[3];
  const double* a[] = {x[0].a.data(), nullptr, x[2].a.data()};
  const double* b[] = {x[0].b.data(), x[1].b.data(), x[2].b.data()};
  double* c[] = {x[0].c.data(), x[1].c.data(), x[2].c.data()};
  int codes[] = {99, 99, 99};
  const auto call = [&](index lda, batch_info info) {
    gemm(order::row_major, op::none, op::none, 2, 4, 3, 1.0, a, lda, b, 4, 0.0, c, 4, 3, info);
  };
  call(3, batch_info::all(codes));
  CHECK(codes[0] == 0);
  CHECK(codes[1] == -8);
  CHECK(codes[2] == 0);
  CHECK(x[0].is_computed());
  CHECK(x[1].is_untouched());
  CHECK(x[2].is_computed());
  CHECK(thrown_by<shape_error>([&] { call(3, {}); }) ==
        "tenfold: gemm: problem 1: a is null, but there is work to do");
  call(2, batch_info::all(codes));
  for (const int code : codes) CHECK(code == -9);
  codes[1] = 99;
  call(2, batch_info::group(codes));
  CHECK(codes[0] == -9);
  CHECK(codes[1] == 99);
}

TEST_CASE("what is wrong with a strided batch is said for all its problems, and C stays") {
  for (const strided_fault& f : strided_faults) {
    CAPTURE(f.sentence);
    strided_call x;
    f.make(x);
    const std::string text =
        f.overlaps ? thrown_by<overlap_error>([&] { x(); }) : thrown_by<shape_error>([&] { x(); });
    CHECK(text == std::string("tenfold: gemm: problem 0: ") + f.sentence);
    int codes[] = {99, 99};
    x(batch_info::all(codes));
    CHECK(codes[0] == f.code);
    CHECK(codes[1] == f.code);
    codes[0] = codes[1] = 99;
    x(batch_info::group(codes));
    CHECK(codes[0] == f.code);
    CHECK(codes[1] == 99);
    codes[0] = 99;
    x(batch_info::any(codes[0]));
    CHECK(codes[0] == f.code);
    x(batch_info::none());
    for (const double y : x.c) CHECK(y == -7);
  }
}

TEST_CASE("a strided batch is refused at once, however many problems it has") {
  strided_call x;
  x.ldb = 0;
  x.count = index{1} << 60;
  int code = 99;
  x(batch_info::any(code));
  CHECK(code == -11);
  code = 99;
  x(batch_info::group(&code));
  CHECK(code == -11);
  CHECK(thrown_by<shape_error>([&] { x(); }) ==
        "tenfold: gemm: problem 0: ldb is 0, less than n = 4 (row-major, B not transposed)");
}

TEST_CASE("codes of good problems are 0, and those of a call without problems are not written") {
  strided_call x;
  int codes[] = {99, 99, 99};
  x(batch_info::all(codes));
  CHECK(codes[0] == 0);
  CHECK(codes[1] == 0);
  CHECK(codes[2] == 99);
  for (const double y : x.c) CHECK(y == 6);
  x.count = 0;
  codes[0] = 99;
  x(batch_info::all(codes));
  CHECK(codes[0] == 99);
  x(batch_info::any(codes[0]));
  CHECK(codes[0] == 0);
  gemm(order::row_major, static_cast<const gemm_problem<double>*>(nullptr), 0,
       batch_info::any(codes[1]));
  CHECK(codes[1] == 0);
  gemm<double>(order::row_major, nullptr, 0, nullptr, nullptr, nullptr, batch_info::any(codes[2]));
  CHECK(codes[2] == 0);
}

TEST_CASE("a call that is wrong as a whole throws in every way of reporting") {
  using problems = const gemm_problem<double>*;
  int code = 0;
  const auto ways = {batch_info{}, batch_info::none(), batch_info::any(code)};
  problem x;
  const double* a[] = {x.a.data()};
  double* c[] = {x.c.data()};
  const double* const* const no_list = nullptr;
  double* const* const no_results = nullptr;
  for (const batch_info info : ways) {
    strided_call y;
    y.count = -1;
    CHECK(thrown_by<shape_error>([&] { y(info); }) ==
          "tenfold: gemm: the batch has -1 problems, less than 0");
    CHECK(thrown_by<shape_error>([&] { gemm(order::row_major, problems{}, -2, info); }) ==
          "tenfold: gemm: the batch has -2 problems, less than 0");
    CHECK(thrown_by<shape_error>([&] { gemm(order::row_major, problems{}, 2, info); }) ==
          "tenfold: gemm: the list problems is null, but the batch has 2 problems");
    CHECK(thrown_by<shape_error>([&] {
            gemm(order::row_major, problems{}, index{1} << 40, info);
          }) == "tenfold: gemm: a variable batch has fewer than 2^30 problems, not 1099511627776");
    const auto fixed = [&](const double* const* p, const double* const* q, double* const* r,
                           index count) {
      gemm(order::row_major, op::none, op::none, 2, 2, 2, 1.0, p, 2, q, 2, 0.0, r, 2, count, info);
    };
    CHECK(thrown_by<shape_error>([&] { fixed(no_list, a, c, 1); }) ==
          "tenfold: gemm: the list a is null, but the batch has 1 problem");
    CHECK(thrown_by<shape_error>([&] { fixed(a, no_list, c, 3); }) ==
          "tenfold: gemm: the list b is null, but the batch has 3 problems");
    CHECK(thrown_by<shape_error>([&] { fixed(a, a, no_results, 3); }) ==
          "tenfold: gemm: the list c is null, but the batch has 3 problems");
    CHECK(thrown_by<shape_error>([&] { fixed(a, a, c, -3); }) ==
          "tenfold: gemm: the batch has -3 problems, less than 0");
    fixed(no_list, no_list, no_results, 0);
    const gemm_group<double> group{op::none, op::none, 2, 2, 2, 1, 2, 2, 0, 2, -1};
    CHECK(thrown_by<shape_error>([&] { gemm(order::row_major, &group, 1, a, a, c, info); }) ==
          "tenfold: gemm: the batch has -1 problems, less than 0");
    CHECK(thrown_by<shape_error>([&] { gemm(order::row_major, &group, -1, a, a, c, info); }) ==
          "tenfold: gemm: the batch has -1 problems, less than 0");
    CHECK(thrown_by<shape_error>([&] {
            gemm<double>(order::row_major, nullptr, 2, nullptr, nullptr, nullptr, info);
          }) == "tenfold: gemm: the list groups is null, but the batch has 2 groups");
  }
}

}  // namespace tenfold::testing
