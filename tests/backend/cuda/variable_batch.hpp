#pragma once

#include <algorithm>
#include <batches.hpp>
#include <copy_there.hpp>
#include <functional>
#include <limits>
#include <tenfold/backend/cuda/variable_gemm.hpp>
#include <tenfold/backend/device_batched_blas.hpp>
#include <vector>

#include "shifted_there.hpp"

namespace tenfold::testing {

/// Small whole numbers: sums of products are exact in any order.
template <class T>
std::vector<T> exact_entries(index count, std::uint64_t seed) {
  std::vector<T> all(static_cast<std::size_t>(count));
  generator g(seed);
  fill(all.data(), count, g, entries_kind::exact);
  return all;
}

struct sizes {
  index m, n, k;
};
/// Those of problem i.
using sizes_of_problem = std::function<sizes(generator& g, index i)>;
inline sizes up_to(generator& g, index most) {
  const index m = between(g, 0, most), n = between(g, 0, most);
  return {m, n, between(g, 0, most)};
}
/// Some larger ones among small ones.
inline sizes mixed(generator& g, index i) { return up_to(g, i % 3 == 0 ? 40 : 9); }

/// Problems of all ops, factors and gaps, and what they shall give.
template <class T>
struct variable_batch {
  order layout;
  std::vector<gemm_problem<T>> problems;
  std::vector<T> a, b, c, want;

  variable_batch(order by, index count, std::uint64_t seed,
                 const sizes_of_problem& sizes_of = mixed, index most_gap = 2)
      : layout(by) {
    generator g(seed);
    struct offsets {
      index a, b, c;
    };
    std::vector<offsets> at;
    offsets end{0, 0, 0};
    const T factors[] = {T(1), T(0), T(-2), number<T>(2, -1)};
    for (index i = 0; i < count; ++i) {
      gemm_problem<T> p;
      const auto any_op = [&] { return static_cast<op>(between(g, 0, 2)); };
      p.op_a = any_op();
      p.op_b = any_op();
      const sizes n = sizes_of(g, i);
      p.m = n.m;
      p.n = n.n;
      p.k = n.k;
      p.alpha = factors[between(g, 0, 3)];
      p.beta = factors[between(g, 0, 3)];
      const auto ld = [&](op f, index rows, index columns) {
        const bool by_row = (layout == order::row_major) == (f == op::none);
        return std::max<index>(1, by_row ? columns : rows) + between(g, 0, most_gap);
      };
      p.lda = ld(p.op_a, p.m, p.k);
      p.ldb = ld(p.op_b, p.k, p.n);
      p.ldc = ld(op::none, p.m, p.n);
      at.push_back(end);
      end.a += p.lda * std::max(p.m, p.k) + 1;
      end.b += p.ldb * std::max(p.k, p.n) + 1;
      end.c += p.ldc * std::max(p.m, p.n) + 1;
      problems.push_back(p);
    }
    a = exact_entries<T>(end.a, seed + 1);
    b = exact_entries<T>(end.b, seed + 2);
    c = exact_entries<T>(end.c, seed + 3);
    want = c;
    for (std::size_t i = 0; i < problems.size(); ++i) {
      gemm_problem<T>& p = problems[i];
      p.a = a.data() + at[i].a;
      p.b = b.data() + at[i].b;
      p.c = want.data() + at[i].c;
      compute(p);
      // C is not read where beta is 0.
      if (p.beta == T(0)) {
        for_each_entry(p, [&](index entry) {
          c[static_cast<std::size_t>(at[i].c + entry)] = T(std::numeric_limits<float>::quiet_NaN());
        });
      }
      p.c = c.data() + at[i].c;
    }
  }

  T entry(const T* x, op f, index ld, index i, index j) const {
    const bool by_row = (layout == order::row_major) == (f == op::none);
    const T value = by_row ? x[i * ld + j] : x[i + j * ld];
    if constexpr (is_complex_type<T>) {
      return f == op::conjugate_transpose ? std::conj(value) : value;
    } else {
      return value;
    }
  }
  template <class F>
  void for_each_entry(const gemm_problem<T>& p, F f) const {
    for (index i = 0; i < p.m; ++i)
      for (index j = 0; j < p.n; ++j) f(layout == order::row_major ? i * p.ldc + j : i + j * p.ldc);
  }
  void compute(const gemm_problem<T>& p) {
    for (index i = 0; i < p.m; ++i) {
      for (index j = 0; j < p.n; ++j) {
        T sum(0);
        for (index l = 0; l < p.k; ++l)
          sum += entry(p.a, p.op_a, p.lda, i, l) * entry(p.b, p.op_b, p.ldb, l, j);
        T& to = p.c[layout == order::row_major ? i * p.ldc + j : i + j * p.ldc];
        to = p.alpha * sum + (p.beta == T(0) ? T(0) : p.beta * to);
      }
    }
  }

  /// Runs it on a device, by run(problems there, codes there, or null); what C is then, what lies
  /// between its entries too. `shifted`: matrices begin in the middle of where a complex entry may.
  template <class F>
  std::vector<T> result(cuda::device_machine& machine, std::vector<int>* codes, bool shifted,
                        const F& run) const {
    const shifted_there<T> a_there(machine, a, shifted), b_there(machine, b, shifted),
        c_there(machine, c, shifted);
    auto there = problems;
    for (gemm_problem<T>& p : there) {
      if (p.a != nullptr) p.a = a_there.data() + (p.a - a.data());
      if (p.b != nullptr) p.b = b_there.data() + (p.b - b.data());
      if (p.c != nullptr) p.c = c_there.data() + (p.c - c.data());
    }
    const copy_there<gemm_problem<T>> list(machine, there);
    std::vector<int> none(there.size(), 77);
    const copy_there<int> codes_there(machine, none);
    run(list.data(), codes == nullptr ? nullptr : codes_there.data());
    if (codes != nullptr) *codes = codes_there.values();
    return c_there.values();
  }
  bool is_right(const std::vector<T>& got) const {
    bool right = true;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const bool both_nan = got[i] != got[i] && want[i] != want[i];
      right = right && (got[i] == want[i] || both_nan);
    }
    return right;
  }
  /// Whether all of C is as it shall be, by the call that people write.
  bool is_right(cuda::device_machine& machine, index usual,
                std::vector<int>* codes = nullptr) const {
    return is_right(
        result(machine, codes, false, [&](const gemm_problem<T>* list, int* codes_there) {
          gemm(on(machine), layout, list, std::ssize(problems), codes_there, usual);
        }));
  }
  /// The same by a cut, in groups.
  std::vector<T> result(cuda::device_machine& machine, const device_variable_gemm& cut, int group,
                        std::vector<int>* codes = nullptr, bool shifted = false) const {
    return result(machine, codes, shifted, [&](const gemm_problem<T>* list, int* codes_there) {
      cuda::variable_gemm(machine, scalar_of<T>, cut, group, layout == order::row_major, list,
                          codes_there, std::ssize(problems), nullptr);
    });
  }
  bool is_right(cuda::device_machine& machine, const device_variable_gemm& cut, int group,
                std::vector<int>* codes = nullptr, bool shifted = false) const {
    return is_right(result(machine, cut, group, codes, shifted));
  }
};

}  // namespace tenfold::testing
