#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "c_names.hpp"
#include "xerbla.hpp"

// Illegal arguments: the position that cblas_xerbla is told, and that no C is touched.

namespace tenfold::testing {
namespace {

template <class Int>
struct strided_call {
  int layout = CblasRowMajor, transa = CblasNoTrans, transb = CblasNoTrans;
  Int m = 2, n = 3, k = 4, lda = 4, stridea = 8, ldb = 3, strideb = 12, ldc = 3, stridec = 6,
      count = 2;
  std::vector<double> a = std::vector<double>(16, 1), b = std::vector<double>(24, 1),
                      c = std::vector<double>(12, 5);
  const double *at_a = a.data(), *at_b = b.data();
  double* at_c = c.data();

  told report() {
    const told t = report_of([&] {
      c_names<double, Int>::strided(static_cast<CBLAS_LAYOUT>(layout),
                                    static_cast<CBLAS_TRANSPOSE>(transa),
                                    static_cast<CBLAS_TRANSPOSE>(transb), m, n, k, 1, at_a, lda,
                                    stridea, at_b, ldb, strideb, 1, at_c, ldc, stridec, count);
    });
    if (t.position >= 0) CHECK(c == std::vector<double>(12, 5));
    return t;
  }
};

/// The position reported once `change` was made to a legal call.
template <class Call, class F>
int position_after(const F& change) {
  Call x;
  change(x);
  return x.report().position;
}

/// Two groups of two problems.
struct group_call {
  int layout = CblasRowMajor;
  std::vector<CBLAS_TRANSPOSE> transa{CblasNoTrans, CblasNoTrans}, transb = transa;
  std::vector<int> m{1, 2}, n{1, 2}, k{1, 2}, lda{1, 2}, ldb = lda, ldc = lda, size{2, 2};
  std::vector<double> alpha{1, 1}, beta{1, 1};
  std::vector<double> a = std::vector<double>(16, 1), b = a, c = std::vector<double>(16, 5);
  std::vector<const double*> list_a{at(a, 0), at(a, 1), at(a, 2), at(a, 3)},
      list_b{at(b, 0), at(b, 1), at(b, 2), at(b, 3)};
  std::vector<double*> list_c{at(c, 0), at(c, 1), at(c, 2), at(c, 3)};
  int group_count = 2;
  const int *at_m = m.data(), *at_size = size.data();
  const double** at_a = list_a.data();
  double** at_c = list_c.data();

  static double* at(std::vector<double>& x, std::ptrdiff_t problem) { return &x[0] + 4 * problem; }

