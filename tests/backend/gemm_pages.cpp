#include "guarded_rooms.hpp"

#if defined(__unix__)
#include <algorithm>
#include <tenfold/backend/batched_blas.hpp>
#include <tenfold/tensor/view.hpp>

#include "batches.hpp"

// Operands that begin or end with a page beside pages that nobody may touch: a product reads and
// writes its operands only.

namespace tenfold::testing {
namespace {

template <class T>
void check_layout(const storage& a, const storage& b, const storage& c, guarded_rooms& rooms) {
  generator g(1);
  for (index n = 1; n <= 20; ++n) {
    for (const bool at_end : {false, true}) {
      const index m = between(g, 1, 20), k = between(g, 1, 20);
      const index count = n % 3 == 0 ? natural_block<T> + 1 : n % 3;
      const memory_source source = rooms.source(at_end);
      product<T> p(n % 2 == 0 ? n : m, n % 2 == 0 ? m : n, k, count, a, b, c, entries_kind::exact,
                   g, source);
      p.arguments.beta = n % 4 < 2 ? T(0) : T(-1);
      for (const auto isa : instruction_sets()) {
        const index wrong = p.errors(isa);
        CHECK_MESSAGE(wrong == 0, n, " ", m, " ", k, "; ", text_of(a), "; ", text_of(b), "; ",
                      text_of(c));
      }
    }
  }
}

/// Products of ones and twos whose sizes are in the types, beta not 0 or 0. `OneA`: for all
/// problems.
template <class T, index M, index N, index K, bool OneA = false>
void check_static(guarded_rooms& rooms, index count = 5) {
  for (const bool at_end : {false, true}) {
    for (const T beta : {T(-1), T(0)}) {
      const memory_source source = rooms.source(at_end);
      const auto make = [&]<index Rows, index Columns>(T value) {
        auto* const entries = reinterpret_cast<T*>(
            source(sizeof(T) * static_cast<std::size_t>(Rows * Columns * count)));
        std::fill_n(entries, Rows * Columns * count, value);
        return view<T, dyn, Rows, Columns>(entries, count);
      };
      const auto b = make.template operator()<K, N>(T(2));
      const auto c = make.template operator()<M, N>(T(3));
      if constexpr (OneA) {
        auto* const entries = reinterpret_cast<T*>(source(sizeof(T) * M * K));
        std::fill_n(entries, M * K, T(1));
        gemm(T(1), view<const T, M, K>(entries), b, beta, c);
      } else {
        gemm(T(1), make.template operator()<M, K>(T(1)), b, beta, c);
      }
      index wrong = 0;
      for (index i = 0; i < c.size(); ++i) wrong += c.data()[i] != T(2 * K) + beta * T(3);
      CHECK(wrong == 0);
    }
  }
}

}  // namespace

TEST_CASE("operands with sizes in their types beside pages that may not be touched") {
  guarded_rooms rooms(3, 33 * 36 * 6 * 8);
  check_static<double, 3, 3, 3>(rooms);
  check_static<double, 7, 7, 7>(rooms);
  check_static<double, 9, 9, 9>(rooms);
  check_static<float, 5, 5, 5>(rooms);
  check_static<float, 17, 17, 17>(rooms);
  check_static<std::complex<double>, 3, 3, 3>(rooms);
  // One A for all: short rows end to end, and columns transposed.
  check_static<double, 25, 5, 4, true>(rooms, 33);
  check_static<double, 36, 6, 5, true>(rooms, 33);
  check_static<float, 13, 11, 3, true>(rooms, 33);
  check_static<double, 21, 9, 7, true>(rooms);
  check_static<float, 21, 9, 7, true>(rooms);
}

TEST_CASE("small matrices, times a vector each, beside pages that may not be touched") {
  guarded_rooms rooms(3, 11 * 9 * 9 * 8);
  const auto check = [&]<class T>(T, index m, index k, index count) {
    generator g(2);
    for (const bool at_end : {false, true}) {
      const memory_source source = rooms.source(at_end);
      product<T> p(m, 1, k, count, {}, {}, {}, entries_kind::exact, g, source);
      for (const auto isa : instruction_sets()) CHECK(p.errors(isa) == 0);
    }
  };
  for (index k = 2; k <= 9; ++k)
    for (const index m : {1, 2, 3, 5, 9})
      for (const index count : {1, 2, 11}) {
        check(0.0, m, k, count);
        check(0.0f, m, k, count);
      }
}

TEST_CASE("operands beside pages that may not be touched") {
  using enum batch_layout;
  guarded_rooms rooms(60, 20 * 20 * 18 * 16);
  for_each_scalar([&](auto t) {
    using T = decltype(t);
    const storage dense{}, columns{.by_column = true}, listed{.layout = pointers},
        listed_columns{.layout = pointers, .by_column = true},
        lanes{.layout = interleaved, .block = natural_block<T>},
        odd_lanes{.layout = interleaved, .block = 3}, last{.batch_last = true},
        map{.layout = gathered};
    for (const auto& [a, b, c] : {std::array{dense, dense, dense},
                                  {columns, columns, columns},
                                  {columns, dense, dense},
                                  {dense, columns, columns},
                                  {listed, listed, listed},
                                  {listed_columns, listed, listed_columns},
                                  {listed, listed_columns, listed},
                                  {lanes, lanes, lanes},
                                  {listed, lanes, listed},
                                  {lanes, listed, lanes},
                                  {odd_lanes, odd_lanes, odd_lanes},
                                  {last, last, last},
                                  {map, listed, map}})
      check_layout<T>(a, b, c, rooms);
  });
}

}  // namespace tenfold::testing
#endif
