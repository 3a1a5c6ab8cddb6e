#include <doctest/doctest.h>

#include <string>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tenfold/backend/batched_blas.hpp>
#include <tenfold/backend/interface/select.hpp>
#include <utility>
#include <vector>

#include "batches.hpp"
#include "threads.hpp"

// Batches of all sizes; where a problem stands in its batch, how many others there are and who
// computes it never changes a bit of its result.

namespace tenfold::testing {
namespace {

/// C := alpha A B + beta C of problems behind pointers, the same that are kept side by side.
template <class T>
struct bits {
  index m, n, k;
  std::vector<T> a, b, c;  ///< (count, m, k), (count, k, n), (count, m, n)

  bits(index m_, index n_, index k_, index count, unsigned seed)
      : m(m_),
        n(n_),
        k(k_),
        a(random_entries<T>(count * m * k, seed)),
        b(random_entries<T>(count * k * n, seed + 1)),
        c(random_entries<T>(count * m * n, seed + 2)) {}

  index count() const { return static_cast<index>(c.size()) / (m * n); }

  /// The results of problems [first, last) in layouts of their own, row-major in strided storage.
  std::vector<T> results(const storage& how_a, const storage& how_b, const storage& how_c,
                         index first, index last, instruction_set isa, T alpha, T beta) const {
    generator g(1);
    const index some = last - first;
    product<T> p(m, n, k, some, how_a, how_b, how_c, entries_kind::exact, g);
    const auto put = [&](auto& to, const std::vector<T>& from, index rows, index columns) {
      for (index q = 0; q < some; ++q)
        for (index i = 0; i < rows; ++i)
          for (index j = 0; j < columns; ++j)
            to.set(q, i, j, from[static_cast<std::size_t>(((first + q) * rows + i) * columns + j)]);
    };
    put(p.a, a, m, k);
    put(p.b, b, k, n);
    put(p.c, c, m, n);
    p.arguments.alpha = alpha;
    p.arguments.beta = beta;
    launch(p.shape, p.arguments, isa);
    std::vector<T> result;
    for (index q = 0; q < some; ++q)
      for (index i = 0; i < m; ++i)
        for (index j = 0; j < n; ++j) result.push_back(p.c.at(q, i, j));
    return result;
  }
};

template <class T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
}

/// Layouts whose strides do not depend on the size of the batch.
template <class T>
std::vector<storage> layouts() {
  using enum batch_layout;
  return {{},
          {.by_column = true, .gap = 1},
          {.layout = pointers},
          {.layout = interleaved, .block = natural_block<T>},
          {.layout = interleaved, .block = 4 * natural_block<T>},
          {.layout = interleaved, .block = 3},
          {.layout = gathered}};
}

}  // namespace

TEST_CASE("batches of all sizes are computed") {
  for_each_scalar([](auto t) {
    using T = decltype(t);
    using enum batch_layout;
    generator g(1);
    const storage kinds[] = {
        {}, {.layout = pointers}, {.layout = interleaved, .block = natural_block<T>}};
    const index v = natural_block<T>;
    for (const storage& how : kinds) {
      for (const auto isa : instruction_sets()) {
        std::vector<index> counts{0, 1, 2, 3};
        for (const index w : {v / 4, v / 2, v, 2 * v})
          for (index count = w - 1; count <= w + 1; ++count) counts.push_back(count);
        for (const index count : counts) {
          product<T> p(3, 2, 4, count, how, how, how, entries_kind::exact, g);
          p.arguments.beta = T(-1);
          const index wrong = p.errors(isa);
          CHECK_MESSAGE(wrong == 0, count, " problems, ", text_of(how));
        }
      }
    }
  });
}

TEST_CASE("large batches are computed to the last problem") {
  for (const index count : {65535, 65536, 65537, (1 << 19) + 1}) {
    const std::vector<float> a = integers<float>(count * 2, 1), b = integers<float>(count * 2, 2),
                             c = integers<float>(count, 3);
    std::vector<const float*> list_a, list_b;
    std::vector<float*> list_c;
    std::vector<float> now = c;
    for (index p = 0; p < count; ++p) {
      list_a.push_back(a.data() + 2 * p);
      list_b.push_back(b.data() + 2 * p);
      list_c.push_back(now.data() + p);
    }
    // Entry k of problem p is number 2 p + k, in blocks of 16 number p / 16 * 32 + 16 k + p % 16.
    const auto wrong = [&](index last, bool lanes) {
      index sum = 0;
      for (index p = 0; p < last; ++p) {
        const auto x = static_cast<std::size_t>(lanes ? p / 16 * 32 + p % 16 : 2 * p),
                   y = x + (lanes ? 16 : 1), z = static_cast<std::size_t>(p);
        sum += now[z] != a[x] * b[x] + a[y] * b[y] - c[z];
      }
      now = c;
      return sum;
    };
    gemm_shape s{scalar::f32, 1, 1, 2, {}, {}, {}};
    s.a.row = 2;
    s.a.column = s.b.row = s.b.column = s.c.row = s.c.column = 1;
    for (const auto isa : instruction_sets()) {
      gemm_arguments<float> g{{a.data(), 2}, {b.data(), 2}, {now.data(), 1}, count, 1, -1};
      launch(s, g, isa);
      CHECK(wrong(count, false) == 0);
      gemm_shape pointers = s;
      pointers.a.layout = pointers.b.layout = pointers.c.layout = batch_layout::pointers;
      g.a = {list_a.data()};
      g.b = {list_b.data()};
      g.c = {list_c.data()};
      launch(pointers, g, isa);
      CHECK(wrong(count, false) == 0);
      gemm_shape lanes = s;
      lanes.a.layout = lanes.b.layout = batch_layout::interleaved;
      lanes.a.block = lanes.b.block = 16;
      g.a = {a.data(), 32};
      g.b = {b.data(), 32};
      g.c = {now.data(), 1};
      g.count = count / 16 * 16;
      launch(lanes, g, isa);
      CHECK(wrong(g.count, true) == 0);
    }
  }
}

