#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "batches.hpp"

// Batched products of operands in all layouts, freely mixed; what is no operand stays as it is.

namespace tenfold::testing {
namespace {

std::vector<storage> layouts(index natural, bool result) {
  using enum batch_layout;
  std::vector<storage> all{
      {},
      {.gap = 2},
      {.by_column = true},
      {.by_column = true, .gap = 1},
      {.gap = 1, .spread = 2},
      {.backward = true},
      {.batch_last = true},
      {.by_column = true, .batch_last = true},
      {.layout = pointers},
      {.layout = pointers, .by_column = true, .gap = 3},
      {.layout = pointers, .spread = 3, .backward = true},
      {.layout = interleaved, .block = 1},
      {.layout = interleaved, .block = 3},
      {.layout = interleaved, .block = natural},
      {.layout = interleaved, .by_column = true, .block = 2 * natural},
      {.layout = interleaved, .block = 0},
      {.layout = interleaved, .block = natural + natural / 2},
      {.layout = gathered},
      {.layout = gathered, .by_column = true, .wide_map = true},
      {.layout = gathered, .meets = true},
      {.layout = gathered, .wide_map = true, .meets = true},
  };
  if (!result) {
    all.push_back({.shared = true});
    all.push_back({.by_column = true, .gap = 1, .shared = true});
  }
  return all;
}

template <class T>
std::string described(const product<T>& p, instruction_set isa, const storage& a, const storage& b,
                      const storage& c) {
  return "scalar " + std::to_string(static_cast<int>(p.shape.type)) + ", m n k " +
         std::to_string(p.shape.m) + " " + std::to_string(p.shape.n) + " " +
         std::to_string(p.shape.k) + ", count " + std::to_string(p.arguments.count) +
         ", instruction set " + std::to_string(static_cast<int>(isa)) + "; A " + text_of(a) +
         "; B " + text_of(b) + "; C " + text_of(c);
}

template <class T>
void check_all_layouts() {
  generator g(3);
  const auto sets = instruction_sets();
  std::size_t calls = 0;
  for (const storage& a : layouts(natural_block<T>, false))
    for (const storage& b : layouts(natural_block<T>, false))
      for (const storage& c : layouts(natural_block<T>, true)) {
        const index count = between(g, 1, natural_block<T> + 5);
        product<T> p(between(g, 1, 5), between(g, 1, 5), between(g, 0, 5), count, a, b, c,
                     entries_kind::exact, g);
        p.arguments.alpha = chance(g, 0.3) ? T(1) : number<T>(2, -1);
        p.arguments.beta = chance(g, 0.3) ? T(0) : chance(g, 0.5) ? T(1) : number<T>(-1, 2);
        p.shape.a.conjugated = is_complex_type<T> && chance(g, 0.5);
        p.shape.b.conjugated = is_complex_type<T> && chance(g, 0.5);
        const auto isa = sets[calls++ % sets.size()];
        const index wrong = p.errors(isa);
        CHECK_MESSAGE(wrong == 0, described(p, isa, a, b, c));
      }
}

/// Larger products, of one layout beside others.
template <class T>
void check_large(int cases) {
  generator g(4);
  for (int i = 0; i < cases; ++i) {
    const auto one_of = [&](const std::vector<storage>& all) {
      return all[static_cast<std::size_t>(between(g, 0, static_cast<index>(all.size()) - 1))];
    };
    const storage a = one_of(layouts(natural_block<T>, false)),
                  b = one_of(layouts(natural_block<T>, false)),
                  c = one_of(layouts(natural_block<T>, true));
    product<T> p(between(g, 1, 20), between(g, 1, 20), between(g, 1, 20),
                 between(g, 1, 2 * natural_block<T> + 1), a, b, c, entries_kind::random, g);
    p.arguments.alpha = draw_factor<T>(g);
    p.arguments.beta = draw_factor<T>(g);
    for (const auto isa : instruction_sets()) {
      const index wrong = p.errors(isa);
      CHECK_MESSAGE(wrong == 0, described(p, isa, a, b, c));
    }
  }
}

const std::vector<storage>& few_layouts() {
  using enum batch_layout;
  static const std::vector<storage> all{
      {},
      {.by_column = true, .gap = 1},
      {.batch_last = true},
      {.layout = pointers},
      {.layout = interleaved, .block = 3},
      {.layout = interleaved, .block = 16},
      {.layout = gathered},
  };
  return all;
}

}  // namespace

TEST_CASE("operands of all layouts are multiplied in any combination") {
  for_each_scalar([](auto t) { check_all_layouts<decltype(t)>(); });
}

TEST_CASE("operands of all layouts are multiplied when they are larger") {
  for_each_scalar([](auto t) { check_large<decltype(t)>(100); });
}

TEST_CASE("without a sum or with alpha 0, C is scaled and nobody looks at A and B") {
  for_each_scalar([](auto t) {
    using T = decltype(t);
    generator g(5);
    for (const storage& c : layouts(natural_block<T>, true)) {
      for (const T beta : {T(0), T(1), T(-1), number<T>(2, 1)}) {
        product<T> p(3, 5, 0, natural_block<T> + 3, {}, {}, c, entries_kind::exact, g);
        p.arguments.beta = beta;
        // As the front passes it on: one matrix of nothing for all.
        p.shape.a = p.shape.b = matrix_batch{.shared = true};
        p.arguments.a = p.arguments.b = {};
        for (const auto isa : instruction_sets())
          CHECK_MESSAGE(p.errors(isa) == 0, described(p, isa, {}, {}, c));
      }
    }
  });
}

TEST_CASE("a NaN goes into the results that it belongs to and into no other") {
  for_each_scalar([](auto t) {
    using T = decltype(t);
    generator g(6);
    for (const storage& how : few_layouts()) {
      for (const auto isa : instruction_sets()) {
        const index count = natural_block<T> + 2, m = 3, n = 4, k = 5;
        product<T> p(m, n, k, count, how, how, how, entries_kind::exact, g);
        for (index at = 0; at < count; at += 3) {
          p.a.put_back();
          p.a.set(at, 1, 2, not_a_number<T>());
          p.c.put_back();
          launch(p.shape, p.arguments, isa);
          index wrong = 0;
          for (index b = 0; b < count; ++b)
            for (index i = 0; i < m; ++i)
              for (index j = 0; j < n; ++j) {
                const bool is_nan = std::isnan(std::real(p.c.at(b, i, j)));
                wrong += is_nan != (b == at && i == 1);
              }
          CHECK_MESSAGE(wrong == 0, described(p, isa, how, how, how));
        }
      }
    }
  });
}

TEST_CASE("denormal entries are not taken for zeros") {
  for_each_scalar([](auto t) {
    using T = decltype(t);
    using R = real_type<T>;
    generator g(8);
    const T tiny = T(std::numeric_limits<R>::denorm_min() * 8);
    for (const storage& how : few_layouts()) {
      for (const auto isa : instruction_sets()) {
        const index count = natural_block<T> + 1;
        product<T> p(3, 3, 4, count, how, how, how, entries_kind::exact, g);
        p.a.fill(tiny);
        p.b.fill(T(1));
        p.c.fill(tiny);
        p.arguments.beta = T(-1);
        launch(p.shape, p.arguments, isa);
        index wrong = 0;
        for (index b = 0; b < count; ++b)
          for (index i = 0; i < 9; ++i) wrong += p.c.at(b, i / 3, i % 3) != tiny * R(3);
        CHECK_MESSAGE(wrong == 0, described(p, isa, how, how, how));
      }
    }
  });
}

}  // namespace tenfold::testing
