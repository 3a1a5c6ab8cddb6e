#pragma once

#include <tenfold/backend/cpu/load_store.hpp>
#include <tenfold/backend/interface/program.hpp>
#include <tenfold/backend/interface/select.hpp>

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

/// N entries. A sum stays in registers; all are stored when all is read.
template <class T, int W, int N, bool SideBySide>
[[gnu::always_inline]] inline void entries_together(const together_product<T>* p, int count) {
  const auto stride = [](index n) { return SideBySide ? W : n; };
  vec<T, W> sums[select::most_together][N];
  int done = 0;
  for (int j = 0; j < count; ++done) {
    vec<T, W> sum[N];
    const auto multiply = [&sum, stride ](const together_product<T>& t, const auto& add)
        __attribute__((always_inline)) {
      const T* const a = t.a;
      const T* const b = t.b;
      const index a_n = stride(t.n.a), b_n = stride(t.n.b);
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
      for (int i = 0; i < N; ++i) sum[i] = load<T, W>(p[j].c + i * stride(p[j].n.c));
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
    for (int i = 0; i < N; ++i) store<T, W>(p[j].c + i * stride(p[j].n.c), sums[done][i]);
    ++done;
  }
}

/// SideBySide: all entries lie one behind another.
template <class T, int W, bool SideBySide>
void multiply_together_as(together_product<T>* p, int count, index entries) {
  const auto move = [=](index n, index around) {
    for (int j = 0; j < count; ++j) {
      p[j].a += n * p[j].n.a + around * p[j].around.a;
      p[j].b += n * p[j].n.b + around * p[j].around.b;
      p[j].c += n * p[j].n.c + around * p[j].around.c;
    }
  };
  for (index left = p->around.extent; left > 0; --left) {
    index x = 0;
    for (; x + 8 <= entries; x += 8, move(8, 0)) entries_together<T, W, 8, SideBySide>(p, count);
    for (; x < entries; ++x, move(1, 0)) entries_together<T, W, 1, SideBySide>(p, count);
    move(-entries, 1);
  }
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
