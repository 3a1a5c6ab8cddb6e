#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <tenfold/backend/batched_blas.hpp>
#include <vector>

#include "batches.hpp"
#include "threads.hpp"

// The calls of batched BLAS over addresses: fixed batches, groups and variable batches, with every
// option. What they refuse is in gemm_errors.cpp and gemm_overlap.cpp.

namespace tenfold::testing {
namespace {

/// A matrix of a problem in memory: `rows` x `columns` before the operation.
storage kept(order layout, index gap) {
  return {.by_column = layout == order::column_major, .gap = gap};
}

matrix_batch taken(matrix_batch x, op f) {
  if (f == op::none) return x;
  std::swap(x.row, x.column);
  x.conjugated = f == op::conjugate_transpose;
  return x;
}

/// The operands of a call over addresses, and the same product as data for the reference.
template <class T>
struct call {
  order layout;
  op op_a, op_b;
  index m, n, k, count;
  T alpha, beta;
  matrices_in_memory<T> a, b, c;

  call(order o, op fa, op fb, index m_, index n_, index k_, index problems, T factor, T old_factor,
       bool behind_pointers, index gap, generator& g)
      : layout(o),
        op_a(fa),
        op_b(fb),
        m(m_),
        n(n_),
        k(k_),
        count(problems),
        alpha(factor),
        beta(old_factor),
        a(where(behind_pointers, gap), fa == op::none ? m : k, fa == op::none ? k : m, count,
          entries_kind::exact, g),
        b(where(behind_pointers, gap + 1), fb == op::none ? k : n, fb == op::none ? n : k, count,
          entries_kind::exact, g),
        c(where(behind_pointers, gap), m, n, count, entries_kind::exact, g),
        gap_(gap) {}

  storage where(bool behind_pointers, index gap) const {
    storage s = kept(layout, gap);
    if (behind_pointers) s.layout = batch_layout::pointers;
    return s;
  }
  index lda() const { return leading(op_a == op::none ? m : k, op_a == op::none ? k : m, gap_); }
  index ldb() const {
    return leading(op_b == op::none ? k : n, op_b == op::none ? n : k, gap_ + 1);
  }
  index ldc() const { return leading(m, n, gap_); }

  const T* const* list_a() const { return static_cast<const T* const*>(a.place().data); }
  const T* const* list_b() const { return static_cast<const T* const*>(b.place().data); }
  T* const* list_c() const {
    return const_cast<T* const*>(static_cast<const T* const*>(c.place().data));
  }
  T* entries_c() const { return const_cast<T*>(static_cast<const T*>(c.place().data)); }

  /// The entries of C that are wrong once `run` has run.
  template <class F>
  index errors(const F& run) {
    const gemm_shape s{scalar_of<T>,           m,        n, k, taken(a.shape(), op_a),
                       taken(b.shape(), op_b), c.shape()};
    const auto want =
        reference::gemm(s, gemm_arguments<T>{a.place(), b.place(), c.place(), count, alpha, beta});
    if (beta == T(0)) c.fill(not_a_number<T>());
    run();
    return wrong_entries(want);
  }
  index wrong_entries(const std::vector<reference::result_entry<T>>& want) const {
    index wrong = !a.unchanged() + !b.unchanged() + !c.harmless();
    auto w = want.begin();
    for (index p = 0; p < count; ++p)
      for (index i = 0; i < m; ++i)
        for (index j = 0; j < n; ++j, ++w) wrong += !close(c.at(p, i, j), w->value, 0);
    return wrong;
  }

