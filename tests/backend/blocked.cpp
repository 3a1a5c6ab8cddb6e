#include <doctest/doctest.h>

#include <complex>
#include <random>
#include <tenfold/backend/interface/select.hpp>
#include <tenfold/backend/launch.hpp>
#include <vector>

#include "numbers.hpp"
#include "threads.hpp"

// Steps of kind `blocked`, written by hand, on every instruction set that the CPU has. Small
// integers: every result is exact.

namespace tenfold::testing {
namespace {

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

one_step program_of(const groups& g, scalar type, const blocking& blocks) {
  one_step p;
  p.type = type;
  p.phase_count = p.step_count = 1;
  p.phases[0].step_count = 1;
  program_step& s = p.steps[0];
  s.kind = step_kind::blocked;
  s.finish = epilogue::update;
  s.blocks = blocks;
  s.a = {buffer::input, 0};
  s.b = {buffer::input, 1};
  s.c = {buffer::output};
  s.a.type = s.b.type = s.c.type = type;
  s.outer_count = static_cast<int>(g.batch.size());
  s.k_outer_count = static_cast<int>(g.k.size());
  s.row_count = static_cast<int>(g.rows.size());
  s.column_count = static_cast<int>(g.columns.size());
  for (const auto* group : {&g.batch, &g.k, &g.rows, &g.columns})
    for (const step_loop& l : *group) p.loops[static_cast<std::size_t>(p.loop_count++)] = l;
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
    for_each(g.rows, [&](index ra, index, index rc) {
      for_each(g.columns, [&](index, index nb, index nc) {
        T sum{};
        for_each(g.k, [&](index ka, index kb, index) {
          A x = a[static_cast<std::size_t>(ta + ra + ka)];
          if (p.steps[0].a.conjugated) x = conjugate(x);
          sum += T(x) * T(b[static_cast<std::size_t>(tb + nb + kb)]);
        });
        T& c = want[static_cast<std::size_t>(tc + rc + nc)];
        c = beta == T(0) ? alpha * sum : alpha * sum + beta * c;
      });
    });
  });
  int wrong = 0;
  for (int isa = 0; isa <= static_cast<int>(best_instruction_set()); ++isa) {
    std::vector<T> c = before;
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
    launch(p, program_arguments<T>{inputs, c.data(), nullptr, alpha, beta},
           static_cast<instruction_set>(isa));
    for (std::size_t i = 0; i < c.size(); ++i) wrong += !(c[i] == want[i]);
  }
  return wrong;
}

template <class T, class A = T, class B = T>
void check(const groups& g, const blocking& blocks) {
  const one_step p = program_of(g, scalar_of<T>, blocks);
  const T two = number<T>(2, 1), three = number<T>(-3, 2);
  CAPTURE(blocks.m);
  CAPTURE(blocks.n);
  CAPTURE(blocks.k);
  CAPTURE(blocks.parts);
  CHECK((wrong_entries<T, A, B>(g, p, T(1), T(0), false)) == 0);
  CHECK((wrong_entries<T, A, B>(g, p, two, three, true)) == 0);
  CHECK((wrong_entries<T, A, B>(g, p, two, T(0), false)) == 0);
}

template <class T>
void check_blocks(const groups& g) {
  check<T>(g, {1000, 1000, 1000, 1});
  check<T>(g, {16, 48, 7, 1});
  check<T>(g, {32, 24, 16, 3});
}

/// Row-major matrices.
groups matrices(index m, index n, index k) {
  return {{}, {{k, 1, n, 0}}, {{m, k, 0, n}}, {{n, 0, 1, 1}}};
}

}  // namespace

TEST_CASE_TEMPLATE("a blocked product of matrices has every row, column and sum", T, float, double,
                   std::complex<float>, std::complex<double>) {
  for (const index m : {1, 5, 16, 37})
    for (const index n : {1, 8, 47, 96}) check_blocks<T>(matrices(m, n, 19));
}

