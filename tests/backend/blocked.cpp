#include <tiny_caches.hpp>

#include "whole_steps.hpp"

// Products in blocks.

namespace tenfold::testing {
namespace {

/// `run`: see blocking::run.
template <class T>
void check_blocks(const groups& g, index run = 0) {
  check<T>(step_kind::blocked, g, {1000, 1000, 1000, 1, run});
  check<T>(step_kind::blocked, g, {16, 48, 7, 1, run});
  check<T>(step_kind::blocked, g, {32, 24, 16, 3, run});
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

TEST_CASE_TEMPLATE("tiles of a blocked product end where runs of columns do", T, float, double,
                   std::complex<float>, std::complex<double>) {
  const index m = 11, k = 9, r = 3;
  // Runs of one to five vectors of 16 entries, of a vector and a half, and the same turned over.
  for (const index x : {16, 24, 32, 48, 64, 80}) {
    check_blocks<T>(
        {{}, {{k, 1, r * x, 0}}, {{m, k, 0, 2 * r * x}}, {{r, 0, x, 2 * x}, {x, 0, 1, 1}}});
    check_blocks<T>({{}, {{k, 1, 1, 0}}, {{m, k, 0, 1}}, {{r, 0, k * x, m * x + 5}, {x, 0, k, m}}});
  }
}

TEST_CASE_TEMPLATE("packing transposes where neighbours lie apart in a group", T, float, double,
                   std::complex<float>, std::complex<double>) {
  const index m = 9, k = 11;
  for (const index u : {8, 20}) {
    for (const index x : {16, 32, 12, 17, 35, 5}) {
      // Columns (r, u, x): neighbours in B along u, in C along x.
      const index r = 2, n = r * u * x;
      const groups g{
          {}, {{k, 1, n, 0}}, {{m, k, 0, n}}, {{r, 0, u * x, u * x}, {u, 0, 1, x}, {x, 0, u, 1}}};
      check_blocks<T>(g, x);
      check_blocks<T>(g, 16);
      // The same, but C has gaps.
      check_blocks<T>({{},
                       {{k, 1, n, 0}},
                       {{m, k, 0, 2 * n}},
                       {{r, 0, u * x, 2 * u * x}, {u, 0, 1, 2 * x}, {x, 0, u, 2}}},
                      x);
    }
  }
  for (const index x : {4, 9}) {
    // Sums (u, x): neighbours in A along x, in B along u.
    const index u = 24, n = 40;
    check_blocks<T>({{}, {{u, x, 1, 0}, {x, 1, u, 0}}, {{m, u * x, 0, n}}, {{n, 0, u * x, 1}}});
  }
}

TEST_CASE_TEMPLATE("a blocked product takes its columns in runs, the last of them shorter", T,
                   float, double, std::complex<float>) {
  const index m = 9, k = 11, r = 2, u = 19;
  const tiny_caches all_from_memory;
  for (const index z : {1, 3})
    for (const index x : {16, 24, 35}) {
      // Columns (r, u, z, x): neighbours in B along u, in C along x and then z.
      const index n = r * u * z * x;
      const groups g{
          {},
          {{k, 1, n, 0}},
          {{m, k, 0, n}},
          {{r, 0, u * z * x, u * z * x}, {u, 0, 1, z * x}, {z, 0, u * x, x}, {x, 0, u, 1}}};
      for (const index run : {index{8}, index{48}, z * x}) {
        CAPTURE(z);
        CAPTURE(x);
        CAPTURE(run);
        check_blocks<T>(g, run);
        check<T>(step_kind::blocked, g, {16, 200, 1000, 1, run});
      }
    }
}

TEST_CASE_TEMPLATE("runs of a blocked product that go on from row to row go past the caches", T,
                   float, double, std::complex<float>) {
  const tiny_caches all_from_memory;
  const index m = 19, k = 6, r = 5;
  for (const index x : {1, 3, 10, 24})  // the runs; results begin anywhere in a line
    for (const index gap : {0, 1})
      check<T>(step_kind::blocked,
               {{}, {{k, 1, r * x, 0}}, {{m, k, 0, x}}, {{r, 0, x, m * x + gap}, {x, 0, 1, 1}}},
               {1000, 1000, 1000, 1});
}

TEST_CASE_TEMPLATE("rows of a blocked product in runs that end within tiles", T, float, double,
                   std::complex<double>) {
  const index k = 9, q = 3;
  for (const index run : {1, 3, 4, 6, 17})
    for (const index n : {16, 24, 40, 48, 104}) {
      // Rows (q, run); a gap behind each run.
      const groups g{
          {}, {{k, 1, n, 0}}, {{q, run * k, 0, run * n + 8}, {run, k, 0, n}}, {{n, 0, 1, 1}}};
      CAPTURE(run);
      CAPTURE(n);
      check_blocks<T>(g);
      const tiny_caches all_from_memory;
      check<T>(step_kind::blocked, g, {1000, 1000, 1000, 1});
      check<T>(step_kind::blocked, g, {8, 48, 1000, 1});
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
  check<double, float, double>(step_kind::blocked, g, blocks);
  check<double, double, float>(step_kind::blocked, g, blocks);
  check<std::complex<double>, double, std::complex<double>>(step_kind::blocked, g, blocks);
  check<std::complex<double>, std::complex<float>, float>(step_kind::blocked, g, blocks);
  check<std::complex<float>, std::complex<float>, float>(step_kind::blocked, g, blocks);
}

TEST_CASE("a blocked product has the same bits on any number of threads") {
  const index m = 150, n = 170, k = 300;
  const groups g = matrices(m, n, k);
  for (const blocking& blocks : {blocking{32, 48, 64, 1}, blocking{64, 96, 30, 5}}) {
    check_threads(program_of(step_kind::blocked, g, scalar::f64, blocks), g);
  }
}

}  // namespace tenfold::testing
