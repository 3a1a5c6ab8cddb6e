#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "common/buffer.hpp"
#include "common/check.hpp"
#include "gemm/batch.hpp"

/// What batches hold, and what they must give.
namespace tenfold::bench {

/// Memory for A, B and C of one batch, filled once.
template <class R>
class arena {
 public:
  explicit arena(std::size_t bytes) : all_(bytes / sizeof(R) + 4 * gap) { all_.fill(1); }

  /// As many problems of these sizes as fit, and where they lie; false: there is no room for one,
  /// or for one block of them.
  template <class T>
  [[nodiscard]] bool lay_out(gemm_batch<T>& x) {
    const auto entries = static_cast<std::ptrdiff_t>(all_.size() - 4 * gap) / parts_of<T>;
    const std::ptrdiff_t shared = x.shared_a ? x.a_size() : 0;
    const std::ptrdiff_t each = (x.shared_a ? 0 : x.a_size()) + x.b_size() + x.c_size();
    const std::ptrdiff_t W = x.where == storage::interleaved ? simd_block<T> : 1;
    x.count = std::max<std::ptrdiff_t>(entries - shared, 0) / each / W * W;
    if (x.count == 0) return false;
    R* next = all_.data();
    const auto take = [&](std::ptrdiff_t size) {
      R* const here = next;
      constexpr std::ptrdiff_t line = 64 / sizeof(R);
      next += (size * parts_of<T> + line - 1) / line * line + static_cast<std::ptrdiff_t>(gap);
      return reinterpret_cast<T*>(here);
    };
    x.a = take(x.shared_a ? shared : x.count * x.a_size());
    x.b = take(x.count * x.b_size());
    x.c = take(x.count * x.c_size());
    return true;
  }

 private:
  /// Between the arrays, so that they do not lie at the same place of a page.
  static constexpr std::size_t gap = 7 * 64 / sizeof(R);

  buffer<R> all_;
};

/// What some problems of a batch must give.
template <class T>
class expected {
  using R = real_type<T>;
  static constexpr int parts = parts_of<T>;

 public:
  expected(const gemm_batch<T>& x, std::vector<std::ptrdiff_t> problems)
      : x_(x), problems_(std::move(problems)) {
    for (const std::ptrdiff_t p : problems_) {
      for (std::ptrdiff_t e = 0; e < x.c_size(); ++e) {
        for (int part = 0; part < parts; ++part) before_.push_back(result(p, e, part));
      }
      for (int i = 0; i < x.m; ++i) {
        for (int j = 0; j < x.n; ++j) add_entry(p, i, j);
      }
    }
  }

  /// Sets the results to what they were before, or to NaN where they must not be read.
  void prepare() const {
    const R* before = before_.data();
    for (const std::ptrdiff_t p : problems_) {
      for (std::ptrdiff_t e = 0; e < x_.c_size(); ++e) {
        for (int part = 0; part < parts; ++part, ++before) {
          result(p, e, part) = x_.beta == T(0) ? std::numeric_limits<R>::quiet_NaN() : *before;
        }
      }
    }
  }

  void compare(const std::string& name, const std::string& candidate) const {
    const reference_entry* wanted = entries_.data();
    std::vector<R> got(static_cast<std::size_t>(x_.c_size() * parts));
    for (const std::ptrdiff_t p : problems_) {
      for (std::size_t r = 0; r < got.size(); ++r) {
        got[r] = result(p, static_cast<std::ptrdiff_t>(r) / parts, static_cast<int>(r % parts));
      }
      check(name + " problem " + std::to_string(p), candidate, got.data(),
            static_cast<std::ptrdiff_t>(got.size()), x_.k + 2,
            [&](std::ptrdiff_t i) { return wanted[i]; });
      wanted += got.size();
    }
  }

 private:
  R& result(std::ptrdiff_t problem, std::ptrdiff_t entry, int part) const {
    return reinterpret_cast<R*>(x_.c)[x_.place(problem, entry, x_.c_size(), part)];
  }

  void add_entry(std::ptrdiff_t p, int i, int j) {
    const auto a = [&](int k, int part) -> long double {
      const R* const A = reinterpret_cast<const R*>(x_.a);
      const std::ptrdiff_t entry = std::ptrdiff_t{i} * x_.k + k;
      return x_.shared_a ? A[entry * parts + part] : A[x_.place(p, entry, x_.a_size(), part)];
    };
    const auto b = [&](int k, int part) -> long double {
      return reinterpret_cast<const R*>(
          x_.b)[x_.place(p, std::ptrdiff_t{k} * x_.n + j, x_.b_size(), part)];
    };
    reference_entry part[2] = {};
    const auto add = [&](int to, long double product) {
      part[to].value += product;
      part[to].magnitude += std::fabs(product);
    };
    for (int k = 0; k < x_.k; ++k) {
      add(0, a(k, 0) * b(k, 0));
      if constexpr (parts == 2) {
        add(0, -a(k, 1) * b(k, 1));
        add(1, a(k, 0) * b(k, 1));
        add(1, a(k, 1) * b(k, 0));
      }
    }
    for (int r = 0; r < parts; ++r) {
      if (x_.beta != T(0)) add(r, result(p, std::ptrdiff_t{i} * x_.n + j, r));
      entries_.push_back(part[r]);
    }
  }

  gemm_batch<T> x_;
  std::vector<std::ptrdiff_t> problems_;
  std::vector<R> before_;
  std::vector<reference_entry> entries_;
};

}  // namespace tenfold::bench
