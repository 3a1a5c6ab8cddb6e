#include <tenfold/backend/cpu/dynamic_entries.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "numbers.hpp"

using namespace tenfold::cpu;
using tenfold::step_loop;
using tenfold::testing::integers;

// Products entry by entry that run together. Entries are small integers, so that sums are exact in
// any order.

namespace {

/// One product: numbers of the operands it reads, of the result, and what it does there.
struct term {
  int a, b, c;
  bool begins, accumulates, is_negative;
};

/// Wrong entries of `results` arrays behind `operands` ones, after products of all their entries:
/// `around` rows of `entries`, which lie `apart` vectors apart.
template <class T>
int wrong_entries(const std::vector<term>& terms, int operands, int results, int entries,
                  int around, int apart) {
  constexpr int W = lanes<T>;
  const int row = entries * apart * W + 3, size = around * row;
  std::vector<T> memory = integers<T>(tenfold::index{operands + results} * size, 7);
  std::vector<T> expected = memory;
  const auto place = [&](int array, int r, int x) {
    return static_cast<std::size_t>(array * size + r * row + x * apart * W);
  };
  for (int r = 0; r < around; ++r) {
    for (int x = 0; x < entries; ++x) {
      for (int lane = 0; lane < W; ++lane) {
        const auto at = [&](int array) {
          return place(array, r, x) + static_cast<std::size_t>(lane);
        };
        // All is read before any of it is written.
        std::vector<T> sums;
        for (const term& t : terms) {
          if (t.begins) sums.push_back(t.accumulates ? memory[at(t.c)] : T(0));
          const T product = memory[at(t.a)] * memory[at(t.b)];
          sums.back() += t.is_negative ? -product : product;
        }
        std::size_t sum = 0;
        for (const term& t : terms) {
          if (t.begins) expected[at(t.c)] = sums[sum++];
        }
      }
    }
  }
  std::vector<together_product<T>> products;
  for (const term& t : terms) {
    const auto loop = [](tenfold::index n, tenfold::index step) {
      step_loop l;
      l.extent = n;
      l.a = l.b = l.c = step;
      return l;
    };
    products.push_back({memory.data() + place(t.a, 0, 0), memory.data() + place(t.b, 0, 0),
                        memory.data() + place(t.c, 0, 0), loop(entries, apart * W),
                        loop(around, row), t.begins, t.accumulates, t.is_negative});
  }
  multiply_together<T, W>(products.data(), static_cast<int>(products.size()), entries);
  int wrong = 0;
  for (std::size_t i = 0; i < memory.size(); ++i) wrong += !(memory[i] == expected[i]);
  return wrong;
}

template <class T>
void check(const std::vector<term>& terms, int operands, int results) {
  for (const int entries : {1, 3, 4, 17}) {
    for (const int apart : {1, 2}) {
      CAPTURE(entries);
      CAPTURE(apart);
      CHECK(wrong_entries<T>(terms, operands, results, entries, 2, apart) == 0);
    }
  }
}

/// c_i := sum_j a_ij b_j, where b lies before a, and c behind them or, in place, where b is.
std::vector<term> matrix(int rows, int columns, bool in_place, bool swapped) {
  std::vector<term> terms;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      const int a = columns + i * columns + j, c = in_place ? i : columns + rows * columns + i;
      const bool swap = swapped && (i + j) % 2 != 0;
      terms.push_back({swap ? j : a, swap ? a : j, c, j == 0, j > 0, false});
    }
  }
  return terms;
}

template <class T>
void check_matrices() {
  for (int rows = 1; rows <= 3; ++rows) {
    for (int columns = 1; columns <= 3; ++columns) {
      for (const bool swapped : {false, true}) {
        CAPTURE(rows);
        CAPTURE(columns);
        CAPTURE(swapped);
        check<T>(matrix(rows, columns, false, swapped), columns + rows * columns, rows);
        if (rows <= columns)
          check<T>(matrix(rows, columns, true, swapped), columns + rows * columns, 0);
      }
    }
  }
}

template <class T>
void check_other_sums() {
  // Of different lengths, without a factor in common, with signs, added to what is there.
  check<T>(
      {{0, 1, 4, true, false, false}, {2, 3, 4, false, true, false}, {0, 2, 5, true, false, false}},
      4, 2);
  check<T>({{0, 1, 4, true, false, false}, {2, 3, 5, true, false, false}}, 4, 2);
  check<T>({{0, 1, 4, true, false, false}, {2, 1, 5, true, false, true}}, 4, 2);
  check<T>({{0, 1, 4, true, true, false}, {2, 1, 5, true, false, false}}, 4, 2);
}

}  // namespace

TEST_CASE("a matrix times a vector at each point") {
  check_matrices<double>();
  check_matrices<float>();
}

TEST_CASE("other sums of products at each point") {
  check_other_sums<double>();
  check_other_sums<float>();
}
