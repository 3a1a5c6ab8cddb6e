#pragma once

#include <tenfold/backend/cpu/gemm_static_tiles.hpp>

/// Products by lanes, which are problems, of a shape that the compiler knows.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// What shapes the code of a shape by lanes.
template <class T>
constexpr static_tiles lanes_tiles(const gemm_shape& s, const gemm_tuning& tuned) {
  const int vectors = select::vectors_of_problems(s, lanes<T>), width = vectors * lanes<T>;
  const index bytes = width * static_cast<index>(sizeof(T));
  const bool uniform_a = select::is_uniform(s.a, s.type);
  const select::tile_shape tile =
      select::lanes_tile(s.m, s.n, registers, s.type, uniform_a, vectors, tuned);
  static_tiles tiles{
      width, tile,
      select::fetch_ahead(uniform_a ? 0 : s.m * s.k * bytes, s.k * s.n * bytes, s.m * s.n * bytes,
                          tile_count(s.m, s.n, tile) * s.k, tuned),
      tuned.unroll};
  tiles.near = select::panels_by_lanes(s.m, s.n, s.k, tile.n, bytes, false, tuned);
  tiles.far = select::panels_by_lanes(s.m, s.n, s.k, tile.n, bytes, true, tuned);
  return tiles;
}

/// The register tiles of M x N entries, calling f<m, n>(row, column): `across` tiles of columns for
/// all rows before the next so many, and before those begin(column, their columns).
template <int M, int N, select::tile_shape Tile, class Begin, class F>
[[gnu::always_inline]] inline void for_each_tile_of_panels(index across, const Begin& begin,
                                                           const F& f) {
  static constexpr select::chunks rows(M, Tile.m), columns(N, Tile.n);
  const auto row_of_tiles = [&]<int Rows>(index row, index first, index end)
      __attribute__((always_inline)) {
    index c = first;
    for (; c < end && c < columns.long_count; ++c)
      f.template operator()<Rows, columns.longer>(row, columns.start(c));
    if constexpr (columns.short_count > 0) {
      for (; c < end; ++c) f.template operator()<Rows, columns.longer - 1>(row, columns.start(c));
    }
  };
  constexpr index all = columns.count();
  for (index first = 0; first < all; first += across) {
    const index end = first + across < all ? first + across : all;
    begin(columns.start(first), columns.start(end) - columns.start(first));
    for (index r = 0; r < rows.long_count; ++r)
      row_of_tiles.template operator()<rows.longer>(rows.start(r), first, end);
    if constexpr (rows.short_count > 0) {
      for (index r = rows.long_count; r < rows.count(); ++r)
        row_of_tiles.template operator()<rows.longer - 1>(rows.start(r), first, end);
    }
  }
}

/// Takes the strides by lanes that are constants; those that are `dyn` stay.
template <class T, tile_strides S>
[[gnu::always_inline]] inline void take_strides(tile_operands<T>& t) {
  if constexpr (S.a_m != dyn) t.a_m = S.a_m;
  if constexpr (S.a_k != dyn) t.a_k = S.a_k;
  if constexpr (S.b_k != dyn) t.b_k = S.b_k;
  if constexpr (S.b_n != dyn) t.b_n = S.b_n;
  if constexpr (S.c_m != dyn) t.c_m = S.c_m;
  if constexpr (S.c_n != dyn) t.c_n = S.c_n;
}

/// A products_function by lanes; strides of `S` that are `dyn` are those of t.
///
/// Each tile is told the constants anew: g++ forgets them on the way, and then works out every
/// address of C (from memory, order 24, Zen 5: 0.8 of the rate).
template <class T, int M, int N, int K, tile_strides S, static_tiles Tiles, lane_access A,
          bool ConjugateA, epilogue Finish>
[[gnu::noinline]] void products_by_lanes(const tile_walk&, const tile_operands<T>& from,
                                         index tiles, const problem_steps& step) {
  constexpr tile_modes how{.a = A,
                           .b = problem_lanes<T>,
                           .c = problem_lanes<T>,
                           .conjugate_a = ConjugateA,
                           .ahead = Tiles.ahead.to,
                           .lines = Tiles.ahead.lines,
                           .streams = true,
                           .unroll = Tiles.unroll,
                           .pairs = select::pairs_steps(registers)};
  static constexpr index steps = tile_count(M, N, Tiles.tile) * K;
  constexpr index v = Tiles.width;
  tile_operands<T> t = from;
  t.sum_only = is_sum_only(t);
  take_strides<T, S>(t);

  // Copied are columns whose entries in a row are neighbours: others lie end to end as they are.
  static constexpr select::lanes_panels near = Tiles.near, far = Tiles.far;
  static constexpr bool may_pack = S.b_n == v && far.packs;
  static constexpr index widest = far.across * select::chunks(N, Tiles.tile.n).longer;
  const select::lanes_panels panels = near == far || !step.from_memory ? near : far;
  const bool packs = may_pack && panels.packs;
  alignas(64) std::byte memory[may_pack ? K * widest * v * sizeof(T) : 1];
  T* const panel = reinterpret_cast<T*>(memory);

  fetch_cursor next =
      fetch_from(t, step, fetch_rates::of<T>(M * K * v, K * N * v, M * N * v, steps));
  const index along_a = step.a, along_b = step.b, along_c = step.c;
  if (tiles <= 0) return;
  // A count would be one register too many: g++ keeps it in a vector register, which costs more
  // than a product of order 1 (0.45 of the rate).
  T* const end = t.c + tiles * along_c;
  do {
    const T* b = t.b;
    index b_begins = 0;
    const auto pack = [&](index column, index count) __attribute__((always_inline)) {
      if constexpr (may_pack) {
        if (!packs) return;
        copy_rows(t.b + column * v, S.b_k, panel, widest * v, K, count * v);
        b = panel;
        b_begins = column;
      }
    };
    for_each_tile_of_panels<M, N, Tiles.tile>(
        panels.across,
        pack, [&]<int m, int n>(index row, index column) __attribute__((always_inline)) {
          tile_operands<T> u = t;
          take_strides<T, S>(u);
          if constexpr (may_pack) {
            if (packs) u.b_k = widest * v;
          }
          u.a += row * u.a_m;
          u.b = b + (column - b_begins) * u.b_n;
          u.c += row * u.c_m + column * u.c_n;
          u.next = next;
          register_tile<T, Tiles.width, m, n, static_k(K), how, Finish>(u, K);
          next.advance(K);
        });
    t.a += along_a;
    t.b += along_b;
    t.c += along_c;
    if (next.fetches) go_on<T>(next, step, steps);
  } while (t.c != end);
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
