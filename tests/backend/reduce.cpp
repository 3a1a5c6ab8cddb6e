#include "whole_steps.hpp"

#include <algorithm>
#include <limits>

// Sums along which the operands are neighbours.

namespace tenfold::testing {
namespace {

constexpr step_kind reduce = step_kind::reduce;

template <class T>
void check_sums(const groups& g) {
  check<T>(reduce, g);
  check<T>(reduce, g, {1, 1, 1, 3});
}

}  // namespace

TEST_CASE_TEMPLATE("a reduction has every term of every row", T, float, double, std::complex<float>,
                   std::complex<double>) {
  for (const index k : {1, 3, 16, 63, 64, 65, 600, 1500})
    for (const index m : {1, 2, 3, 4, 5, 11})
      check_sums<T>({{}, {{k, 1, 1, 0}}, {{m, k, 0, 2}}, {}});
}

TEST_CASE_TEMPLATE("short sums in batches: of a matrix and a vector each, of two vectors", T, float,
                   double, std::complex<float>, std::complex<double>) {
  for (const index k : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 130})
    for (const index m : {1, 2, 3, 7, 8, 9, 16, 17, 31, 70}) {
      for (const index count : {2, 5, 23})
        check_sums<T>({{{count, m * k, k, m}}, {{k, 1, 1, 0}}, {{m, k, 0, 1}}, {}});
      check_sums<T>({{{5, m * k, k + 1, m}}, {{k, 1, 1, 0}}, {{m, k, 0, 2}}, {}});
      check_sums<T>({{{5, m * k, 0, m}}, {{k, 1, 1, 0}}, {{m, k, 0, 1}}, {}});  // one vector
      // Batches apart, with one vector, and with one each.
      check_sums<T>({{{3, m * k + 2, 0, m}}, {{k, 1, 1, 0}}, {{m, k, 0, 1}}, {}});
      check_sums<T>({{{3, m * k + 2, k, m}}, {{k, 1, 1, 0}}, {{m, k, 0, 1}}, {}});
      check_sums<T>({{{m, k, k, 1}}, {{k, 1, 1, 0}}, {}, {}});  // one loop
      // Rows of both that are apart, results that lie in another order.
      check_sums<T>({{{3, m * (k + 1), k, 1}, {m, k + 1, 3 * k, 5}}, {{k, 1, 1, 0}}, {}, {}});
    }
}

TEST_CASE_TEMPLATE("short sums take nothing of the rows beside them", T, float, double) {
  for (const index k : {2, 3, 4, 5, 8, 13})
    for (const index m : {1, 2, 3, 5, 8}) {
      const index count = 40 / m;
      const groups g{{{count, m * k, k, m}}, {{k, 1, 1, 0}}, {{m, k, 0, 1}}, {}};
      const one_step p = program_of(reduce, g, scalar_of<T>);
      const std::vector<T> b(static_cast<std::size_t>(count * k), T(1));
      for (const index endless : {index{0}, count * m / 2, count * m - 1}) {
        std::vector<T> a(static_cast<std::size_t>(count * m * k), T(1));
        std::fill_n(a.begin() + endless * k, k, std::numeric_limits<T>::infinity());
        for (int isa = 0; isa <= static_cast<int>(best_instruction_set()); ++isa) {
          std::vector<T> c(static_cast<std::size_t>(count * m));
          const void* const inputs[] = {a.data(), b.data()};
          launch(p, program_arguments<T>{inputs, c.data()}, static_cast<instruction_set>(isa));
          index wrong = 0;
          for (index x = 0; x < count * m; ++x) {
            const T want = x == endless ? std::numeric_limits<T>::infinity() : static_cast<T>(k);
            wrong += c[static_cast<std::size_t>(x)] != want;
          }
          CHECK(wrong == 0);
        }
      }
    }
}

TEST_CASE_TEMPLATE("a reduction of one operand", T, float, double, std::complex<float>,
                   std::complex<double>) {
  for (const index k : {1, 31, 700})
    for (const index m : {1, 4, 6}) {
      check<T>(reduce, {{}, {{k, 1, 0, 0}}, {{m, k + 3, 0, 1}}, {}}, {}, false);
      check<T>(reduce, {{}, {{3, 5000, 0, 0}, {k, 1, 0, 0}}, {{m, k, 0, 1}}, {}}, {1, 1, 1, 2},
               false);
    }
}

TEST_CASE_TEMPLATE("a reduction runs around rows and over runs of terms", T, float, double,
                   std::complex<float>, std::complex<double>) {
  // C(t, u, m) := sum_(p, q, k) A(t, m, p, q, k) B(t, p, q, k), and the same B for all u.
  const index t = 3, u = 2, m = 5, p = 2, q = 4, k = 37, row = p * q * k + 1;
  check_sums<T>({{{t, m * row, p * q * k, u * m}, {u, 0, 0, m}},
                 {{p, q * k, q * k, 0}, {q, k, k, 0}, {k, 1, 1, 0}},
                 {{m, row, 0, 1}},
                 {}});
}

TEST_CASE("parts of the sums of several groups of rows") {
  const index t = 3, m = 5, k = 2000;
  check<double>(reduce, {{{t, m * k, k, m}}, {{k, 1, 1, 0}}, {{m, k, 0, 1}}, {}}, {1, 1, 1, 4});
}

TEST_CASE("a reduction converts what is narrower, real or conjugated") {
  const groups g{{}, {{2, 1100, 1100, 0}, {1050, 1, 1, 0}}, {{5, 2200, 0, 1}}, {}};
  check<double, float, double>(reduce, g);
  check<double, double, float>(reduce, g);
  check<std::complex<double>, double, std::complex<double>>(reduce, g);
  check<std::complex<double>, std::complex<float>, float>(reduce, g);
  check<std::complex<float>, std::complex<float>, float>(reduce, g);
  check<std::complex<double>, std::complex<double>, float>(reduce, g, {}, false);
}

TEST_CASE("a reduction has the same bits on any number of threads") {
  const groups dot{{}, {{300000, 1, 1, 0}}, {}, {}};
  check_threads(program_of(reduce, dot, scalar::f64, {1, 1, 1, 7}), dot);
  const groups rows{{}, {{5000, 1, 1, 0}}, {{170, 5000, 0, 1}}, {}};
  check_threads(program_of(reduce, rows, scalar::f64), rows);
  const groups short_rows{{}, {{20, 1, 1, 0}}, {{30005, 20, 0, 1}}, {}};
  check_threads(program_of(reduce, short_rows, scalar::f64), short_rows);
}

}  // namespace tenfold::testing
