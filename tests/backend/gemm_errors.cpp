#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <tenfold/backend/batched_blas.hpp>
#include <thrown.hpp>
#include <utility>
#include <vector>

// What calls of batched BLAS over addresses refuse: the sentence, the code, and what becomes of the
// other problems.

namespace tenfold::testing {
namespace {

constexpr index huge = std::numeric_limits<index>::max();

/// One problem, C := A B with A 2 x 3, B 3 x 4, in memory of its own. Every result is 6.
struct problem {
  std::vector<double> a = std::vector<double>(6, 1), b = std::vector<double>(12, 2),
                      c = std::vector<double>(8, -7);
  gemm_problem<double> terms{op::none, op::none, 2, 4, 3,        1, a.data(),
                             3,        b.data(), 4, 0, c.data(), 4};

  problem() = default;
  problem(const problem&) = delete;
  bool is_computed() const {
    return std::all_of(c.begin(), c.end(), [](double x) { return x == 6; });
  }
  bool is_untouched() const {
    return std::all_of(c.begin(), c.end(), [](double x) { return x == -7; });
  }
};

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

enum class form { fixed, groups, variable };

/// Runs three problems with the fault in the one in the middle. As groups: one each.
void run(form how, order layout, const gemm_problem<double>* p, batch_info info) {
  if (how == form::variable) return gemm(layout, p, 3, info);
  const double* a[3];
  const double* b[3];
  double* c[3];
  std::vector<gemm_group<double>> groups;
  for (int i = 0; i < 3; ++i) {
    a[i] = p[i].a;
    b[i] = p[i].b;
    c[i] = p[i].c;
    groups.push_back({p[i].op_a, p[i].op_b, p[i].m, p[i].n, p[i].k, p[i].alpha, p[i].lda, p[i].ldb,
                      p[i].beta, p[i].ldc, 1});
  }
  gemm(layout, groups.data(), 3, a, b, c, info);
}

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

/// C := A B over strided storage, 2 x 3 times 3 x 4, twice.
struct strided_call {
  order layout = order::row_major;
  op op_a = op::none, op_b = op::none;
  index m = 2, n = 4, k = 3;
  double alpha = 1;
  index lda = 3, stride_a = 6, ldb = 4, stride_b = 12, ldc = 4, stride_c = 8, count = 2;
  std::vector<double> a = std::vector<double>(12, 1), b = std::vector<double>(24, 2),
                      c = std::vector<double>(16, -7);
  const double* at_a = a.data();
  const double* at_b = b.data();
  double* at_c = c.data();

  strided_call() = default;
  strided_call(const strided_call&) = delete;
  void operator()(batch_info info = {}) const {
    gemm(layout, op_a, op_b, m, n, k, alpha, at_a, lda, stride_a, at_b, ldb, stride_b, 0.0, at_c,
         ldc, stride_c, count, info);
  }
};

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
    {[](auto& x) { x.stride_c = 7; }, -13, "c overlaps itself: stride_c is 7", true},
    {[](auto& x) { x.stride_c = 0; }, -13, "c overlaps itself: stride_c is 0", true},
    {[](auto& x) { x.stride_c = -3; }, -13, "c overlaps itself: stride_c is -3", true},
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

TEST_CASE("operands that are not read may be null or hold NaN") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const bool null : {false, true}) {
    strided_call x;
    x.alpha = 0;
    x.a.assign(x.a.size(), nan);
    x.b.assign(x.b.size(), nan);
    if (null) x.at_a = x.at_b = nullptr;
    x();
    for (const double y : x.c) CHECK(y == 0);
    problem p;
    if (null) p.terms.a = p.terms.b = nullptr;
    p.terms.alpha = 0;
    p.terms.beta = 2;
    p.a.assign(6, nan);
    gemm(order::row_major, &p.terms, 1);
    for (const double y : p.c) CHECK(y == -14);
    p.terms.alpha = 1;
    p.terms.k = 0;
    gemm(order::row_major, &p.terms, 1);
    for (const double y : p.c) CHECK(y == -28);
    const gemm_group<double> group{op::none, op::none, 2, 4, 3, 0, 3, 4, -1, 4, 1};
    const double* a[] = {p.terms.a};
    double* c[] = {p.c.data()};
    gemm(order::row_major, &group, 1, null ? nullptr : a, null ? nullptr : a, c);
    for (const double y : p.c) CHECK(y == 28);
  }
  // C among its operands is no harm where they are not read.
  problem p;
  p.terms.a = p.terms.b = p.terms.c;
  p.terms.alpha = 0;
  gemm(order::row_major, &p.terms, 1);
  for (const double y : p.c) CHECK(y == 0);
}

TEST_CASE("sizes without entries are legal, and those beyond all addresses are not") {
  for (const order layout : {order::row_major, order::column_major}) {
    gemm_problem<double> x{op::none, op::none, 0, 4, 3, 1, nullptr, 3, nullptr, 4, 0, nullptr, 4};
    int code = 99;
    gemm(layout, &x, 1, batch_info::any(code));
    CHECK(code == 0);
    x.m = 4;
    x.n = 0;
    x.lda = 4;
    gemm(layout, &x, 1, batch_info::any(code));
    CHECK(code == 0);
    x.m = x.k = x.lda = x.ldb = x.ldc = huge;
    gemm(layout, &x, 1, batch_info::any(code));
    CHECK(code == -9);
  }
}

TEST_CASE("a leading dimension or stride that nothing steps over may be huge") {
  for (const order layout : {order::row_major, order::column_major}) {
    double a = 2, b = 3, c = 0;
    gemm(layout, op::none, op::none, 1, 1, 1, 1.0, &a, huge, huge, &b, huge, -huge, 0.0, &c, huge,
         huge, 1);
    CHECK(c == 6);
    const gemm_problem<double> p{op::none, op::none, 1, 1, 1, 1, &a, huge, &b, huge, 1, &c, huge};
    gemm(layout, &p, 1);
    CHECK(c == 12);
  }
  strided_call x;
  x.count = 1;
  x.stride_a = x.stride_c = huge;
  x.stride_b = -huge;
  x();
  for (std::size_t i = 0; i < 16; ++i) CHECK(x.c[i] == (i < 8 ? 6 : -7));
  // A row times a matrix; the lines are the rows.
  strided_call row;
  row.m = 1;
  row.lda = row.ldc = huge;
  row();
  for (std::size_t i = 0; i < 16; ++i) CHECK(row.c[i] == (i % 8 < 4 ? 6 : -7));
  // Overlap is found as ever.
  row.at_a = row.at_c + 3;
  CHECK(thrown_by<overlap_error>([&] { row(); }) == "tenfold: gemm: problem 0: c overlaps a or b");
}

TEST_CASE("a single line may not be longer than memory") {
  double x = 1;
  int code = 99;
  gemm(order::row_major, op::none, op::none, 1, huge, 1, 1.0, &x, 1, 0, &x, huge, 0, 0.0, &x, huge,
       0, 1, batch_info::any(code));
  CHECK(code == -11);
}

TEST_CASE("the addresses of a matrix and of a batch may be far apart together") {
  // Seven lines 2^57 entries apart, two problems 2^58 apart: their sum is beyond 2^63 bytes.
  double x = 1;
  int code = 99;
  gemm(order::row_major, op::none, op::none, 7, 1, 1, 1.0, &x, index{1} << 57, (index{1} << 58) - 1,
       &x, 1, 0, 0.0, &x, 1, 8, 2, batch_info::any(code));
  CHECK(code == -9);
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
