#pragma once

#include <algorithm>
#include <tenfold/backend/cpu/load_store.hpp>
#include <tenfold/backend/interface/program.hpp>
#include <tenfold/backend/interface/select.hpp>
#include <type_traits>
#include <utility>

/// Products entry by entry that run together, of a program that is data: see
/// program_step::together.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// One of the products that run together, and whether it begins a sum of them.
template <class T>
struct together_product {
  const T *a, *b;
  T* c;
  step_loop n, around;
  bool begins, accumulates, is_negative;
};

/// N entries from entry `x` on. A sum stays in registers; all are stored when all is read.
template <class T, int W, int N, bool SideBySide>
[[gnu::always_inline]] inline void entries_together(const together_product<T>* p, int count,
                                                    index x) {
  const auto stride = [](index n) { return SideBySide ? W : n; };
  vec<T, W> sums[select::most_together][N];
  int done = 0;
  for (int j = 0; j < count; ++done) {
    vec<T, W> sum[N];
    const auto multiply = [&sum, stride, x ](const together_product<T>& t, const auto& add)
        __attribute__((always_inline)) {
      const index a_n = stride(t.n.a), b_n = stride(t.n.b);
      const T* const a = t.a + x * a_n;
      const T* const b = t.b + x * b_n;
      if (t.is_negative) {
#pragma GCC unroll 16
        for (int i = 0; i < N; ++i)
          add(sum[i], broadcast<T, W>(T(-1)) * load<T, W>(a + i * a_n), load<T, W>(b + i * b_n));
      } else {
#pragma GCC unroll 16
        for (int i = 0; i < N; ++i) add(sum[i], load<T, W>(a + i * a_n), load<T, W>(b + i * b_n));
      }
    };
    const auto begin = [](vec<T, W> & s, vec<T, W> a, vec<T, W> b) __attribute__((always_inline)) {
      s = a * b;
    };
    const auto go_on = [](vec<T, W> & s, vec<T, W> a, vec<T, W> b) __attribute__((always_inline)) {
      s = fma(a, b, s);
    };
    if (p[j].accumulates) {
#pragma GCC unroll 16
      for (int i = 0; i < N; ++i) sum[i] = load<T, W>(p[j].c + (x + i) * stride(p[j].n.c));
      multiply(p[j], go_on);
    } else {
      multiply(p[j], begin);
    }
    for (++j; j < count && !p[j].begins; ++j) multiply(p[j], go_on);
#pragma GCC unroll 16
    for (int i = 0; i < N; ++i) sums[done][i] = sum[i];
  }
  done = 0;
  for (int j = 0; j < count; ++j) {
    if (!p[j].begins) continue;
#pragma GCC unroll 16
    for (int i = 0; i < N; ++i) store<T, W>(p[j].c + (x + i) * stride(p[j].n.c), sums[done][i]);
    ++done;
  }
}

/// Whether the products are a matrix times a vector, c_i := sum_j a_ij b_j for `rows` sums i in
/// order: term j of each has a factor in common, which then is its b.
template <class T>
bool is_point_matrix(together_product<T>* p, int count, int rows) {
  const int terms = count / rows;
  if (terms * rows != count) return false;
  for (int i = 0; i < count; ++i) {
    if (p[i].begins != (i % terms == 0) || p[i].accumulates == p[i].begins || p[i].is_negative)
      return false;
  }
  const auto swap_factors = [](together_product<T>& x) {
    std::swap(x.a, x.b);
    std::swap(x.n.a, x.n.b);
    std::swap(x.around.a, x.around.b);
  };
  const auto same = [](const together_product<T>& x, const together_product<T>& y) {
    return x.b == y.b && x.n.b == y.n.b && x.around.b == y.around.b;
  };
  for (int j = 0; j < terms && rows > 1; ++j) {
    together_product<T>&x = p[j], &y = p[terms + j];
    for (int tried = 0; tried < 3 && !same(x, y); ++tried) swap_factors(tried == 1 ? x : y);
    for (int i = 1; i < rows; ++i) {
      together_product<T>& z = p[i * terms + j];
      if (!same(x, z)) swap_factors(z);
      if (!same(x, z)) return false;
    }
  }
  return true;
}

