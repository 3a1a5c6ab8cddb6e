#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <tenfold/tensor/view.hpp>
#include <thrown.hpp>

#include "gemm_calls.hpp"

// What calls of batched BLAS take that looks wrong, and sizes at the ends of all addresses.

namespace tenfold::testing {

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

TEST_CASE("a result to which nothing is added stays as it is, infinities too") {
  using C = std::complex<double>;
  const double infinity = std::numeric_limits<double>::infinity();
  const C kept[] = {C(infinity, 0), C(0, -infinity), C(1, 2), C(-0.0, 3)};
  const C x[4] = {};
  const auto same = [&](const C* c) { return std::equal(kept, kept + 4, c); };
  for (const double factor : {0.0, 1.0}) {
    const index k = factor == 0 ? 2 : 0;
    C c[4];
    std::copy(kept, kept + 4, c);
    gemm(order::row_major, op::none, op::none, 2, 2, k, C(factor), x, 2, 4, x, 2, 4, C(1), c, 2, 4,
         1);
    CHECK(same(c));
    gemm(order::row_major, op::none, op::none, 1, 1, k, C(factor), x, 2, 1, x, 1, 1, C(1), c, 1, 1,
         4);
    CHECK(same(c));
    const gemm_problem<C> one{op::none, op::none, 2, 2, k, C(factor), x, 2, x, 2, C(1), c, 2};
    gemm(order::row_major, &one, 1);
    CHECK(same(c));
    gemm(C(factor), view<const C, dyn, dyn>(x, 2, k), view<const C, dyn, dyn>(x, k, 2), C(1),
         view<C, 2, 2>(c));
    CHECK(same(c));
  }
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
    // Rows without entries lie anywhere.
    double none[8] = {};
    const gemm_problem<double> empty{op::none, op::none, 2,    2, 0,    1, nullptr,
                                     huge,     nullptr,  huge, 0, none, 2};
    gemm(layout, &empty, 1, batch_info::any(code));
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

}  // namespace tenfold::testing