TEST_CASE("permuting a batch permutes its results bit by bit") {
  for_each_scalar([](auto t) {
    using T = decltype(t);
    const index count = 3 * natural_block<T> + 2;
    const bits<T> all(5, 6, 7, count, 1);
    bits<T> mixed = all;
    std::vector<index> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), index{0});
    std::shuffle(order.begin(), order.end(), generator(5));
    const auto move = [&](const std::vector<T>& from, std::vector<T>& to, index size) {
      for (index p = 0; p < count; ++p)
        std::copy_n(from.begin() + order[static_cast<std::size_t>(p)] * size, size,
                    to.begin() + p * size);
    };
    move(all.a, mixed.a, 35);
    move(all.b, mixed.b, 42);
    move(all.c, mixed.c, 30);
    const T alpha = number<T>(0.7, 0.3), beta = number<T>(-0.6, 0.9);
    for (const storage& how : layouts<T>()) {
      for (const auto isa : instruction_sets()) {
        const auto x = all.results(how, how, how, 0, count, isa, alpha, beta);
        const auto y = mixed.results(how, how, how, 0, count, isa, alpha, beta);
        auto want = y;
        move(x, want, 30);
        CHECK_MESSAGE(same_bits(y, want), text_of(how));
      }
    }
  });
}

TEST_CASE("the size of the batch and the place in it change no bit") {
  for_each_scalar([](auto t) {
    using T = decltype(t);
    const index count = 2 * natural_block<T> + 3;
    for (const auto& [m, n, k] :
         {std::array<index, 3>{5, 6, 7}, {3, 3, 3}, {1, 9, 2}, {12, 2, 5}, {1, 7, 9}, {6, 1, 17}}) {
      const bits<T> all(m, n, k, count, 1);
      const T alpha = number<T>(0.7, 0.3), beta = number<T>(-0.6, 0.9);
      for (const storage& how : layouts<T>()) {
        for (const auto isa : instruction_sets()) {
          const auto want = all.results(how, how, how, 0, count, isa, alpha, beta);
          for (const auto& [first, last] : {std::pair<index, index>{0, 1},
                                            {3, 4},
                                            {count - 1, count},
                                            {1, natural_block<T>},
                                            {2, count - 1},
                                            {1, natural_block<T> + 1}}) {
            const auto some = all.results(how, how, how, first, last, isa, alpha, beta);
            const std::vector<T> part(want.begin() + first * m * n, want.begin() + last * m * n);
            const std::string place = text_of(how) + ", " + std::to_string(first) + " to " +
                                      std::to_string(last) + " of " + std::to_string(m) + " x " +
                                      std::to_string(n) + " x " + std::to_string(k);
            CHECK_MESSAGE(same_bits(some, part), place);
          }
        }
      }
    }
  });
}

TEST_CASE("the number of problems in one block of all changes no bit") {
  for_each_scalar([](auto t) {
    using T = decltype(t);
    const storage how{.layout = batch_layout::interleaved, .block = 0};
    index different = 0;
    for (const auto& [m, n, k] :
         {std::array<index, 3>{5, 6, 7}, {3, 3, 3}, {1, 9, 2}, {12, 2, 5}, {2, 12, 5}}) {
      const bits<T> all(m, n, k, 33, 1);
      for (const auto isa : instruction_sets()) {
        const auto want = all.results(how, how, how, 0, 33, isa, number<T>(0.7, 0.3), T(1));
        for (const index count : {1, 2, 5, 8, 15, 16, 32}) {
          const auto some = all.results(how, how, how, 0, count, isa, number<T>(0.7, 0.3), T(1));
          different += !same_bits(some, {want.begin(), want.begin() + count * m * n});
        }
      }
    }
    CHECK_MESSAGE(different == 0, "scalar ", static_cast<int>(scalar_of<T>));
  });
}

