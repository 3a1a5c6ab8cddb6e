#include <array>
#include <tenfold/backend/cpu/caches.hpp>

#include "whole_steps.hpp"

// Copies and products entry by entry, in any order of axes.

namespace tenfold::testing {
namespace {

constexpr step_kind pointwise = step_kind::pointwise;

/// Of one operand, or of two; in cache and, as if the caches were small, past them.
template <class T, class A = T, class B = T>
void check_entries(const groups& g, bool has_b) {
  const cpu::cache_sizes usual = cpu::caches();
  for (const cpu::cache_sizes& sizes : {usual, cpu::cache_sizes{1024, 1024}}) {
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