TEST_CASE_TEMPLATE("a blocked product reads and writes any strides", T, float, double,
                   std::complex<float>, std::complex<double>) {
  const index m = 21, n = 50, k = 18;
  // Column-major operands, a result with gaps, and each turned over.
  check_blocks<T>({{}, {{k, m, 1, 0}}, {{m, 1, 0, n + 3}}, {{n, 0, k, 1}}});
  check_blocks<T>({{}, {{k, 1, n, 0}}, {{m, k, 0, 2}}, {{n, 0, 1, 2 * m}}});
  check_blocks<T>({{}, {{k, 3, 2, 0}}, {{m, 3 * k, 0, 3 * n}}, {{n, 0, 2 * k, 3}}});
}

TEST_CASE_TEMPLATE("a blocked product merges groups of labels", T, float, double,
                   std::complex<float>, std::complex<double>) {
  // abc-adec-ebd and the like: rows (c, a), columns (b), sums (d, e).
  const index a = 5, b = 26, c = 4, d = 3, e = 7;
  check_blocks<T>({{},
                   {{e, c, d * b, 0}, {d, c * e, b, 0}},
                   {{a, c * e * d, 0, b * c}, {c, 1, 0, 1}},
                   {{b, 0, 1, c}}});
  // Runs of columns that end within a vector, and columns that repeat entries of B.
  check_blocks<T>({{}, {{d, 1, 21, 0}}, {{a, d, 0, 60}}, {{3, 0, 7, 21}, {7, 0, 1, 1}}});
  check_blocks<T>({{}, {{d, 1, 2, 0}}, {{a, d, 0, 60}}, {{30, 0, 0, 2}, {2, 0, 1, 1}}});
}

TEST_CASE_TEMPLATE("packing transposes where neighbours lie apart in a group", T, float, double,
                   std::complex<float>, std::complex<double>) {
  const index m = 9, k = 11;
  for (const index u : {8, 20}) {
    for (const index x : {16, 32, 12}) {
      // Columns (r, u, x): neighbours in B along u, in C along x.
      const index r = 2, n = r * u * x;
      check_blocks<T>(
          {{}, {{k, 1, n, 0}}, {{m, k, 0, n}}, {{r, 0, u * x, u * x}, {u, 0, 1, x}, {x, 0, u, 1}}});
    }
  }
  for (const index x : {4, 9}) {
    // Sums (u, x): neighbours in A along x, in B along u.
    const index u = 24, n = 40;
    check_blocks<T>({{}, {{u, x, 1, 0}, {x, 1, u, 0}}, {{m, u * x, 0, n}}, {{n, 0, u * x, 1}}});
  }
}

TEST_CASE("a blocked product runs a batch, and one operand for all of it") {
  const index m = 13, n = 31, k = 6, t = 4;
  check_blocks<double>({{{2, 2 * m * k, 0, 2 * m * n}, {2, m * k, k * n, m * n}},
                        {{k, 1, n, 0}},
                        {{m, k, 0, n}},
                        {{n, 0, 1, 1}}});
  check_blocks<float>({{{t, m * k, 0, m * n}}, {{k, 1, n, 0}}, {{m, k, 0, n}}, {{n, 0, 1, 1}}});
}

TEST_CASE("packing converts what is narrower, real or conjugated") {
  const groups g = matrices(19, 45, 17);
  const blocking blocks{16, 24, 8, 1};
  check<double, float, double>(g, blocks);
  check<double, double, float>(g, blocks);
  check<std::complex<double>, double, std::complex<double>>(g, blocks);
  check<std::complex<double>, std::complex<float>, float>(g, blocks);
  check<std::complex<float>, std::complex<float>, float>(g, blocks);
}

TEST_CASE("a blocked product has the same bits on any number of threads") {
  const index m = 150, n = 170, k = 300;
  const groups g = matrices(m, n, k);
  for (const blocking& blocks : {blocking{32, 48, 64, 1}, blocking{64, 96, 30, 5}}) {
    const one_step p = program_of(g, scalar::f64, blocks);
    const auto a = random_entries<double>(m * k, 1);
    const auto b = random_entries<double>(k * n, 2);
    const void* const inputs[] = {a.data(), b.data()};
    std::vector<std::vector<double>> results;
    for (const int threads : {1, 2, 4}) {
      results.emplace_back(static_cast<std::size_t>(m * n));
      on_threads(threads, [&] {
        launch(p, program_arguments<double>{inputs, results.back().data()}, best_instruction_set());
      });
    }
    CHECK(results[0] == results[1]);
    CHECK(results[0] == results[2]);
  }
}

}  // namespace tenfold::testing