/// N entries of a matrix times a vector, from entry `x` on. Each b_j is loaded once, and the sums
/// stay in registers. Terms: how many each sum has, 0: as many as there are. Where that is known
/// each load goes along one array, and the processor fetches ahead of it (BK5 of run-time extents
/// on Emerald Rapids, p = 11: 1.05 times the rate).
template <class T, int W, int N, int R, int Terms, bool SideBySide>
[[gnu::always_inline]] inline void entries_of_point_matrix(const together_product<T>* p, int count,
                                                           index x) {
  const int terms = Terms > 0 ? Terms : count / R;
  const auto stride = [](index n) { return SideBySide ? W : n; };
  vec<T, W> sums[R][N];
  const auto add = [&](int j, const auto& term) __attribute__((always_inline)) {
    vec<T, W> b[N];
#pragma GCC unroll 16
    for (int e = 0; e < N; ++e) b[e] = load<T, W>(p[j].b + (x + e) * stride(p[j].n.b));
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      const together_product<T>& t = p[i * terms + j];
#pragma GCC unroll 16
      for (int e = 0; e < N; ++e) term(sums[i][e], load<T, W>(t.a + (x + e) * stride(t.n.a)), b[e]);
    }
  };
  add(
      0, [](vec<T, W> & sum, vec<T, W> a, vec<T, W> b)
             __attribute__((always_inline)) { sum = a * b; });
  const auto go_on = [](vec<T, W> & sum, vec<T, W> a, vec<T, W> b) __attribute__((always_inline)) {
    sum = fma(a, b, sum);
  };
  if constexpr (Terms > 0) {
#pragma GCC unroll 16
    for (int j = 1; j < Terms; ++j) add(j, go_on);
  } else {
#pragma GCC unroll 1
    for (int j = 1; j < terms; ++j) add(j, go_on);
  }
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
    const together_product<T>& t = p[i * terms];
#pragma GCC unroll 16
    for (int e = 0; e < N; ++e) store<T, W>(t.c + (x + e) * stride(t.n.c), sums[i][e]);
  }
}

/// All entries: some(N, x) computes those from entry x on, and some(1, x) what is left of a line.
template <int N, class T, class F>
void for_all_entries(together_product<T>* p, int count, index entries, F some) {
  for (index left = p->around.extent; left > 0; --left) {
    index x = 0;
    for (; x + N <= entries; x += N) some(std::integral_constant<int, N>{}, x);
    for (; x < entries; ++x) some(std::integral_constant<int, 1>{}, x);
    for (int j = 0; j < count; ++j) {
      p[j].a += p[j].around.a;
      p[j].b += p[j].around.b;
      p[j].c += p[j].around.c;
    }
  }
}

/// SideBySide: all entries lie one behind another.
template <class T, int W, bool SideBySide>
void multiply_together_as(together_product<T>* p, int count, index entries) {
  const auto matrix = [&]<int R>(std::integral_constant<int, R>) {
    // As many entries as there are registers for: of each R sums and b_j.
    constexpr int most = std::min(8, (registers - 2) / (R + 1) / 2 * 2);
    if (count == R * R)
      return for_all_entries<most>(
          p, count, entries, [&]<int N>(std::integral_constant<int, N>, index x) {
            entries_of_point_matrix<T, W, N, R, R, SideBySide>(p, count, x);
          });
    for_all_entries<most>(p, count, entries, [&]<int N>(std::integral_constant<int, N>, index x) {
      entries_of_point_matrix<T, W, N, R, 0, SideBySide>(p, count, x);
    });
  };
  if (is_point_matrix(p, count, 1)) return matrix(std::integral_constant<int, 1>{});
  if (is_point_matrix(p, count, 2)) return matrix(std::integral_constant<int, 2>{});
  if (is_point_matrix(p, count, 3)) return matrix(std::integral_constant<int, 3>{});
  for_all_entries<8>(p, count, entries, [&]<int N>(std::integral_constant<int, N>, index x) {
    entries_together<T, W, N, SideBySide>(p, count, x);
  });
}

/// c[x] := a[x] b[x] of entries that lie n.a, n.b and n.c apart, along n and around that; terms of
/// a sum add up.
template <class T, int W>
void multiply_together(together_product<T>* p, int count, index entries) {
  bool side_by_side = true;
  for (int j = 0; j < count; ++j)
    side_by_side = side_by_side && p[j].n.a == W && p[j].n.b == W && p[j].n.c == W;
  if (side_by_side)
    multiply_together_as<T, W, true>(p, count, entries);
  else
    multiply_together_as<T, W, false>(p, count, entries);
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
