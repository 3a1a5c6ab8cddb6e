#pragma once

#include <algorithm>
#include <limits>
#include <tenfold/backend/batched_blas.hpp>
#include <vector>

/// Small calls of batched BLAS over addresses, for tests to make something wrong with.
namespace tenfold::testing {

inline constexpr index huge = std::numeric_limits<index>::max();

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

enum class form { fixed, groups, variable };

/// Runs three problems; as groups, one each.
inline void run(form how, order layout, const gemm_problem<double>* p, batch_info info) {
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

}  // namespace tenfold::testing