 private:
  /// At least 1, also where there are no entries.
  index leading(index rows, index columns, index gap) const {
    return std::max<index>((layout == order::row_major ? columns : rows) + gap, 1);
  }
  index gap_;
};

constexpr std::array ops{op::none, op::transpose, op::conjugate_transpose};

/// f(layout, op_a, op_b, alpha, beta, gap) for options that meet each other in pairs.
template <class T, class F>
void for_options(const F& f) {
  const std::array<T, 4> factors{T(1), T(0), T(-1), number<T>(2, 1)};
  std::size_t i = 0;
  for (const order layout : {order::row_major, order::column_major})
    for (const op fa : ops)
      for (const op fb : ops)
        for (const T beta : factors) {
          f(layout, fa, fb, factors[i % 4], beta, static_cast<index>(i % 3));
          i += 1 + i % 5;
        }
}

}  // namespace

TEST_CASE("fixed batches in strided storage with all options") {
  for_each_scalar([](auto t) {
    using T = decltype(t);
    generator g(1);
    for_options<T>([&](order o, op fa, op fb, T alpha, T beta, index gap) {
      call<T> x(o, fa, fb, between(g, 1, 9), between(g, 1, 9), between(g, 0, 9), between(g, 1, 20),
                alpha, beta, false, gap, g);
      const index wrong = x.errors([&] {
        gemm(o, fa, fb, x.m, x.n, x.k, alpha, static_cast<const T*>(x.a.place().data), x.lda(),
             x.a.place().problem, static_cast<const T*>(x.b.place().data), x.ldb(),
             x.b.place().problem, beta, x.entries_c(), x.ldc(), x.c.place().problem, x.count);
      });
      CHECK(wrong == 0);
    });
  });
}

TEST_CASE("fixed batches of addresses with all options") {
  for_each_scalar([](auto t) {
    using T = decltype(t);
    generator g(2);
    for_options<T>([&](order o, op fa, op fb, T alpha, T beta, index gap) {
      call<T> x(o, fa, fb, between(g, 1, 9), between(g, 1, 9), between(g, 0, 9), between(g, 1, 20),
                alpha, beta, true, gap, g);
      const index wrong = x.errors([&] {
        gemm(o, fa, fb, x.m, x.n, x.k, alpha, x.list_a(), x.lda(), x.list_b(), x.ldb(), beta,
             x.list_c(), x.ldc(), x.count);
      });
      CHECK(wrong == 0);
    });
  });
}

TEST_CASE("groups and variable batches give what fixed ones give") {
  for_each_scalar([](auto t) {
    using T = decltype(t);
    for (const order layout : {order::row_major, order::column_major}) {
      for (const bool as_groups : {true, false}) {
        generator g(3);
        std::vector<std::unique_ptr<call<T>>> calls;
        for (int i = 0; i < 30; ++i) {
          const std::array<T, 4> factors{T(1), T(0), T(-1), number<T>(2, 1)};
          calls.push_back(std::make_unique<call<T>>(
              layout, ops[g() % 3], ops[g() % 3], between(g, 0, 6), between(g, 0, 6),
              between(g, 0, 6), between(g, 0, 12), factors[g() % 4], factors[g() % 4], true,
              between(g, 0, 2), g));
        }
        std::vector<std::vector<reference::result_entry<T>>> want;
        std::vector<gemm_group<T>> groups;
        std::vector<gemm_problem<T>> problems;
        std::vector<const T*> a, b;
        std::vector<T*> c;
        for (const auto& x : calls) {
          const gemm_shape s{scalar_of<T>,
                             x->m,
                             x->n,
                             x->k,
                             taken(x->a.shape(), x->op_a),
                             taken(x->b.shape(), x->op_b),
                             x->c.shape()};
          want.push_back(
              reference::gemm(s, gemm_arguments<T>{x->a.place(), x->b.place(), x->c.place(),
                                                   x->count, x->alpha, x->beta}));
          groups.push_back({x->op_a, x->op_b, x->m, x->n, x->k, x->alpha, x->lda(), x->ldb(),
                            x->beta, x->ldc(), x->count});
          for (index p = 0; p < x->count; ++p) {
            a.push_back(x->list_a()[p]);
            b.push_back(x->list_b()[p]);
            c.push_back(x->list_c()[p]);
            problems.push_back({x->op_a, x->op_b, x->m, x->n, x->k, x->alpha, a.back(), x->lda(),
                                b.back(), x->ldb(), x->beta, c.back(), x->ldc()});
          }
          if (x->beta == T(0)) x->c.fill(not_a_number<T>());
        }
        std::shuffle(problems.begin(), problems.end(), g);
        if (as_groups)
          gemm(layout, groups.data(), static_cast<index>(groups.size()), a.data(), b.data(),
               c.data());
        else
          gemm(layout, problems.data(), static_cast<index>(problems.size()));
        for (std::size_t i = 0; i < calls.size(); ++i) CHECK(calls[i]->wrong_entries(want[i]) == 0);
      }
    }
  });
}

TEST_CASE("rows of B that lie far apart are copied into panels") {
  for_each_scalar([](auto t) {
    using T = decltype(t);
    generator g(3);
    for (const index n : {1, 2, 3, 5, 8, 9, 17, 33, 70}) {
      for (const op f : {op::none, op::conjugate_transpose}) {
        call<T> x(order::row_major, f, op::none, 40, n, 40, 2, T(1), number<T>(2, 1), false, 2047,
                  g);
        REQUIRE(select::packs_panels(
            {scalar_of<T>, x.m, x.n, x.k, x.a.shape(), x.b.shape(), x.c.shape()}, x.ldb(),
            select::shipped({}, instruction_set::baseline)));
        const index wrong = x.errors([&] {
          gemm(x.layout, f, op::none, x.m, x.n, x.k, x.alpha,
               static_cast<const T*>(x.a.place().data), x.lda(), x.a.place().problem,
               static_cast<const T*>(x.b.place().data), x.ldb(), x.b.place().problem, x.beta,
               x.entries_c(), x.ldc(), x.c.place().problem, x.count);
        });
        CHECK(wrong == 0);
      }
    }
  });
}

TEST_CASE("a stride of 0 shares one matrix among all problems") {
  const std::vector<double> one{1, 2, 3, 4};
  std::vector<double> many(40 * 4, 1), c(40 * 4);
  gemm(order::row_major, op::none, op::none, 2, 2, 2, 1, one.data(), 2, 0, many.data(), 2, 4, 0,
       c.data(), 2, 4, 40);
  CHECK(c[156] == 3);
  CHECK(c[159] == 7);
  gemm(order::column_major, op::none, op::none, 2, 2, 2, 1, many.data(), 2, 4, one.data(), 2, 0, 0,
       c.data(), 2, 4, 40);
  CHECK(c[156] == 3);
  CHECK(c[158] == 7);
}

TEST_CASE_TEMPLATE("a problem has the bits alone that it has in a batch", T, float, double,
                   std::complex<float>, std::complex<double>) {
  struct call_shape {
    index m, n, k, stride_a, stride_b;
  };
  constexpr index count = 6;
  generator g(5);
  for (const call_shape& s : {call_shape{1, 9, 40, 40, 0},
                              {9, 1, 40, 0, 40},
                              {1, 1, 40, 40, 0},
                              {1, 31, 17, 17, 0},
                              {104, 105, 121, 104 * 121, 105 * 121},
                              {16, 700, 65, 16 * 65, 700 * 65}}) {
    std::vector<T> a(static_cast<std::size_t>(s.m * s.k * count)),
        b(static_cast<std::size_t>(s.k * s.n * count)),
        together(static_cast<std::size_t>(s.m * s.n * count)), alone(together);
    fill(a.data(), s.m * s.k * count, g, entries_kind::random);
    fill(b.data(), s.k * s.n * count, g, entries_kind::random);
    for (const op op_a : {op::none, op::transpose}) {
      for (const op op_b : {op::none, op::transpose}) {
        CAPTURE(s.m);
        CAPTURE(s.n);
        CAPTURE(static_cast<int>(op_a));
        CAPTURE(static_cast<int>(op_b));
        const index lda = op_a == op::none ? s.k : s.m, ldb = op_b == op::none ? s.n : s.k;
        gemm(order::row_major, op_a, op_b, s.m, s.n, s.k, T(1), a.data(), lda, s.stride_a, b.data(),
             ldb, s.stride_b, T(0), together.data(), s.n, s.m * s.n, count);
        for (index p = 0; p < count; ++p)
          gemm(order::row_major, op_a, op_b, s.m, s.n, s.k, T(1), a.data() + p * s.stride_a, lda,
               s.stride_a, b.data() + p * s.stride_b, ldb, s.stride_b, T(0),
               alone.data() + p * s.m * s.n, s.n, s.m * s.n, 1);
        CHECK(std::memcmp(together.data(), alone.data(), together.size() * sizeof(T)) == 0);
      }
    }
  }
}

TEST_CASE_TEMPLATE(
    "a small problem has the bits alone that it has in a batch, whatever its factors", T, float,
    double, std::complex<float>, std::complex<double>) {
  constexpr index count = 16;
  generator g(7);
  for (const auto& size : {std::array<index, 3>{1, 1, 1},
                           {1, 1, 2},
                           {1, 1, 14},
                           {1, 1, 40},
                           {2, 1, 5},
                           {1, 3, 5},
                           {2, 3, 1},
                           {4, 1, 1},
                           {3, 3, 3}}) {
    const index m = size[0], n = size[1], k = size[2];
    for (const bool shares_b : {false, true}) {
      for (const index gap : {0, 3}) {
        for (const T beta : {T(0), T(1), number<T>(-0.6, 0.9)}) {
          CAPTURE(m);
          CAPTURE(n);
          CAPTURE(k);
          CAPTURE(shares_b);
          CAPTURE(gap);
          const T alpha = number<T>(0.7, 0.3);
          const index stride_b = shares_b ? 0 : k * n, stride_c = m * n + gap;
          std::vector<T> a(static_cast<std::size_t>(m * k * count)),
              b(static_cast<std::size_t>(k * n * count)),
              together(static_cast<std::size_t>(stride_c * count));
          fill(a.data(), m * k * count, g, entries_kind::random);
          fill(b.data(), k * n * count, g, entries_kind::random);
          fill(together.data(), stride_c * count, g, entries_kind::random);
          std::vector<T> alone = together;
          const auto run = [&](index p, index problems, std::vector<T>& c) {
            gemm(order::row_major, op::none, op::none, m, n, k, alpha, a.data() + p * m * k, k,
                 m * k, b.data() + p * stride_b, n, stride_b, beta, c.data() + p * stride_c, n,
                 stride_c, problems);
          };
          run(0, count, together);
          for (index p = 0; p < count; ++p) run(p, 1, alone);
          CHECK(std::memcmp(together.data(), alone.data(), together.size() * sizeof(T)) == 0);
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE("rows that interlock have the bits alone that they have together", T, double,
                   std::complex<float>, std::complex<double>) {
  // Problem p is row p of column-major matrices; B is one for all.
  constexpr index count = 6, ld = 10, k = 40;
  generator g(6);
  for (const index n : {1, 2, 9}) {
    CAPTURE(n);
    std::vector<T> a(ld * k), b(static_cast<std::size_t>(k * n)),
        together(static_cast<std::size_t>(ld * n)), alone(together);
    fill(a.data(), ld * k, g, entries_kind::random);
    fill(b.data(), k * n, g, entries_kind::random);
    const auto from = [&](index p, index problems, std::vector<T>& c) {
      gemm(order::column_major, op::none, op::none, 1, n, k, T(1), a.data() + p, ld, 1, b.data(), k,
           0, T(0), c.data() + p, ld, 1, problems);
    };
    from(0, count, together);
    for (index p = 0; p < count; ++p) from(p, 1, alone);
    CHECK(std::memcmp(together.data(), alone.data(), together.size() * sizeof(T)) == 0);
  }
}

TEST_CASE("problems in falling order and problems that interlock are strided batches too") {
  // Columns 2 p and 2 p + 1 of a row-major matrix are problem p.
  generator g(4);
  std::vector<double> a(20 * 4), b(20 * 4), c(2 * 40, 0);
  fill(a.data(), 80, g, entries_kind::exact);
  fill(b.data(), 80, g, entries_kind::exact);
  gemm(order::row_major, op::none, op::none, 2, 2, 2, 1, a.data() + 76, 2, -4, b.data(), 2, 4, 0,
       c.data(), 40, 2, 20);
  index wrong = 0;
  for (std::size_t p = 0; p < 20; ++p)
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 2; ++j)
        wrong += c[i * 40 + 2 * p + j] != a[76 - 4 * p + 2 * i] * b[4 * p + j] +
                                              a[76 - 4 * p + 2 * i + 1] * b[4 * p + 2 + j];
  CHECK(wrong == 0);
}

TEST_CASE("matrices of a list may lie evenly apart up to anywhere") {
  // One list leaves its even steps at problem `end`, the others never.
  constexpr std::size_t count = 200;
  generator g(6);
  std::vector<double> a(4 * (count + 1)), b(a.size()), c(a.size());
  fill(a.data(), static_cast<index>(a.size()), g, entries_kind::exact);
  fill(b.data(), static_cast<index>(b.size()), g, entries_kind::exact);
  for (std::size_t list = 0; list < 3; ++list) {
    for (const std::size_t end : {1U, 2U, 9U, 63U, 64U, 65U, 71U, 100U, 199U, 200U}) {
      std::vector<const double*> of_a, of_b;
      std::vector<double*> of_c;
      for (std::size_t p = 0; p < count; ++p) {
        const auto at = [&](std::size_t which) { return 4 * (p + (which == list && p >= end)); };
        of_a.push_back(a.data() + at(0));
        of_b.push_back(b.data() + at(1));
        of_c.push_back(c.data() + at(2));
      }
      c.assign(c.size(), -1);
      gemm(order::row_major, op::none, op::none, 2, 2, 2, 1.0, of_a.data(), 2, of_b.data(), 2, 0.0,
           of_c.data(), 2, static_cast<index>(count));
      index wrong = 0;
      for (std::size_t p = 0; p < count; ++p)
        for (std::size_t i = 0; i < 2; ++i)
          for (std::size_t j = 0; j < 2; ++j)
            wrong += of_c[p][2 * i + j] !=
                     of_a[p][2 * i] * of_b[p][j] + of_a[p][2 * i + 1] * of_b[p][2 + j];
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("a variable batch gives the bits of one call after the other, on any number of threads") {
  for_each_scalar([](auto t) {
    using T = decltype(t);
    generator g(5);
    const std::vector<T> a = random_entries<T>(400, 1), b = random_entries<T>(400, 2);
    std::vector<gemm_problem<T>> problems;
    std::vector<index> places{0};
    for (int i = 0; i < 6000; ++i) {  // some tasks of the thread pool
      gemm_problem<T> p;
      p.op_a = ops[g() % 3];
      p.op_b = ops[g() % 3];
      // Few shapes with many problems, and many with few.
      const index most = chance(g, 0.5) ? 20 : 3;
      p.m = most - between(g, 0, 3);
      p.n = most - between(g, 0, 3);
      p.k = between(g, 0, most);
      p.lda = p.ldb = p.ldc = most;
      p.alpha = number<T>(0.7, 0.1);
      p.beta = number<T>(0.3, -0.2);
      p.a = a.data() + between(g, 0, 400 - most * most);
      p.b = b.data() + between(g, 0, 400 - most * most);
      problems.push_back(p);
      places.push_back(places.back() + most * most);
    }
    const std::vector<T> before = random_entries<T>(places.back(), 3);
    std::vector<T> want = before, now;
    const auto point_to = [&](std::vector<T>& c) {
      for (std::size_t i = 0; i < problems.size(); ++i) problems[i].c = c.data() + places[i];
    };
    point_to(want);
    for (const auto& p : problems) gemm(order::column_major, &p, 1);
    for (const int threads : {1, 2, 4}) {
      now = before;
      point_to(now);
      on_threads(threads, [&] {
        gemm(order::column_major, problems.data(), static_cast<index>(problems.size()));
      });
      CHECK(std::memcmp(now.data(), want.data(), want.size() * sizeof(T)) == 0);
    }
  });
}

TEST_CASE("a variable batch may have as many factors as problems") {
  // With one place in the table for all of them 200000 took two minutes.
  constexpr index count = 100000;
  std::vector<double> a(count, 2), b(count, 3), c(count, 1);
  std::vector<gemm_problem<double>> problems;
  for (std::size_t i = 0; i < count; ++i)
    problems.push_back({op::none, op::none, 1, 1, 1, static_cast<double>(i + 1), &a[i], 1, &b[i], 1,
                        static_cast<double>(i), &c[i], 1});
  gemm(order::row_major, problems.data(), count);
  index wrong = 0;
  for (std::size_t i = 0; i < count; ++i) wrong += c[i] != static_cast<double>(6 * (i + 1) + i);
  CHECK(wrong == 0);
}

}  // namespace tenfold::testing
