#pragma once

#include <array>
#include <tenfold/backend/cpu/gemm_rows.hpp>
#include <tenfold/backend/cpu/gemm_static_tiles.hpp>
#include <tenfold/backend/cpu/kept_columns.hpp>

/// Products by columns, one after the other, of a shape that the compiler knows.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// What shapes the code of a shape by columns.
template <class T>
constexpr static_tiles columns_tiles(const gemm_shape& s, const gemm_tuning& tuned) {
  const select::columns_code code =
      select::code_by_columns(s, lanes<T>, registers, compiled_model, tuned);
  constexpr auto bytes = static_cast<index>(sizeof(T));
  const auto fetched = [&](index parts) {
    return select::fetch_ahead(s.m * s.k * bytes, s.k * s.n * bytes, s.m * s.n * bytes, parts,
                               tuned);
  };
  const index vectors = (s.n + code.lanes - 1) / code.lanes;
  const index steps = code.way == select::columns_way::transposed
                          ? tile_count(s.m, code.kept.of, code.whole)
                          : tile_count(s.m, vectors, code.tile);
  static_tiles tiles{code.lanes, code.tile, fetched(steps * s.k), tuned.unroll, code};
  const select::tile_shape passing{select::kept_rows, code.kept.vectors};
  if (code.way == select::columns_way::kept)
    tiles.kept_lines = fetched(tile_count(s.m, code.kept.of, passing)).lines;
  return tiles;
}

/// The register tiles of M x N entries, N in vectors, calling f<m, n, last>(row, column).
///
/// `last`: the vector at the end of these columns is the last of all.
template <int M, int N, select::tile_shape Tile, class F>
[[gnu::always_inline]] inline void for_each_tile(const F& f) {
  static constexpr select::chunks rows(M, Tile.m), columns(N, Tile.n);
  const auto down = [&]<int Width, bool Last>(index column) __attribute__((always_inline)) {
    for (index r = 0; r < rows.long_count; ++r)
      f.template operator()<rows.longer, Width, Last>(r * rows.longer, column);
    if constexpr (rows.short_count > 0) {
      for (index r = 0; r < rows.short_count; ++r)
        f.template operator()<rows.longer - 1, Width, Last>(
            rows.long_count * rows.longer + r * (rows.longer - 1), column);
    }
  };
  static constexpr bool ends_short = columns.short_count > 0;
  constexpr index full = columns.long_count - (ends_short ? 0 : 1);
  for (index c = 0; c < full; ++c)
    down.template operator()<columns.longer, false>(c * columns.longer);
  if constexpr (ends_short) {
    constexpr index first = columns.long_count * columns.longer, width = columns.longer - 1;
    for (index c = 0; c < columns.short_count - 1; ++c)
      down.template operator()<width, false>(first + c * width);
    down.template operator()<width, true>(N - width);
  } else {
    down.template operator()<columns.longer, true>(N - columns.longer);
  }
}

/// Calls f<W, m, n, How>(their operands) for each register tile by columns of the problems at t, of
/// m rows and n vectors of W; a problem has so many `Columns`. Meanwhile a tile fetches `parts`
/// times.
template <class T, int M, int Columns, static_tiles Tiles, select::tile_shape Tile, bool ConjugateA,
          std::size_t Problems, class F>
[[gnu::always_inline]] inline void for_each_columns_tile(side_by_side<T, Problems>& t, index parts,
                                                         const F& f) {
  constexpr int v = Tiles.width;
  for_each_tile<M, (Columns + v - 1) / v, Tile>([&]<int m, int n, bool last>(
      index row, index column) __attribute__((always_inline)) {
    side_by_side<T, Problems> u = t;
    unrolled<Problems>([&](auto p) __attribute__((always_inline)) {
      u[p].a += row * t[p].a_m;
      u[p].b += column * v;
      u[p].c += row * t[p].c_m + column * v;
    });
    constexpr int narrow = last && Columns % v != 0 ? Tiles.columns.last : 0;
    constexpr tile_modes how{.tail = last ? Columns % (narrow != 0 ? narrow : v) : 0,
                             .conjugate_a = ConjugateA,
                             .ahead = Tiles.ahead.to,
                             .lines = Tiles.ahead.lines,
                             .streams = Tiles.lines,
                             .unroll = Tiles.unroll,
                             .last = n > 1 ? narrow : 0,
                             .pairs = select::pairs_steps(registers)};
    f.template operator()<(n == 1 && narrow != 0 ? narrow : v), m, n, how>(u);
    unrolled<Problems>([&](auto p) __attribute__((always_inline)) { t[p].next.advance(parts); });
  });
}

