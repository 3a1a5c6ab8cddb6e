#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <tenfold/backend/batched_blas.hpp>
#include <tenfold/backend/interface/select.hpp>
#include <tuple>
#include <vector>

#include "numbers.hpp"
#include "threads.hpp"

// Products of matrices that leave the caches.

namespace tenfold::testing {
namespace {

/// Two problems C := alpha op(A) op(B) + beta C of which one alone is large (select::is_large).
template <class T>
struct large_problems {
  static constexpr index count = 2;
  order layout;
  op op_a, op_b;
  index m = 70, n = sizeof(T) < 8 ? 15600 : 7800, k = 66;
  index lda = (rows_are_lines(op_a) ? k : m) + 1, ldb = (rows_are_lines(op_b) ? n : k) + 3,
        ldc = (layout == order::row_major ? n : m) + 1;
  index size_a = lda * (rows_are_lines(op_a) ? m : k),
        size_b = ldb * (rows_are_lines(op_b) ? k : n),
        size_c = ldc * (layout == order::row_major ? m : n);
  T alpha = number<T>(0.7, 0.1), beta = number<T>(0.3, -0.2);
  std::vector<T> a = random_entries<T>(count * size_a, 1), b = random_entries<T>(count * size_b, 2),
                 before = random_entries<T>(count * size_c, 3);

  large_problems(order o, op fa, op fb) : layout(o), op_a(fa), op_b(fb) {}

  /// Whether lines in memory are rows of the operand as it is multiplied.
  bool rows_are_lines(op f) const { return (layout == order::row_major) == (f == op::none); }

  std::vector<T> strided(index problems = count) const {
    std::vector<T> c = before;
    gemm(layout, op_a, op_b, m, n, k, alpha, a.data(), lda, size_a, b.data(), ldb, size_b, beta,
         c.data(), ldc, size_c, problems);
    return c;
  }
  std::vector<T> at_addresses() const {
    std::vector<T> c = before;
    const T* const as[] = {a.data(), a.data() + size_a};
    const T* const bs[] = {b.data(), b.data() + size_b};
    T* const cs[] = {c.data(), c.data() + size_c};
    gemm(layout, op_a, op_b, m, n, k, alpha, as, lda, bs, ldb, beta, cs, ldc, count);
    return c;
  }
  /// With a small problem between the two.
  std::vector<T> variable() const {
    std::vector<T> c = before;
    const auto problem = [&](index p) {
      return gemm_problem<T>{op_a,
                             op_b,
                             m,
                             n,
                             k,
                             alpha,
                             a.data() + p * size_a,
                             lda,
                             b.data() + p * size_b,
                             ldb,
                             beta,
                             c.data() + p * size_c,
                             ldc};
    };
    T ones[] = {T(1), T(1), T(1)};
    const gemm_problem<T> list[] = {
        problem(0),
        {op::none, op::none, 1, 1, 1, T(1), ones, 1, ones + 1, 1, T(0), ones + 2, 1},
        problem(1)};
    gemm(layout, list, 3);
    CHECK(ones[2] == T(1));
    return c;
  }

  /// Whether entries beside the results are as before.
  bool spares_gaps(const std::vector<T>& c) const {
    const index line = layout == order::row_major ? n : m,
                lines = layout == order::row_major ? m : n;
    for (index p = 0; p < count; ++p)
      for (index i = 0; i < lines; ++i)
        for (index j = line; j < ldc; ++j) {
          const auto at = static_cast<std::size_t>(p * size_c + i * ldc + j);
          if (c[at] != before[at]) return false;
        }
    return true;
  }

  /// The largest error of some entries of each result beside what rounding may make of it.
  double error(const std::vector<T>& c) const {
    using wide = std::complex<long double>;
    const auto value = [](const std::vector<T>& x, index at, bool conjugated) {
      const std::complex<double> v = x[static_cast<std::size_t>(at)];
      return conjugated ? wide(v.real(), -v.imag()) : wide(v.real(), v.imag());
    };
    const bool by_row = layout == order::row_major;
    double most = 0;
    for (index p = 0; p < count; ++p)
      for (index i = 0; i < m; i += i < 3 || i >= m - 3 ? 1 : 13)
        for (index j = 0; j < n; j += j < 9 || j >= n - 9 ? 1 : 127) {
          wide sum = 0;
          long double size = 0;
          for (index l = 0; l < k; ++l) {
            const wide x = value(a, p * size_a + (rows_are_lines(op_a) ? i * lda + l : l * lda + i),
                                 op_a == op::conjugate_transpose),
                       y = value(b, p * size_b + (rows_are_lines(op_b) ? l * ldb + j : j * ldb + l),
                                 op_b == op::conjugate_transpose);
            sum += x * y;
            size += std::abs(x) * std::abs(y);
          }
          const index at = p * size_c + (by_row ? i * ldc + j : j * ldc + i);
          const wide old = value(before, at, false),
                     factor(std::complex<double>(alpha).real(), std::complex<double>(alpha).imag()),
                     scale(std::complex<double>(beta).real(), std::complex<double>(beta).imag());
          size = size * std::abs(factor) + std::abs(old) * std::abs(scale);
          const auto wrong = std::abs(value(c, at, false) - factor * sum - scale * old);
          most = std::max(most, static_cast<double>(wrong / size));
        }
    return most;
  }
};

template <class T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
  return std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
}

}  // namespace

TEST_CASE_TEMPLATE("large products are exact, with the same bits in every form on any threads", T,
                   float, double, std::complex<float>) {
  const double eps = std::numeric_limits<real_type<T>>::epsilon();
  for (const auto& [layout, op_a, op_b] :
       {std::tuple{order::row_major, op::none, op::none},
        {order::column_major, op::none, op::conjugate_transpose},
        {order::row_major, op::conjugate_transpose, op::transpose}}) {
    const large_problems<T> x(layout, op_a, op_b);
    gemm_shape shape{scalar_of<T>, x.m, x.n, x.k, {}, {}, {}};
    const auto lie = [](matrix_batch& matrix, bool rows_are_lines, index ld) {
      matrix.row = rows_are_lines ? ld : 1;
      matrix.column = rows_are_lines ? 1 : ld;
    };
    lie(shape.a, x.rows_are_lines(op_a), x.lda);
    lie(shape.b, x.rows_are_lines(op_b), x.ldb);
    lie(shape.c, layout == order::row_major, x.ldc);
    REQUIRE(select::is_large(shape));
    const std::vector<T> want = x.strided();
    CHECK(x.error(want) <= 2 * static_cast<double>(x.k + 4) * eps);
    CHECK(x.spares_gaps(want));
    for (const int threads : {1, 2, 4}) {
      on_threads(threads, [&] {
        CHECK(same_bits(x.strided(), want));
        CHECK(same_bits(x.at_addresses(), want));
        CHECK(same_bits(x.variable(), want));
      });
    }
    std::vector<T> first = x.strided(1);
    CHECK(std::memcmp(first.data(), want.data(), static_cast<std::size_t>(x.size_c) * sizeof(T)) ==
          0);
  }
}

}  // namespace tenfold::testing