  told report() {
    const told t = report_of([&] {
      cblas_dgemm_batch(static_cast<CBLAS_LAYOUT>(layout), transa.data(), transb.data(), at_m,
                        n.data(), k.data(), alpha.data(), at_a, lda.data(), list_b.data(),
                        ldb.data(), beta.data(), at_c, ldc.data(), group_count, at_size);
    });
    if (t.position >= 0) CHECK(c == std::vector<double>(16, 5));
    return t;
  }
};

}  // namespace

TEST_CASE("the positions of what is illegal in a strided batch") {
  const auto with_integers = [](auto i) {
    using call = strided_call<decltype(i)>;
    const auto after = [](auto f) { return position_after<call>(f); };
    CHECK(after([](call&) {}) == -1);
    CHECK(after([](call& x) { x.layout = 0; }) == 1);
    CHECK(after([](call& x) { x.transa = 110; }) == 2);
    CHECK(after([](call& x) { x.transb = -1; }) == 3);
    CHECK(after([](call& x) { x.m = -1; }) == 4);
    CHECK(after([](call& x) { x.n = -1; }) == 5);
    CHECK(after([](call& x) { x.k = -1; }) == 6);
    CHECK(after([](call& x) { x.at_a = nullptr; }) == 8);
    CHECK(after([](call& x) { x.lda = 3; }) == 9);
    CHECK(after([](call& x) { x.at_b = nullptr; }) == 11);
    CHECK(after([](call& x) { x.ldb = 2; }) == 12);
    CHECK(after([](call& x) { x.at_c = nullptr; }) == 15);
    CHECK(after([](call& x) { x.at_c = x.a.data(); }) == 15);
    CHECK(after([](call& x) { x.stridec = 5; }) == 15);
    CHECK(after([](call& x) { x.ldc = 2; }) == 16);
    CHECK(after([](call& x) { x.count = -1; }) == 18);
    CHECK(after([](call& x) { x.layout = CblasColMajor; }) == 12);  // ldb is less than k
  };
  with_integers(int{});
  with_integers(std::int64_t{});
}

TEST_CASE("complex factors are addresses, which must be there") {
  const std::complex<double> one(1);
  std::complex<double> c(5);
  const auto call = [&](const void* alpha, const void* beta) {
    return report_of([&] {
             cblas_zgemm_batch_strided(CblasRowMajor, CblasNoTrans, CblasNoTrans, 1, 1, 1, alpha,
                                       &one, 1, 1, &one, 1, 1, beta, &c, 1, 1, 1);
           })
        .position;
  };
  CHECK(call(nullptr, &one) == 7);
  CHECK(call(&one, nullptr) == 14);
  CHECK(c == 5.0);
}

TEST_CASE("the positions of what is illegal in groups; one bad problem stops all") {
  using call = group_call;
  const auto after = [](auto f) { return position_after<call>(f); };
  CHECK(after([](call&) {}) == -1);
  CHECK(after([](call& x) { x.layout = 103; }) == 1);
  CHECK(after([](call& x) { x.transa[1] = static_cast<CBLAS_TRANSPOSE>(0); }) == 2);
  CHECK(after([](call& x) { x.transb[1] = static_cast<CBLAS_TRANSPOSE>(200); }) == 3);
  CHECK(after([](call& x) { x.m[1] = -1; }) == 4);
  CHECK(after([](call& x) { x.at_m = nullptr; }) == 4);
  CHECK(after([](call& x) { x.n[1] = -1; }) == 5);
  CHECK(after([](call& x) { x.k[1] = -1; }) == 6);
  CHECK(after([](call& x) { x.at_a = nullptr; }) == 8);
  CHECK(after([](call& x) { x.list_a[3] = nullptr; }) == 8);
  CHECK(after([](call& x) { x.lda[1] = 1; }) == 9);
  CHECK(after([](call& x) { x.list_b[2] = nullptr; }) == 10);
  CHECK(after([](call& x) { x.ldb[1] = 1; }) == 11);
  CHECK(after([](call& x) { x.at_c = nullptr; }) == 13);
  CHECK(after([](call& x) { x.list_c[3] = nullptr; }) == 13);
  CHECK(after([](call& x) { x.list_a[3] = x.list_c[3]; }) == 13);
  CHECK(after([](call& x) { x.ldc[1] = 1; }) == 14);
  CHECK(after([](call& x) { x.group_count = -1; }) == 15);
  CHECK(after([](call& x) { x.size[1] = -1; }) == 16);
  CHECK(after([](call& x) { x.at_size = nullptr; }) == 16);
  call named;
  named.layout = 0;
  CHECK(named.report().function == "cblas_dgemm_batch");
}

TEST_CASE("with codes a bad problem is left out and the others are computed") {
  group_call x;
  std::vector<int> codes(4, 1);
  const auto call = [&](int* info) {
    return report_of([&] {
             tenfold_dgemm_batch_info(CblasRowMajor, x.transa.data(), x.transb.data(), x.m.data(),
                                      x.n.data(), x.k.data(), x.alpha.data(), x.list_a.data(),
                                      x.lda.data(), x.list_b.data(), x.ldb.data(), x.beta.data(),
                                      x.list_c.data(), x.ldc.data(), 2, x.size.data(), info);
           })
        .position;
  };
  CHECK(call(nullptr) == 17);
  x.list_a[0] = nullptr;
  x.ldb[1] = 1;
  CHECK(call(codes.data()) == -1);
  CHECK(codes == std::vector<int>{-8, 0, -11, -11});
  std::vector<double> want(16, 5);
  want[4] = 6;
  CHECK(x.c == want);
  x.size[0] = -1;
  CHECK(call(codes.data()) == 16);
}

TEST_CASE("the positions of what is illegal in interleaved batches and conversions") {
  struct call {
    int layout = CblasRowMajor, transa = CblasNoTrans, transb = CblasNoTrans, m = 2, n = 2, k = 2,
        block = 2, count = 3;
    std::vector<double> a = std::vector<double>(16, 1), b = a, c = std::vector<double>(16, 5);
    const double *at_a = a.data(), *at_b = b.data();
    double* at_c = c.data();
    told report() {
      const told t = report_of([&] {
        tenfold_dgemm_batch_interleaved(
            static_cast<CBLAS_LAYOUT>(layout), static_cast<CBLAS_TRANSPOSE>(transa),
            static_cast<CBLAS_TRANSPOSE>(transb), m, n, k, 1, at_a, at_b, 0, at_c, block, count);
      });
      if (t.position >= 0) CHECK(c == std::vector<double>(16, 5));
      return t;
    }
  };
  const auto after = [](auto f) { return position_after<call>(f); };
  CHECK(after([](call&) {}) == -1);
  CHECK(after([](call& x) { x.layout = 0; }) == 1);
  CHECK(after([](call& x) { x.transa = 0; }) == 2);
  CHECK(after([](call& x) { x.transb = 0; }) == 3);
  CHECK(after([](call& x) { x.m = -1; }) == 4);
  CHECK(after([](call& x) { x.n = -1; }) == 5);
  CHECK(after([](call& x) { x.k = -1; }) == 6);
  CHECK(after([](call& x) { x.at_a = nullptr; }) == 8);
  CHECK(after([](call& x) { x.at_b = nullptr; }) == 9);
  CHECK(after([](call& x) { x.at_c = nullptr; }) == 11);
  CHECK(after([](call& x) { x.at_c = x.a.data(); }) == 11);
  CHECK(after([](call& x) { x.block = 0; }) == 12);
  CHECK(after([](call& x) { x.count = -1; }) == 13);
  CHECK(after([](call& x) { x.m = x.n = x.k = x.block = x.count = INT32_MAX; }) == 8);
  double c = 3;  // with alpha = 0, A and B are not read
  CHECK(report_of([&] {
          tenfold_dgemm_batch_interleaved_64(CblasRowMajor, CblasNoTrans, CblasNoTrans, 1, 1,
                                             std::int64_t{1} << 62, 0, nullptr, nullptr, 2, &c, 1,
                                             1);
        }).position == -1);
  CHECK(c == 6);

  std::vector<double> a(16), b(16);
  const auto convert = [&](int layout, int m, int n, const double* from, int lda, double* to,
                           int block, int count) {
    return report_of([&] {
             tenfold_dto_interleaved(static_cast<CBLAS_LAYOUT>(layout), m, n, from, lda, 4, to,
                                     block, count);
           })
        .position;
  };
  CHECK(convert(CblasRowMajor, 2, 2, a.data(), 2, b.data(), 2, 3) == -1);
  CHECK(convert(0, 2, 2, a.data(), 2, b.data(), 2, 3) == 1);
  CHECK(convert(CblasRowMajor, -1, 2, a.data(), 2, b.data(), 2, 3) == 2);
  CHECK(convert(CblasRowMajor, 2, -1, a.data(), 2, b.data(), 2, 3) == 3);
  CHECK(convert(CblasRowMajor, 2, 2, nullptr, 2, b.data(), 2, 3) == 4);
  CHECK(convert(CblasColMajor, 2, 1, a.data(), 1, b.data(), 2, 3) == 5);
  CHECK(convert(CblasRowMajor, 2, 2, a.data(), 2, nullptr, 2, 3) == 7);
  CHECK(convert(CblasRowMajor, 2, 2, a.data(), 2, b.data(), 0, 3) == 8);
  CHECK(convert(CblasRowMajor, 2, 2, a.data(), 2, b.data(), 2, -1) == 9);
  const auto far_apart = [&](std::int64_t lda, std::int64_t stride) {
    return report_of([&] {
             tenfold_dto_interleaved_64(CblasRowMajor, 2, 2, a.data(), lda, stride, b.data(), 2, 3);
           })
        .position;
  };
  CHECK(far_apart(std::int64_t{1} << 61, 4) == 5);
  CHECK(far_apart(2, std::int64_t{1} << 60) == 4);
  // What is written may not be what is read, nor written twice.
  CHECK(convert(CblasRowMajor, 2, 2, a.data(), 2, a.data(), 2, 3) == 7);
  CHECK(convert(CblasRowMajor, 2, 2, a.data(), 2, a.data() + 11, 2, 3) == 7);
  const auto back = [&](double* to, int lda, int stride) {
    return report_of([&] {
             tenfold_dfrom_interleaved(CblasRowMajor, 2, 2, to, lda, stride, b.data(), 2, 3);
           })
        .position;
  };
  CHECK(back(a.data(), 2, 4) == -1);
  CHECK(back(b.data() + 1, 2, 4) == 4);
  CHECK(back(a.data(), 2, 0) == 4);
  CHECK(back(a.data(), 2, 3) == 4);
  CHECK(back(a.data(), 4, 2) == 4);
  CHECK(back(a.data(), 6, 2) == -1);  // rows of each problem between those of others
}

TEST_CASE("nothing to do is nothing wrong") {
  const auto nothing = [](const auto& f) { return report_of(f).position == -1; };
  CHECK(nothing([] {
    cblas_dgemm_batch(CblasRowMajor, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                      nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 0, nullptr);
  }));
  CHECK(nothing([] {
    cblas_dgemm_batch_strided(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 2, 1, nullptr, 2, 4,
                              nullptr, 2, 4, 0, nullptr, 2, 4, 0);
  }));
  CHECK(nothing([] {
    cblas_dgemm_batch_strided(CblasRowMajor, CblasNoTrans, CblasNoTrans, 0, 2, 2, 1, nullptr, 2, 4,
                              nullptr, 2, 4, 0, nullptr, 2, 4, 3);
  }));
}

}  // namespace tenfold::testing