/// The operands with the strides that are constants.
template <class T, tile_strides S, int V>
[[gnu::always_inline]] inline tile_operands<T> with_strides(tile_operands<T> t) {
  t.a_m = S.a_m;
  t.a_k = S.a_k;
  t.b_k = S.b_k;
  t.c_m = S.c_m;
  t.b_n = t.c_n = V;
  t.sum_only = is_sum_only(t);
  return t;
}

/// Calls f(their operands) for all problems, `Together` at a time and the last ones alone; each
/// fetches `parts` times.
///
/// `Copies`: of the steps, because a compiler that sees vectors stored loads them anew for each
/// problem, and loads are what small ones wait for (order 6, double precision, in L2, Zen 5: 65
/// GFLOP/s instead of 59, order 10 79 instead of 74). With more work g++ keeps them in vector
/// registers (single precision, order 14, a row of which is one vector: 165 instead of 179).
template <std::size_t Together, bool Copies, class T, class F>
[[gnu::always_inline]] inline void for_each_problem(const tile_operands<T>& from, index problems,
                                                    const problem_steps& step,
                                                    const fetch_rates& rates, index parts,
                                                    const F& f) {
  const problem_steps copied = step;
  const problem_steps& along = Copies ? copied : step;
  const bool listed = step.at != nullptr;
  const auto move = [&](tile_operands<T> & t, index by, index parts_done)
      __attribute__((always_inline)) {
    t.a += by * along.a;
    t.b += by * along.b;
    t.c += by * along.c;
    if (!Copies || t.next.fetches) go_on<T>(t.next, along, parts_done, by);
  };
  side_by_side<T, 1> alone{from};
  tile_operands<T>& t = alone[0];
  t.next = fetch_from(t, step, rates);
  index p = 0;
  if constexpr (Together > 1) {
    constexpr auto count = static_cast<index>(Together);
    for (; p + count <= problems; p += count) {
      side_by_side<T, Together> now;
      unrolled<Together>([&](auto i) __attribute__((always_inline)) {
        constexpr auto by = static_cast<index>(decltype(i)::value);
        now[i] = t;
        if (listed)
          take(now[i], now[i].next, step, p + by);
        else
          move(now[i], by, 0);
      });
      f(now);
      move(t, count, 0);
    }
  }
  for (; p < problems; ++p) {
    if (listed) take(t, t.next, step, p);
    f(alone);
    move(t, 1, parts);
  }
}

/// A products_function by columns.
template <class T, int M, int N, int K, tile_strides S, static_tiles Tiles, bool ConjugateA,
          epilogue Finish>
[[gnu::noinline]] void products_by_columns(const tile_walk&, const tile_operands<T>& from,
                                           index problems, const problem_steps& step) {
  constexpr int v = Tiles.width;
  static constexpr index parts = tile_count(M, (N + v - 1) / v, Tiles.tile) * K;
  constexpr bool copies = M * ((N + v - 1) / v) * K <= select::unrolled_products;
  for_each_problem<1, copies>(
      with_strides<T, S, v>(from), problems, step, fetch_rates::of<T>(M * K, K * N, M * N, parts),
      parts, [&](side_by_side<T, 1> & t) __attribute__((always_inline)) {
        for_each_columns_tile<T, M, N, Tiles, Tiles.tile, ConjugateA>(
            t, K,
            [&]<int W, int m, int n, tile_modes How>(const side_by_side<T, 1>& u) __attribute__((
                always_inline)) { register_tile<T, W, m, n, static_k(K), How, Finish>(u[0], K); });
      });
}

