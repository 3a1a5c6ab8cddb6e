#pragma once

#include <tenfold/backend/cpu/even_odd.hpp>
#include <tenfold/backend/cpu/fetch.hpp>
#include <tenfold/backend/cpu/register_tile.hpp>

/// Micro-kernels of static shape one beside another along n: what a step of a program that is a
/// constant consists of.

// With all rows of a program in one function g++ 12 compiles it for the address sanitizer in half
// an hour instead of one or two minutes.
#if defined(__SANITIZE_ADDRESS__)
#define TENFOLD_ROW_IN_LINE [[gnu::noinline]]
#else
#define TENFOLD_ROW_IN_LINE [[gnu::always_inline]]
#endif

namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Calls row<N>(first column, count of tiles) for the tiles of each width.
///
/// (A single narrower tile drawn back over columns of the one before, so that it needs no kernel:
/// of the mass operator of p = 4 8 % less to compile, but 0.95 to 1.0 of the rate of p = 2 to 8.)
template <select::chunks Columns, class F>
[[gnu::always_inline]] inline void for_each_row_of_tiles(const F& row) {
  constexpr int wide = Columns.longer;
  if constexpr (Columns.long_count > 0) row.template operator()<wide>(0, Columns.long_count);
  if constexpr (Columns.short_count > 0)
    row.template operator()<wide - 1>(Columns.long_count * wide, Columns.short_count);
}

/// A row of register tiles along n: `count` of them.
///
/// Fetches: between two tiles lines of the next tile of the batch are fetched by `next`, if that is
/// not null.
template <class T, int W, int M, int N, int K, tile_strides S, tile_modes How, epilogue Finish,
          bool Fetches>
[[gnu::always_inline]] inline void tile_row(const T* a, const T* b, T* c, index count, T alpha,
                                            T beta, [[maybe_unused]] line_fetcher* next) {
  for (index i = 0; i < count; ++i) {
    if constexpr (Fetches) {
      if (next != nullptr) next->fetch();
    }
    register_tile<T, W, M, N, K, How, Finish>(
        tile_operands<T>{a, b, c, S.a_m, S.a_k, S.a_n, S.b_k, S.b_n, S.c_m, S.c_n, alpha, beta});
    if constexpr (How.a_varies) a += N * S.a_n;
    b += N * S.b_n;
    c += N * S.c_n;
  }
}

/// The same behind a call, so that programs share it.
template <class T, int W, int M, int N, int K, tile_strides S, tile_modes How, epilogue Finish,
          bool Fetches>
[[gnu::noinline]] void call_tile_row(const T* a, const T* b, T* c, index count, T alpha, T beta,
                                     line_fetcher* next) {
  tile_row<T, W, M, N, K, S, How, Finish, Fetches>(a, b, c, count, alpha, beta, next);
}

struct sandwich_strides {
  index a1_q, a1_k, b_k, b_n, a2_m, a2_q, c_m, c_n;
};

/// The same for sandwiches; at(q, n, y) for all columns n of the row. In halves, lines are fetched
/// within a tile, too (pieces_of_sandwich).
template <class T, int W, int Q, int K, int M, int N, sandwich_strides S, reflection Halves,
          epilogue Finish, bool Fetches, class At>
TENFOLD_ROW_IN_LINE inline void sandwich_row(const T* a1, const T* b, const T* a2, T* c,
                                             index count, T alpha, T beta,
                                             [[maybe_unused]] line_fetcher* next, At at) {
  const auto fetch = [&]() __attribute__((always_inline)) {
    if constexpr (Fetches) {
      if (next != nullptr) next->fetch();
    }
  };
  for (index i = 0; i < count; ++i) {
    fetch();
    const sandwich_operands<T> s{a1,    b,      a2,     c,     S.a1_q, S.a1_k, S.b_k,
                                 S.b_n, S.a2_m, S.a2_q, S.c_m, S.c_n,  alpha,  beta};
    const auto here = [&](int q, int n, vec<T, W> y) __attribute__((always_inline)) {
      return at(q, i * N + n, y);
    };
    if constexpr (Halves == reflection::none)
      sandwich<T, W, Q, K, M, N, Finish>(s, here);
    else
      even_odd_sandwich<T, W, Q, K, M, N, Halves, Finish>(s, here, fetch);
    b += N * S.b_n;
    c += N * S.c_n;
  }
}

/// Between how many parts of a tile of a sandwich lines are fetched. The more evenly, the fewer are
/// lost: beside 4 multiply-adds for each line they come at 29 GB/s one at a time, at 26 in fours,
/// 20 in sixteens and 15 in 64s (Zen 4, which reads 31). Between the stores of a tile, too, cost 10
/// to 20 % (BK1 and BK3 of p = 4 to 7 from memory).
constexpr index pieces_of_sandwich(index q, index k, bool in_halves) {
  return in_halves ? k / 2 + q / 2 - 1 : 1;
}

/// The same for products in halves: `Pairs` pairs of rows from pair `First` on.
template <class T, int W, int First, int Pairs, int N, int M, int K, tile_strides S,
          reflection Halves, epilogue Finish, bool Fetches>
TENFOLD_ROW_IN_LINE inline void even_odd_row(const T* a, const T* b, T* c, index count, T alpha,
                                             T beta, [[maybe_unused]] line_fetcher* next) {
  constexpr bool middle = First + Pairs == M / 2 && M % 2 != 0;
  const auto run = [&](auto fetch) __attribute__((always_inline)) {
    for (index i = 0; i < count; ++i) {
      fetch();
      even_odd_tile<T, W, Pairs, middle, N, K, Halves, Finish>(
          tile_operands<T>{a, b, c, S.a_m, S.a_k, S.a_n, S.b_k, S.b_n, S.c_m, S.c_n, alpha, beta},
          First, {S.a_m, S.a_k, M, K}, fetch);
      b += N * S.b_n;
      c += N * S.c_n;
    }
  };
  if (Fetches && next != nullptr) {
    run([&]() __attribute__((always_inline)) { next->fetch(); });
  } else {
    run([] {});
  }
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu

#undef TENFOLD_ROW_IN_LINE
