#include <algorithm>
#include <array>
#include <tenfold/backend/cpu/caches.hpp>

#include "guarded_rooms.hpp"
#include "whole_steps.hpp"

// Copies and products entry by entry, in any order of axes.

namespace tenfold::testing {
namespace {

constexpr step_kind pointwise = step_kind::pointwise;

/// Of one operand, or of two; in cache and, as if the caches were small, past them.
template <class T, class A = T, class B = T>
void check_entries(const groups& g, bool has_b) {
  const cpu::cache_sizes usual = cpu::caches();
  for (const cpu::cache_sizes& sizes : {usual, cpu::cache_sizes{1024, 1024, 1024}}) {
    cpu::assume_caches(sizes);
    check<T, A, B>(pointwise, g, {}, has_b);
  }
  cpu::assume_caches(usual);
}

}  // namespace

TEST_CASE_TEMPLATE("axes in another order", T, float, double, std::complex<float>,
                   std::complex<double>) {
  for (const index m : {1, 3, 8, 31, 140})
    for (const index n : {1, 5, 16, 70, 129}) {
      check_entries<T>({{}, {}, {{m, 1, 0, n}}, {{n, m, 0, 1}}}, false);
      // Rows of the result that begin anywhere in a line.
      check_entries<T>({{{2, m * n, 0, m * (n + 3)}}, {}, {{m, 1, 0, n + 3}}, {{n, m, 0, 1}}},
                       false);
    }
}

TEST_CASE_TEMPLATE("axes in another order, line by line", T, float, double, std::complex<float>,
                   std::complex<double>) {
  for (const index m : {16, 23, 45, 300})
    for (const index n : {16, 40, 64, 150, 275}) {
      const index lines = (n + 15) / 16 * 16;
      for (const index row : {n, lines, lines + 1})
        check_entries<T>({{{3, m * n, 0, m * row}}, {}, {{m, 1, 0, row}}, {{n, m, 0, 1}}}, false);
    }
  // A row is left when the others are cut into tiles.
  for (const index all : {3841, 7937})
    for (const index row : {16, 17})
      check_entries<T>({{}, {}, {{all, 1, 0, row}}, {{16, all, 0, 1}}}, false);
  // The loop around is between those of the matrix, here and there.
  const index m = 40, n = 33, count = 5;
  check_entries<T>({{{count, m, 0, n}}, {}, {{m, 1, 0, n * count}}, {{n, m * count, 0, 1}}}, false);
}

TEST_CASE_TEMPLATE("copies, broadcasts and strides of all kinds", T, float, double,
                   std::complex<float>, std::complex<double>) {
  for (const index n : {1, 7, 64, 5000}) {
    check_entries<T>({{}, {}, {}, {{n, 1, 0, 1}}}, false);
    check_entries<T>({{{3, 2, 0, n + 1}}, {}, {}, {{n, 0, 0, 1}}}, false);
    check_entries<T>({{}, {}, {}, {{n, 3, 0, 2}}}, false);
  }
  check_entries<T>({{}, {}, {{33, 2, 0, 90}}, {{45, 80, 0, 2}}}, false);
  check_entries<T>({{}, {}, {{33, 2, 0, 45}}, {{45, 80, 0, 1}}}, false);
}

TEST_CASE_TEMPLATE("small matrices transposed, some at a time", T, float, double,
                   std::complex<float>, std::complex<double>) {
  for (const index count : {1, 28, 29, 100, 300}) {
    check_entries<T>({{{count, 9, 0, 9}}, {}, {{3, 1, 0, 3}}, {{3, 3, 0, 1}}}, false);
    check_entries<T>({{{count, 10, 9, 11}}, {}, {{3, 1, 3, 3}}, {{3, 3, 1, 1}}}, true);
  }
  // Runs with nothing to transpose.
  check_entries<T>({{{3, 60, 0, 20}, {3, 20, 0, 60}}, {}, {}, {{20, 1, 0, 1}}}, false);
}

TEST_CASE_TEMPLATE(
    "small matrices, whatever their shape: transposed, products of vectors, scaled rows", T, float,
    double, std::complex<float>, std::complex<double>) {
  for (const index m : {1, 2, 3, 4, 5, 8, 11})
    for (const index n : {1, 2, 3, 4, 6, 7, 11})
      for (const index count : {2, 7, 90}) {
        const index all = m * n;
        check_entries<T>({{{count, all, 0, all}}, {}, {{m, 1, 0, n}}, {{n, m, 0, 1}}}, false);
        check_entries<T>({{{count, m, n, all}}, {}, {{m, 1, 0, n}}, {{n, 0, 1, 1}}}, true);
        check_entries<T>({{{count, all, n, all}}, {}, {{m, n, 0, n}}, {{n, 1, 1, 1}}}, true);
        // One operand for the whole batch; one whose rows are apart.
        check_entries<T>({{{count, 0, all, all}}, {}, {{m, 1, n, n}}, {{n, m, 1, 1}}}, true);
        check_entries<T>({{{count, m * (n + 2), 0, all}}, {}, {{m, n + 2, 0, n}}, {{n, 1, 0, 1}}},
                         false);
      }
}

#if defined(__unix__)
/// All results are written, and nothing is touched before and behind the operands: twos become
/// ones.
template <class T>
void check_between_pages(guarded_rooms& rooms, const groups& g, bool has_b) {
  for (const bool at_end : {false, true})
    for (int isa = 0; isa <= static_cast<int>(best_instruction_set()); ++isa) {
      const auto source = rooms.source(at_end);
      const auto ones = [&](index count) {
        auto* const x = reinterpret_cast<T*>(source(static_cast<std::size_t>(count) * sizeof(T)));
        std::fill_n(x, count, T(1));
        return x;
      };
      const index size = g.entries(&step_loop::c);
      const void* const inputs[] = {ones(g.entries(&step_loop::a)), ones(g.entries(&step_loop::b))};
      T* const c = ones(size);
      std::fill_n(c, size, T(2));
      const one_step p = program_of(step_kind::pointwise, g, scalar_of<T>, {}, has_b);
      launch(p, program_arguments<T>{inputs, c}, static_cast<instruction_set>(isa));
      CHECK(std::count(c, c + size, T(1)) == size);
    }
}

TEST_CASE_TEMPLATE(
    "small matrices transposed and outer products beside pages that may not be touched", T, float,
    double) {
  guarded_rooms rooms(3, 90 * 7 * 7 * sizeof(T));
  for (const index m : {1, 2, 3, 4, 5, 7})
    for (const index n : {2, 3, 4, 7})
      for (const index count : {2, 5, 90}) {
        const auto check_one = [&](const groups& g, bool has_b) {
          check_between_pages<T>(rooms, g, has_b);
        };
        check_one({{{count, m * n, 0, m * n}}, {}, {{m, 1, 0, n}}, {{n, m, 0, 1}}}, false);
        check_one({{{count, m, n, m * n}}, {}, {{m, 1, 0, n}}, {{n, 0, 1, 1}}}, true);
        check_one({{{count, 0, n, m * n}}, {}, {{m, 1, 0, n}}, {{n, m, 1, 1}}}, true);
      }
}

TEST_CASE_TEMPLATE("axes in another order, line by line, beside pages that may not be touched", T,
                   float, double) {
  constexpr index most = 3 * 45 * 275;
  guarded_rooms rooms(3, most * sizeof(T));
  const cpu::cache_sizes usual = cpu::caches();
  cpu::assume_caches({1024, 1024, 1024});
  for (const index m : {16, 23, 45})
    for (const index n : {16, 33, 64, 275})
      check_between_pages<T>(rooms, {{{3, m * n, 0, m * n}}, {}, {{m, 1, 0, n}}, {{n, m, 0, 1}}},
                             false);
  cpu::assume_caches(usual);
}
#endif

TEST_CASE_TEMPLATE("products entry by entry and outer products", T, float, double,
                   std::complex<float>, std::complex<double>) {
  const index m = 37, n = 75;
  check_entries<T>({{{2, m * n, m * n, m * n}}, {}, {{m, n, n, n}}, {{n, 1, 1, 1}}}, true);
  check_entries<T>({{}, {}, {{m, n, 1, n}}, {{n, 1, m, 1}}}, true);
  check_entries<T>({{}, {}, {{m, 1, n, n}}, {{n, m, 1, 1}}}, true);
  check_entries<T>({{}, {}, {{m, 1, 1, n}}, {{n, m, m, 1}}}, true);
  check_entries<T>({{{m, 1, 0, n}}, {}, {}, {{n, 0, 1, 1}}}, true);
  check_entries<T>({{{m, 0, 1, n}}, {}, {}, {{n, 1, 0, 1}}}, true);
  check_entries<T>({{{m, 1, 1, n}}, {}, {}, {{n, 0, 0, 1}}}, true);
  check_entries<T>({{}, {}, {{m, 1, 0, 2 * n}}, {{n, 0, 3, 2}}}, true);
}

TEST_CASE_TEMPLATE("small results that follow one another, a line of memory being parts of two", T,
                   float, double, std::complex<float>, std::complex<double>) {
  for (const auto& [m, n] : {std::array<index, 2>{5, 13}, {13, 5}, {1, 40}, {9, 7}, {16, 16}})
    for (const index count : {1, 2, 60}) {
      const index all = m * n;
      check_entries<T>({{{count, m, n, all}}, {}, {{m, 1, 0, n}}, {{n, 0, 1, 1}}}, true);
      check_entries<T>({{{count, all, 0, all}}, {}, {{m, 1, 0, n}}, {{n, m, 0, 1}}}, false);
      // With gaps after each, and after some.
      check_entries<T>({{{count, all, 0, all + 3}}, {}, {{m, 1, 0, n}}, {{n, m, 0, 1}}}, false);
      check_entries<T>({{{3, all * count, 0, all * count + 5}, {count, all, 0, all}},
                        {},
                        {{m, 1, 0, n}},
                        {{n, m, 0, 1}}},
                       false);
    }
}

TEST_CASE("entries that are narrower, real or conjugated, are converted") {
  using z = std::complex<double>;
  using c = std::complex<float>;
  for (const groups& g : {groups{{}, {}, {{41, 1, 77, 77}}, {{77, 41, 1, 1}}},
                          groups{{}, {}, {{41, 77, 1, 77}}, {{77, 1, 41, 1}}}}) {
    check_entries<double, float, double>(g, true);
    check_entries<double, double, float>(g, true);
    check_entries<z, double, c>(g, true);
    check_entries<z, c, float>(g, true);
    check_entries<c, c, float>(g, false);
    check_entries<z, float, z>(g, false);
  }
}

TEST_CASE("entry by entry, the same bits on any number of threads") {
  const index m = 300, n = 401;
  const groups g{{{2, m * n, 0, m * n}}, {}, {{m, 1, n, n}}, {{n, m, 1, 1}}};
  check_threads(program_of(pointwise, g, scalar::f64), g);
}

}  // namespace tenfold::testing