/// A products_function by columns where B stays in registers while the rows of A pass, or the last
/// columns are transposed, or both (select::keep_columns).
///
/// Not where C is read: what is left of a row is loaded and stored in part, and such a load behind
/// such a store of the row before waits for it (25 x 5 x 4, beta = 1, Zen 4: 0.19 of the rate).
template <class T, int M, int N, int K, tile_strides S, static_tiles Tiles, epilogue Finish>
[[gnu::noinline]] void products_of_kept_columns(const tile_walk& walk, const tile_operands<T>& from,
                                                index problems, const problem_steps& step) {
  constexpr int transposed = Tiles.columns.kept.transposed;
  if ((Finish == epilogue::update && !is_sum_only(from)) ||
      (transposed > 0 && problems < select::packed_problems))
    return products_by_columns<T, M, N, K, S, Tiles, false, Finish>(walk, from, problems, step);

  constexpr int v = Tiles.width, columns = N - transposed;
  static constexpr bool keeps = Tiles.columns.way == select::columns_way::kept;
  static constexpr select::tile_shape tile =
      keeps ? select::tile_shape{M, Tiles.columns.kept.vectors} : Tiles.columns.whole;
  constexpr int passes = keeps ? (M + select::kept_rows - 1) / select::kept_rows : K;
  static constexpr index parts = tile_count(M, Tiles.columns.kept.of, tile) * passes;
  const index c_ahead = Tiles.columns.fetches_c && !step.from_memory
                            ? select::c_ahead / static_cast<index>(sizeof(T))
                            : 0;
  const auto each_problem = [&](const auto& last_columns) __attribute__((always_inline)) {
    constexpr bool copies = Tiles.columns.kept.of > 1 || M * K <= select::unrolled_products;
    for_each_problem<Tiles.columns.kept.problems, copies>(
        with_strides<T, S, v>(from), problems, step, fetch_rates::of<T>(M * K, K * N, M * N, parts),
        parts,
        [&]<std::size_t Problems>(side_by_side<T, Problems> & t) __attribute__((always_inline)) {
          for_each_columns_tile<T, M, columns, Tiles, tile, false>(
              t, passes,
              [&]<int W, int m, int n, tile_modes How>(const side_by_side<T, Problems>& u)
                  __attribute__((always_inline)) {
                    if constexpr (keeps)
                      rows_of_kept_columns<T, W, m, n, K, How, Tiles.kept_lines>(u, c_ahead);
                    else
                      register_tile<T, W, m, n, K, How, Finish>(u[0]);
                  });
          unrolled<Problems>([&](auto p) __attribute__((always_inline)) { last_columns(t[p]); });
        });
  };
  if constexpr (transposed > 0) {
    const T* const a = step.at != nullptr ? static_cast<const T*>(step.at->a) : from.a;
    const row_panels<T, v, M, K> panels(a, S.a_m, S.a_k);
    each_problem([&](tile_operands<T> t) __attribute__((always_inline)) {
      t.b += columns;
      t.c += columns;
      columns_transposed<T, v, M, transposed, K>(panels, t);
    });
  } else {
    each_problem([](const tile_operands<T>&) {});
  }
}

/// A products_function by columns where the rows of C are taken for one (select::flattens_rows).
template <class T, int M, int N, int K, tile_strides S, static_tiles Tiles, epilogue Finish>
[[gnu::noinline]] void products_of_flat_rows(const tile_walk& walk, const tile_operands<T>& from,
                                             index problems, const problem_steps& step) {
  if ((Finish == epilogue::update && !is_sum_only(from)) || problems < select::flat_problems)
    return products_by_columns<T, M, N, K, S, Tiles, false, Finish>(walk, from, problems, step);

  const T* const a = step.at != nullptr ? static_cast<const T*>(step.at->a) : from.a;
  const flat_rows<T, lanes<T>, M, N, K> rows(a, S.a_m, S.a_k);
  const tile_operands<T> first = with_strides<T, S, lanes<T>>(from);
  const auto problem = [&](index p) __attribute__((always_inline)) {
    tile_operands<T> t = first;
    if (step.at != nullptr) {
      t.b = static_cast<const T*>(step.at[p].b);
      t.c = static_cast<T*>(step.at[p].c);
    } else {
      t.b += p * step.b;
      t.c += p * step.c;
    }
    return t;
  };
  const index ahead =
      step.at == nullptr && (Tiles.columns.fetches_c || step.next_c != 0) ? step.c : 0;
  index p = 0;
  // Two problems share what is loaded of A.
  if constexpr (!flat_in_registers(decltype(rows)::vectors, K)) {
    for (; p + 2 <= problems; p += 2)
      flat_products(rows, std::array{problem(p), problem(p + 1)}, 2 * ahead);
  }
  for (; p < problems; ++p) flat_products(rows, std::array{problem(p)}, ahead);
}

/// The products_function by columns of these tiles.
template <class T, int M, int N, int K, tile_strides S, static_tiles Tiles, bool ConjugateA,
          epilogue Finish>
constexpr products_function<T> products_of_columns() {
  using enum select::columns_way;
  constexpr select::columns_way way = Tiles.columns.way;
  if constexpr (way == rows)
    return products_by_rows<T, N, S.b_k, Finish>;
  else if constexpr (way == flattened)
    return products_of_flat_rows<T, M, N, K, S, Tiles, Finish>;
  else if constexpr (way == kept || way == transposed)
    return products_of_kept_columns<T, M, N, K, S, Tiles, Finish>;
  else
    return products_by_columns<T, M, N, K, S, Tiles, ConjugateA, Finish>;
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
