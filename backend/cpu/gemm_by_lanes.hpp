#pragma once

#include <cstdint>
#include <tenfold/backend/cpu/batch_tile.hpp>
#include <tenfold/backend/cpu/gemm_steps.hpp>
#include <tenfold/backend/cpu/scratch.hpp>

/// The walk over a batch whose lanes are problems: in place where they lie so, else by way of
/// scratch.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Whether V problems from b on lie in memory as lanes. Those of an interleaved batch beyond its
/// last problem are padding, which may be read and written.
template <class T>
[[gnu::always_inline]] inline bool lies_in_lanes(const matrix_batch& x, const batch_place& p,
                                                 index b, int count) {
  constexpr index v = lanes<T>;
  if (x.layout == batch_layout::interleaved)
    return x.block % v == 0 || (count == v && b % x.block + v <= x.block);
  return steps_over_lanes<T>(x) && p.problem == 1 && count == v;
}

/// An operand of a tile of V problems: its first lanes and how to go on, in entries of T, and in
/// reals from real to imaginary parts.
template <class T>
struct lane_operand {
  T* data;
  index row, column, im;
};

template <class T>
[[gnu::always_inline]] inline lane_operand<T> lanes_in_place(const matrix_batch& x,
                                                             const batch_place& p, index b) {
  return {problem_address<T>(x, p, b), x.row * x.block, x.column * x.block, x.block};
}
template <class T>
[[gnu::always_inline]] inline lane_operand<T> lanes_in_scratch(const matrix_batch& x, T* scratch,
                                                               index rows, index columns) {
  constexpr index v = lanes<T>;
  const tile_order order = order_in_tile(x, rows, columns);
  return {scratch, order.row * v, order.column * v, v};
}

/// Tiles [begin, end) of as many problems as the kernel has lanes: V, or 2 V that are interleaved
/// throughout.
template <class T>
void gemm_by_lanes(const gemm_shape& s, const gemm_kernel<T>& kernel, const gemm_arguments<T>& g,
                   residence from, index begin, index end) {
  constexpr index v = lanes<T>;
  const bool adds = s.c.layout == batch_layout::gathered;
  tile_operands<T> t;
  t.alpha = g.alpha;
  t.beta = adds ? T(0) : g.beta;
  t.conjugate_sum = s.b.conjugated;
  const auto take_a = [&](const lane_operand<T>& x) {
    t.a = x.data;
    t.a_m = x.row;
    t.a_k = x.column;
    t.a_im = x.im;
  };
  const auto take_b = [&](const lane_operand<T>& x) {
    t.b = x.data;
    t.b_k = x.row;
    t.b_n = x.column;
    t.b_im = x.im;
  };
  const auto take_c = [&](const lane_operand<T>& x) {
    t.c = x.data;
    t.c_m = x.row;
    t.c_n = x.column;
    t.c_im = x.im;
  };
  const bool uniform = select::is_uniform(s.a, s.type);
  if (uniform) take_a(lanes_in_place<T>(s.a, g.a, 0));

  // Everything interleaved in equal blocks of whole vectors: every block_tiles-th tile is a step
  // on.
  const index block = s.c.block, width = kernel.lanes, block_tiles = block / width;
  if (select::are_in_blocks(s, width)) {
    problem_steps step = steps_through(s, kernel, g, from, block);
    constexpr auto size = static_cast<index>(sizeof(T));
    t.past_caches =
        from == residence::memory && t.beta == T(0) &&
        select::streams_lanes(s.m * s.n * width * size, kernel.lanes, s.type, *kernel.tuned) &&
        reinterpret_cast<std::uintptr_t>(g.c.data) % static_cast<std::uintptr_t>(width * size) == 0;
    if (t.past_caches) step.next_c = 0;
    // What a tile fetches of the next block lies end to end with what its neighbours fetch.
    const auto further = [&](index next, index part, index entries) {
      return next == 0 ? 0 : next + part * (entries - 1) * width;
    };
    const index piece =
        block_tiles == 1
            ? end - begin
            : block_tiles * select::blocks_at_once(operand_bytes::of<T>(s).each * block);
    for (index from_tile = begin; from_tile < end; from_tile += piece) {
      const index to_tile = end - from_tile < piece ? end : from_tile + piece;
      for (index first = from_tile; first < to_tile && first < from_tile + block_tiles; ++first) {
        if (!uniform) take_a(lanes_in_place<T>(s.a, g.a, first * width));
        take_b(lanes_in_place<T>(s.b, g.b, first * width));
        take_c(lanes_in_place<T>(s.c, g.c, first * width));
        problem_steps through = step;
        if (const index part = first % block_tiles; part > 0) {
          through.next_a = further(step.next_a, part, s.m * s.k);
          through.next_b = further(step.next_b, part, s.k * s.n);
          through.next_c = further(step.next_c, part, s.m * s.n);
        }
        kernel.run(t, (to_tile - first + block_tiles - 1) / block_tiles, through);
      }
    }
    if (t.past_caches) streams_end();
    return;
  }

  // Problems that are neighbours throughout: so are the tiles.
  const auto touches = [](const matrix_batch& x, const batch_place& p) {
    return steps_over_lanes<T>(x) && p.problem == 1;
  };
  const index whole = end * v <= g.count ? end : g.count / v;
  if (begin < whole && (uniform || touches(s.a, g.a)) && touches(s.b, g.b) && touches(s.c, g.c)) {
    if (!uniform) take_a(lanes_in_place<T>(s.a, g.a, begin * v));
    take_b(lanes_in_place<T>(s.b, g.b, begin * v));
    take_c(lanes_in_place<T>(s.c, g.c, begin * v));
    kernel.run(t, whole - begin, {uniform ? 0 : v, v, v});
    begin = whole;
  }

  const select::gemm_scratch size = select::lanes_scratch(s, lanes<T>);
  const scratch_block scratch(static_cast<std::size_t>(size.entries()) * sizeof(T));
  T* const b_scratch = scratch.as<T>();
  T* const c_scratch = b_scratch + size.b;
  T* const a_scratch = c_scratch + size.c;
  for (index tile = begin; tile < end; ++tile) {
    const index p = tile * v, left = g.count - p;
    const int count = static_cast<int>(left < v ? left : v);
    const auto read = [&](const matrix_batch& x, const batch_place& place, T* to, index rows,
                          index columns) __attribute__((always_inline)) {
      if (lies_in_lanes<T>(x, place, p, count)) return lanes_in_place<T>(x, place, p);
      if (!x.shared || tile == begin) read_tile<T>(to, x, place, rows, columns, p, count);
      return lanes_in_scratch<T>(x, to, rows, columns);
    };
    if (!uniform) take_a(read(s.a, g.a, a_scratch, s.m, s.k));
    take_b(read(s.b, g.b, b_scratch, s.k, s.n));
    const bool in_place = lies_in_lanes<T>(s.c, g.c, p, count);
    if (!in_place && t.beta != T(0)) read_tile<T>(c_scratch, s.c, g.c, s.m, s.n, p, count);
    take_c(in_place ? lanes_in_place<T>(s.c, g.c, p)
                    : lanes_in_scratch<T>(s.c, c_scratch, s.m, s.n));
    kernel.run(t, 1, {});
    if (!in_place) write_tile<T>(c_scratch, s.c, g.c, s.m, s.n, p, count);
  }
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