// Of matrices: where the terms of a product with a vector are neighbours, they are the lanes.
TEST_CASE("real products have the same bits in every layout") {
  const auto check = [](auto t) {
    using T = decltype(t);
    const index count = natural_block<T> + 1;
    for (const auto& [m, n, k] :
         {std::array<index, 3>{5, 6, 7}, {8, 8, 8}, {2, 9, 2}, {12, 2, 33}}) {
      const bits<T> all(m, n, k, count, 1);
      for (const auto isa : instruction_sets()) {
        const auto want = all.results({}, {}, {}, 0, count, isa, T(0.7), T(-0.3));
        for (const storage& a : layouts<T>())
          for (const storage& b : layouts<T>()) {
            const storage c = a.layout == batch_layout::gathered ? storage{.batch_last = true} : a;
            const auto some = all.results(a, b, c, 0, count, isa, T(0.7), T(-0.3));
            CHECK_MESSAGE(same_bits(some, want), text_of(a), "; ", text_of(b), "; instruction set ",
                          static_cast<int>(isa));
          }
      }
    }
  };
  check(float{});
  check(double{});
}

TEST_CASE("the number of threads changes no bit") {
  for_each_scalar([](auto t) {
    using T = decltype(t);
    const index count = 1000;  // some tasks of the thread pool
    const bits<T> all(13, 11, 12, count, 1);
    const auto isa = best_instruction_set();
    for (const storage& how : layouts<T>()) {
      std::vector<T> want;
      for (const int threads : {1, 2, 4}) {
        std::vector<T> x;
        on_threads(threads,
                   [&] { x = all.results(how, how, how, 0, count, isa, number<T>(0.7, 1), T(1)); });
        if (threads == 1) want = x;
        CHECK_MESSAGE(same_bits(x, want), text_of(how));
      }
    }
  });
}

TEST_CASE("one product that threads share, its last rows fewer, has the bits of one thread") {
  for_each_scalar([](auto t) {
    using T = decltype(t);
    constexpr index many = 413, few = 61, k = 97;
    static_assert(select::rows_of_task({scalar::f64, many, few, k, {}, {}, {}}, 2) == 112);
    const auto isa = best_instruction_set();
    for (const auto& [m, n] : {std::pair{many, few}, {few, many}}) {
      const bits<T> one(m, n, k, 1, 1);
      for (const bool by_column : {false, true}) {
        storage how;
        how.by_column = by_column;
        how.gap = 3;
        std::vector<T> want;
        for (const int threads : {1, 2, 3, 4, 8}) {
          std::vector<T> x;
          on_threads(threads, [&] {
            x = one.results(how, how, how, 0, 1, isa, number<T>(0.7, 1), number<T>(0.3, -1));
          });
          if (threads == 1) want = x;
          CHECK_MESSAGE(same_bits(x, want), text_of(how));
        }
      }
    }
  });
}

TEST_CASE("what only scales C is shared among threads without a change, in every form") {
  constexpr index m = 31, n = 13, ld = 16, count = 1500;
  const std::vector<double> before = random_entries<double>(count * m * ld, 1);
  std::vector<double> want = before;
  for (index line = 0; line < count * m; ++line)
    for (index j = 0; j < n; ++j) want[static_cast<std::size_t>(line * ld + j)] *= 0.3;
  const double* const nothing = nullptr;
  for (const int threads : {1, 2, 4}) {
    on_threads(threads, [&] {
      std::vector<double> c = before;
      gemm(order::row_major, op::none, op::none, m, n, 5, 0.0, nothing, 5, 0, nothing, n, 0, 0.3,
           c.data(), ld, m * ld, count);
      CHECK(same_bits(c, want));
      c = before;
      gemm(order::row_major, op::none, op::none, count * m, n, 0, 1.0, nothing, 1, 0, nothing, n, 0,
           0.3, c.data(), ld, 0, 1);
      CHECK(same_bits(c, want));
      c = before;
      const std::vector<const double*> no(count, nullptr);
      std::vector<double*> list;
      for (index p = 0; p < count; ++p) list.push_back(c.data() + p * m * ld);
      gemm(order::row_major, op::none, op::none, m, n, 0, 1.0, no.data(), 1, no.data(), n, 0.3,
           list.data(), ld, count);
      CHECK(same_bits(c, want));
    });
  }
}

TEST_CASE("shared entries of C are summed in the order of the batch by any number of threads") {
  generator g(3);
  const storage meets{.layout = batch_layout::gathered, .meets = true};
  product<double> p(13, 11, 12, 1500, {}, {}, meets, entries_kind::random, g);
  p.arguments.beta = 0.3;
  std::vector<double> want;
  for (const int threads : {1, 2, 4}) {
    p.c.put_back();
    on_threads(threads, [&] { launch(p.shape, p.arguments, best_instruction_set()); });
    std::vector<double> now;
    for (index b = 0; b < 1500; ++b) now.push_back(p.c.at(b, 1, 2));
    if (threads == 1) want = now;
    CHECK(same_bits(now, want));
  }
}

}  // namespace tenfold::testing
