#include <tenfold/backend/carried_sets.hpp>
#include <tenfold/backend/launch.hpp>

#include <doctest/doctest.h>
#include <tbb/task_arena.h>

#include <complex>
#include <vector>

#include "numbers.hpp"
#include "programs.hpp"

// Programs written by hand, on every instruction set that the CPU has. Small integers: every result
// is exact. Programs that the planner makes are run in tests/dsel and tests/fuzz.

namespace tenfold {
namespace {

using testing::conjugate;
using testing::integers;
using testing::not_a_number;
using testing::number;
using testing::over_tile_loop;
using testing::product_in_place;
using testing::product_packed;
using testing::small_program;

std::vector<instruction_set> available() {
  std::vector<instruction_set> all;
  for (const auto isa :
       {instruction_set::baseline, instruction_set::avx2, instruction_set::avx512}) {
    if (isa <= best_instruction_set()) all.push_back(isa);
  }
  return all;
}

template <class T>
constexpr scalar type_of = scalar_of<T>;

template <class T>
void check_in_place(instruction_set isa) {
  const int width = capabilities_of(isa).lanes(type_of<T>);
  for (const index m : {1, 3, 4, 5, 9}) {
    for (const index k : {0, 1, 4, 17}) {
      const index n = 3 * width;
      const auto a = integers<T>(m * k, 1);
      const auto b = integers<T>(k * n, 2);
      const auto before = integers<T>(m * n, 3);
      std::vector<T> c(before.size(), not_a_number<T>());
      const void* const inputs[] = {a.data(), b.data()};
      const auto p = product_in_place(type_of<T>, m, k, n, width);
      const auto sum = [&](index i, index e) {
        T s = 0;
        for (index j = 0; j < k; ++j) {
          s += a[static_cast<std::size_t>(i * k + j)] * b[static_cast<std::size_t>(j * n + e)];
        }
        return s;
      };
      launch(p, program_arguments<T>{inputs, c.data(), nullptr, 1, 0}, isa);
      index wrong = 0;
      for (index i = 0; i < m; ++i) {
        for (index e = 0; e < n; ++e) wrong += c[static_cast<std::size_t>(i * n + e)] != sum(i, e);
      }
      c = before;
      const T alpha = number<T>(2, 1), beta = number<T>(-1, 3);
      launch(p, program_arguments<T>{inputs, c.data(), nullptr, alpha, beta}, isa);
      for (index i = 0; i < m; ++i) {
        for (index e = 0; e < n; ++e) {
          const auto at = static_cast<std::size_t>(i * n + e);
          wrong += c[at] != alpha * sum(i, e) + beta * before[at];
        }
      }
      CAPTURE(m);
      CAPTURE(k);
      CHECK(wrong == 0);
    }
  }
}

template <class T>
void check_packed(instruction_set isa) {
  const int width = capabilities_of(isa).lanes(type_of<T>);
  constexpr index m = 5, k = 7;
  const auto p = product_packed(type_of<T>, m, k, width);
  const auto a = integers<T>(m * k, 1);
  for (const index n : {index{0}, index{1}, index{width} - 1, index{width}, index{width} + 1,
                        index{3} * width + 2, index{20000}}) {
    const auto x = integers<T>(n * k, 2);
    std::vector<T> y(static_cast<std::size_t>(n * m), not_a_number<T>());
    const void* const inputs[] = {a.data(), x.data()};
    const index extents[] = {0, 0, n};
    launch(p, program_arguments<T>{inputs, y.data(), extents, 1, 0}, isa);
    index wrong = 0;
    for (index e = 0; e < n; ++e) {
      for (index i = 0; i < m; ++i) {
        T s = 0;
        for (index j = 0; j < k; ++j) {
          s += a[static_cast<std::size_t>(i * k + j)] * x[static_cast<std::size_t>(e * k + j)];
        }
        wrong += y[static_cast<std::size_t>(e * m + i)] != s;
      }
    }
    CAPTURE(n);
    CHECK(wrong == 0);
  }
}

/// The same from x of type X, or its conjugate, to y of type Y, over lanes or, with width 1, over a
/// tile loop.
template <class T, class X, class Y, bool Conjugated>
void check_converted(instruction_set isa, int width) {
  constexpr index m = 5, k = 7;
  auto p = product_packed(type_of<T>, m, k, width);
  p.steps[0].a.type = type_of<X>;
  p.steps[0].a.conjugated = Conjugated;
  p.steps[2].c.type = type_of<Y>;
  if (width == 1) p = over_tile_loop(p);
  const auto a = integers<T>(m * k, 1);
  const T alpha = number<T>(2, -1), beta = number<T>(1, 1);
  for (const index n : {index{1}, index{width}, index{3} * width + 2}) {
    const auto x = integers<X>(n * k, 2);
    const auto before = integers<Y>(n * m, 3);
    const void* const inputs[] = {a.data(), x.data()};
    const index extents[] = {0, 0, n};
    for (const bool reads : {false, true}) {
      std::vector<Y> y = before;
      if (!reads) y.assign(y.size(), not_a_number<Y>());
      launch(p, program_arguments<T>{inputs, y.data(), extents, alpha, reads ? beta : T(0)}, isa);
      index wrong = 0;
      for (index e = 0; e < n; ++e) {
        for (index i = 0; i < m; ++i) {
          T sum = 0;
          for (index j = 0; j < k; ++j) {
            const X entry = x[static_cast<std::size_t>(e * k + j)];
            sum += a[static_cast<std::size_t>(i * k + j)] *
                   static_cast<T>(Conjugated ? conjugate(entry) : entry);
          }
          const auto at = static_cast<std::size_t>(e * m + i);
          sum *= alpha;
          if (reads) sum += beta * static_cast<T>(before[at]);
          wrong += static_cast<T>(y[at]) != sum;
        }
      }
      CAPTURE(n);
      CAPTURE(width);
      CHECK(wrong == 0);
    }
  }
}

/// Two phases: w[e] = sum_j x[j][e] into the workspace, then y[i][e] = a[i] w[e].
template <class T>
void check_workspace(instruction_set isa) {
  const int width = capabilities_of(isa).lanes(type_of<T>);
  const index n = 2 * width, k = 9, m = 6;
  small_program p;
  p.type = type_of<T>;
  p.phase_count = p.step_count = 2;
  p.workspace_entries = n;
  for (int f = 0; f < 2; ++f) {
    p.phases[static_cast<std::size_t>(f)].first_step = f;
    p.phases[static_cast<std::size_t>(f)].step_count = 1;
    p.phases[static_cast<std::size_t>(f)].width = width;
    p.phases[static_cast<std::size_t>(f)].lane = {n, 0};
  }
  p.steps[0].a = {buffer::input, 0, lane_access::lanes, 0, 1};
  p.steps[0].c = {buffer::workspace, 0, lane_access::lanes, 0, 1};
  p.steps[0].k = {k, n, 0, 0};
  p.steps[1].finish = epilogue::update;
  p.steps[1].a = {buffer::input, 1};
  p.steps[1].b = {buffer::workspace, 0, lane_access::lanes, 0, 1};
  p.steps[1].c = {buffer::output, 0, lane_access::lanes, 0, 1};
  p.steps[1].m = {m, 1, 0, n};
  const auto x = integers<T>(k * n, 1);
  const auto a = integers<T>(m, 2);
  std::vector<T> y(static_cast<std::size_t>(m * n), not_a_number<T>());
  const void* const inputs[] = {x.data(), a.data()};
  for (int again = 0; again < 2; ++again) {  // the second time the workspace is dirty
    launch(p, program_arguments<T>{inputs, y.data(), nullptr, 3, 0}, isa);
    index wrong = 0;
    for (index e = 0; e < n; ++e) {
      T w = 0;
      for (index j = 0; j < k; ++j) w += x[static_cast<std::size_t>(j * n + e)];
      for (index i = 0; i < m; ++i) {
        wrong +=
            y[static_cast<std::size_t>(i * n + e)] != T(3) * a[static_cast<std::size_t>(i)] * w;
      }
    }
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("every instruction set of the CPU runs products in place") {
  for (const instruction_set isa : available()) {
    CAPTURE(static_cast<int>(isa));
    check_in_place<double>(isa);
    check_in_place<float>(isa);
    check_in_place<std::complex<double>>(isa);
    check_in_place<std::complex<float>>(isa);
  }
}

TEST_CASE("every instruction set runs products through scratch, for any number of lanes") {
  for (const instruction_set isa : available()) {
    CAPTURE(static_cast<int>(isa));
    check_packed<double>(isa);
    check_packed<float>(isa);
    check_packed<std::complex<double>>(isa);
    check_packed<std::complex<float>>(isa);
  }
}

TEST_CASE(
    "every instruction set converts and conjugates what it packs and rounds what it unpacks") {
  using c32 = std::complex<float>;
  using c64 = std::complex<double>;
  for (const instruction_set isa : available()) {
    CAPTURE(static_cast<int>(isa));
    const auto both_widths = [&](auto check, scalar type) {
      check(isa, capabilities_of(isa).lanes(type));
      check(isa, 1);
    };
    both_widths(check_converted<float, float, float, false>, scalar::f32);
    both_widths(check_converted<double, float, double, false>, scalar::f64);
    both_widths(check_converted<double, double, float, false>, scalar::f64);
    both_widths(check_converted<double, float, float, false>, scalar::f64);
    both_widths(check_converted<c32, float, c32, false>, scalar::c32);
    both_widths(check_converted<c32, c32, c32, true>, scalar::c32);
    both_widths(check_converted<c64, float, c64, false>, scalar::c64);
    both_widths(check_converted<c64, double, c32, false>, scalar::c64);
    both_widths(check_converted<c64, c32, c32, false>, scalar::c64);
    both_widths(check_converted<c64, c32, c64, true>, scalar::c64);
    both_widths(check_converted<c64, c64, c64, true>, scalar::c64);
  }
}

TEST_CASE("what a phase leaves in the workspace the next one finds") {
  for (const instruction_set isa : available()) {
    CAPTURE(static_cast<int>(isa));
    check_workspace<double>(isa);
    check_workspace<float>(isa);
    check_workspace<std::complex<double>>(isa);
    check_workspace<std::complex<float>>(isa);
  }
}

TEST_CASE("launch works on all threads of the caller's arena and gives the same") {
  const int width = capabilities_of(best_instruction_set()).lanes(scalar::f64);
  small_program p = product_packed(scalar::f64, 5, 7, width);
  p.phases[0].tile_flops = 1e6;  // every tile is a task of its own
  const auto a = integers<double>(35, 1);
  const index n = 999;
  const auto x = integers<double>(n * 7, 2);
  std::vector<double> serial(static_cast<std::size_t>(n * 5)), parallel(serial.size());
  const void* const inputs[] = {a.data(), x.data()};
  const index extents[] = {0, 0, n};
  tbb::task_arena(1).execute([&] {
    launch(p, program_arguments<double>{inputs, serial.data(), extents, 1, 0},
           best_instruction_set());
  });
  tbb::task_arena(2).execute([&] {
    launch(p, program_arguments<double>{inputs, parallel.data(), extents, 1, 0},
           best_instruction_set());
  });
  CHECK(serial == parallel);
}

TEST_CASE("of the instruction sets that a library carries the best that the CPU has serves") {
  using enum instruction_set;
  constexpr instruction_set all[] = {baseline, avx2, avx512}, first_and_last[] = {baseline, avx512},
                            last[] = {avx2, avx512};
  CHECK(best_of(all, avx512) == avx512);
  CHECK(best_of(all, avx2) == avx2);
  CHECK(best_of(first_and_last, avx2) == baseline);
  CHECK(best_of(last, avx2) == avx2);
  CHECK_THROWS_WITH_AS(best_of(last, baseline),
                       "tenfold: this library carries kernels for avx2, avx512 alone "
                       "(TENFOLD_INSTRUCTION_SETS), which this CPU lacks",
                       backend_error);
}

TEST_CASE("the capabilities of an instruction set are those of its registers") {
  CHECK(capabilities_of(instruction_set::baseline).vector_bytes == 16);
  CHECK(capabilities_of(instruction_set::avx2).vector_bytes == 32);
  CHECK(capabilities_of(instruction_set::avx512).vector_bytes == 64);
}

}  // namespace tenfold
