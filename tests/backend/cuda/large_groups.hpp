#pragma once

#include <algorithm>
#include <batches.hpp>
#include <copy_there.hpp>
#include <tenfold/backend/device_batched_blas.hpp>
#include <vector>

namespace tenfold::testing {

/// Groups of a call, most of whose matrices are large enough for a vendor's library, and what they
/// shall give. In this order:
///   0, 1     large      2  nothing     3  large
///   4        small      5  large, but has no rows: addresses that nobody reads
///   6        large      7  small       8, 9  large
template <class T>
class large_groups {
 public:
  explicit large_groups(order layout) : layout_(layout) {
    add(op::none, op::none, 64, 70, 33, T(1), T(0), 2);
    add(op::transpose, op::none, 70, 64, 40, T(-1), T(2), 3);
    add(op::none, op::none, 80, 80, 80, T(1), T(0), 0);
    add(op::none, op::transpose, 65, 66, 67, T(2), T(-1), 1);
    add(op::none, op::none, 3, 4, 5, T(1), T(1), 4);
    add(op::none, op::none, 0, 64, 64, T(1), T(0), 2);
    add(op::transpose, op::transpose, 64, 64, 32, T(1), T(1), 2);
    add(op::none, op::transpose, 5, 3, 4, T(-1), T(0), 3);
    add(op::none, op::none, 66, 65, 48, T(3), T(0), 1);
    add(op::none, op::none, 66, 65, 48, T(3), T(0), 2);
    generator g(7);
    fill(a_, g);
    fill(b_, g);
    fill(c_, g);
    std::size_t problem = 0;
    for (const gemm_group<T>& x : groups_)
      for (index i = 0; i < x.count; ++i, ++problem)
        if (x.beta == T(0)) fill_c(problem, x, not_a_number<T>());
  }

  /// Runs them; whether all of C is as it shall be, what lies between entries, too.
  bool is_right(cuda::device_machine& machine, void* stream = nullptr) const {
    auto want = c_;
    gemm(layout_, groups_.data(), std::ssize(groups_), list<const T>(a_.data(), at_a_).data(),
         list<const T>(b_.data(), at_b_).data(), list<T>(want.data(), at_c_).data());
    const copy_there<T> a(machine, a_), b(machine, b_), c(machine, c_);
    const copy_there<const T*> list_a(machine, list<const T>(a.data(), at_a_)),
        list_b(machine, list<const T>(b.data(), at_b_));
    const copy_there<T*> list_c(machine, list<T>(c.data(), at_c_));
    machine.wait(nullptr);
    gemm(device_queue{&machine, stream}, layout_, groups_.data(), std::ssize(groups_),
         list_a.data(), list_b.data(), list_c.data());
    machine.wait(stream);
    const auto got = c.values();
    return std::equal(got.begin(), got.end(), want.begin(),
                      [](T x, T y) { return x == y || (x != x && y != y); });
  }

 private:
  // Lines have three entries more than they need.
  static constexpr index gap = 3;

  void add(op op_a, op op_b, index m, index n, index k, T alpha, T beta, index count) {
    const bool by_row = layout_ == order::row_major;
    const auto ld = [&](op f, index rows, index columns) {
      return (by_row == (f == op::none) ? columns : rows) + gap;
    };
    const gemm_group<T> x{
        op_a, op_b, m, n, k, alpha, ld(op_a, m, k), ld(op_b, k, n), beta, ld(op::none, m, n),
        count};
    groups_.push_back(x);
    const auto take = [](std::vector<T>& from, std::vector<index>& at, index entries) {
      at.push_back(std::ssize(from));
      from.resize(from.size() + static_cast<std::size_t>(entries));
    };
    for (index i = 0; i < count; ++i) {
      take(a_, at_a_, x.lda * std::max(m, k));
      take(b_, at_b_, x.ldb * std::max(k, n));
      take(c_, at_c_, x.ldc * std::max(m, n));
    }
  }
  /// Small whole numbers: sums of products are exact in any order.
  static void fill(std::vector<T>& to, generator& g) {
    testing::fill(to.data(), std::ssize(to), g, entries_kind::exact);
  }
  void fill_c(std::size_t problem, const gemm_group<T>& x, T value) {
    T* const first = c_.data() + at_c_[problem];
    for (index i = 0; i < x.m; ++i)
      for (index j = 0; j < x.n; ++j)
        first[layout_ == order::row_major ? i * x.ldc + j : i + j * x.ldc] = value;
  }
  template <class X>
  static std::vector<X*> list(X* first, const std::vector<index>& at) {
    std::vector<X*> all;
    for (const index i : at) all.push_back(first + i);
    return all;
  }

  order layout_;
  std::vector<gemm_group<T>> groups_;
  std::vector<T> a_, b_, c_;
  std::vector<index> at_a_, at_b_, at_c_;  // by problem
};

}  // namespace tenfold::testing
