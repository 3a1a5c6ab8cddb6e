#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <tenfold/backend/interface/select.hpp>
#include <tenfold/backend/launch.hpp>
#include <vector>

#include "numbers.hpp"
#include "threads.hpp"

/// Steps that run as a whole, written by hand, on every instruction set that the CPU has. Small
/// integers: every result is exact.
namespace tenfold::testing {

using one_step = program<1, 1, 16>;

/// Groups of loops, outermost first.
struct groups {
  std::vector<step_loop> batch, k, rows, columns;

  index entries(index step_loop::*along) const {  // up to the last that a loop reaches
    index last = 0;
    for (const auto* group : {&batch, &k, &rows, &columns})
      for (const step_loop& l : *group) last += (l.extent - 1) * (l.*along);
    return last + 1;
  }
};

/// A step of one kind over these loops. Of a pointwise one the batch is what is around one row and
/// one column loop, of a reduction the last contracted loop is k, and there is up to one of rows.
inline one_step program_of(step_kind kind, const groups& g, scalar type,
                           const blocking& blocks = {}, bool has_b = true) {
  one_step p;
  p.type = type;
  p.phase_count = p.step_count = 1;
  p.phases[0].step_count = 1;
  program_step& s = p.steps[0];
  s.kind = kind;
  s.finish = epilogue::update;
  s.blocks = blocks;
  s.a = {buffer::input, 0};
  if (has_b) s.b = {buffer::input, 1};
  s.c = {buffer::output};
  s.a.type = s.b.type = s.c.type = type;
  const auto add = [&](const std::vector<step_loop>& loops, std::size_t count) {
    for (std::size_t l = 0; l < count; ++l)
      p.loops[static_cast<std::size_t>(p.loop_count++)] = loops[l];
    return static_cast<int>(count);
  };
  s.outer_count = add(g.batch, g.batch.size());
  if (kind == step_kind::blocked) {
    s.k_outer_count = add(g.k, g.k.size());
    s.row_count = add(g.rows, g.rows.size());
    s.column_count = add(g.columns, g.columns.size());
    return p;
  }
  if (!g.rows.empty()) s.m = g.rows[0];
  if (!g.columns.empty()) s.n = g.columns[0];
  if (!g.k.empty()) {
    s.k = g.k.back();
    s.k_outer_count = add(g.k, g.k.size() - 1);
  }
  return p;
}

/// Calls f(in a, in b, in c) for all values of a group.
template <class F>
void for_each(const std::vector<step_loop>& group, const F& f, std::size_t from = 0, index a = 0,
              index b = 0, index c = 0) {
  if (from == group.size()) return f(a, b, c);
  const step_loop& l = group[from];
  for (index i = 0; i < l.extent; ++i)
    for_each(group, f, from + 1, a + i * l.a, b + i * l.b, c + i * l.c);
}

/// Entries of C that are not alpha A B + beta C, of whole numbers: nothing is rounded.
template <class T, class A, class B>
int wrong_entries(const groups& g, one_step p, T alpha, T beta, bool conjugated) {
  p.steps[0].a.type = scalar_of<A>;
  p.steps[0].b.type = scalar_of<B>;
  p.steps[0].a.conjugated = conjugated && is_complex_type<A>;
  const auto a = integers<A>(g.entries(&step_loop::a), 1);
  const auto b = integers<B>(g.entries(&step_loop::b), 2);
  const auto before = integers<T>(g.entries(&step_loop::c), 3);
  std::vector<T> want = before;
  for_each(g.batch, [&](index ta, index tb, index tc) {
    for_each(g.rows, [&](index ra, index rb, index rc) {
      for_each(g.columns, [&](index na, index nb, index nc) {
        T sum{};
        for_each(g.k, [&](index ka, index kb, index) {
          A x = a[static_cast<std::size_t>(ta + ra + na + ka)];
          if (p.steps[0].a.conjugated) x = conjugate(x);
          sum += p.steps[0].b.where == buffer::none
                     ? T(x)
                     : T(x) * T(b[static_cast<std::size_t>(tb + rb + nb + kb)]);
        });
        T& c = want[static_cast<std::size_t>(tc + rc + nc)];
        c = beta == T(0) ? alpha * sum : alpha * sum + beta * c;
      });
    });
  });
  int wrong = 0;
  constexpr std::size_t line = 64, in_line = line / sizeof(T);
  std::vector<T> memory(before.size() + in_line + 1);
  T* const first = memory.data() + (line - reinterpret_cast<std::uintptr_t>(memory.data()) % line) %
                                       line / sizeof(T);
  const int sets = static_cast<int>(best_instruction_set()) + 1;
  // C begins with a line, or behind its first entry.
  for (int run = 0; run < 2 * sets; ++run) {
    T* const c = first + run / sets;
    std::copy(before.begin(), before.end(), c);
    if (beta == T(0)) {
      for_each(g.batch, [&](index, index, index tc) {
        for_each(g.rows, [&](index, index, index rc) {
          for_each(g.columns, [&](index, index, index nc) {
            c[static_cast<std::size_t>(tc + rc + nc)] = not_a_number<T>();
          });
        });
      });
    }
    const void* const inputs[] = {a.data(), b.data()};
    launch(p, program_arguments<T>{inputs, c, nullptr, alpha, beta},
           static_cast<instruction_set>(run % sets));
    for (std::size_t i = 0; i < want.size(); ++i) wrong += !(c[i] == want[i]);
  }
  return wrong;
}

template <class T, class A = T, class B = T>
void check(step_kind kind, const groups& g, const blocking& blocks = {}, bool has_b = true) {
  const one_step p = program_of(kind, g, scalar_of<T>, blocks, has_b);
  const T two = number<T>(2, 1), three = number<T>(-3, 2);
  CAPTURE(blocks.m);
  CAPTURE(blocks.n);
  CAPTURE(blocks.k);
  CAPTURE(blocks.parts);
  CHECK((wrong_entries<T, A, B>(g, p, T(1), T(0), false)) == 0);
  CHECK((wrong_entries<T, A, B>(g, p, two, three, true)) == 0);
  CHECK((wrong_entries<T, A, B>(g, p, two, T(0), false)) == 0);
}

/// Whether random entries give the same bits on any number of threads.
inline void check_threads(const one_step& p, const groups& g) {
  const auto a = random_entries<double>(g.entries(&step_loop::a), 1);
  const auto b = random_entries<double>(g.entries(&step_loop::b), 2);
  const void* const inputs[] = {a.data(), b.data()};
  std::vector<std::vector<double>> results;
  for (const int threads : {1, 2, 4}) {
    results.emplace_back(static_cast<std::size_t>(g.entries(&step_loop::c)));
    on_threads(threads, [&] {
      launch(p, program_arguments<double>{inputs, results.back().data()}, best_instruction_set());
    });
  }
  CHECK(results[0] == results[1]);
  CHECK(results[0] == results[2]);
}

}  // namespace tenfold::testing
