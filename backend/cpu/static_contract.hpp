#pragma once

#include <tenfold/backend/cpu/static_steps.hpp>
#include <tenfold/backend/cpu/step_pointers.hpp>
#include <tenfold/backend/cpu/tile_rows.hpp>
#include <tenfold/backend/cpu/unrolled.hpp>

/// A contraction of a program P::value that is a constant: step S in register tiles, rows of them,
/// or halves.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Whether the rows of B or C in the unrolled step S lie in scratch and may be read or written as
/// whole vectors: none begins where the last vector of another ends.
template <class P, int S>
constexpr bool has_padded_rows(const operand_ref& x, index step_loop::*along) {
  const program_step& step = P::value.steps[S];
  using T = entry_type<P::value.type>;
  if (x.where != buffer::scratch) return false;
  const index w = unrolled_width<T>(lanes_of_unrolled<T>(step), step.n.extent, step.k.extent),
              row = (step.n.extent + w - 1) / w * w;
  const auto is_apart = [&](const step_loop& l) {
    return l.extent == 1 || l.*along == 0 || l.*along >= row || l.*along <= -row;
  };
  bool all = is_apart(step.m) && is_apart(step.k);
  for (int i = 0; i < step.outer_count + step.k_outer_count; ++i)
    all = all && is_apart(P::value.loops[static_cast<std::size_t>(step.first_loop + i)]);
  return all;
}

/// `count` register tiles of M x N of step S, one beside another along n; `p`: where the first
/// lies.
template <class P, int S, int M, int N, epilogue Finish, class T>
[[gnu::always_inline]] inline void contract_tiles(step_pointers<T> p, index count, T alpha, T beta,
                                                  [[maybe_unused]] line_fetcher* next) {
  static constexpr const program_step& step = P::value.steps[S];
  constexpr int width = width_of<P, S>(), k = static_cast<int>(step.k.extent);
  constexpr tile_modes how{step.a.how, lane_access::lanes, step.a_varies,
                           step.b.where != buffer::none};
  if constexpr (has_tile_rows<P>(step) &&
                (width > 1 || M * N * step.k.extent <= select::unrolled_scalars)) {
    constexpr tile_strides strides{step.m.a, step.k.a, step.n.a, step.k.b,
                                   step.n.b, step.m.c, step.n.c};
    if constexpr (select::is_in_line(M * step.n.extent * k))
      tile_row<T, width, M, N, k, strides, how, Finish, fetches<P, S>()>(p.a, p.b, p.c, count,
                                                                         alpha, beta, next);
    else
      call_tile_row<T, width, M, N, k, strides, how, Finish, fetches<P, S>()>(p.a, p.b, p.c, count,
                                                                              alpha, beta, next);
  } else {
    for (index i = 0; i < count; ++i) {
      const tile_operands<T> t = operands_of(step, p, alpha, beta);
      if constexpr (step.k_outer_count > 0)
        register_tile<T, width, M, N, dynamic_k, how, Finish>(
            t, P::value.loops.data() + step.first_loop + step.outer_count, step.k_outer_count,
            step.k.extent);
      else if constexpr (P::value.unrolled)
        register_tile<T, width, M, N, k, how, Finish>(t);
      else
        register_tile<T, width, M, N, dynamic_k, how, Finish>(t, step.k.extent);
      p.a += N * step.n.a;
      p.b += N * step.n.b;
      p.c += N * step.n.c;
    }
  }
}

template <class P, int S, epilogue Finish, class T>
[[gnu::always_inline]] inline void contract(step_pointers<T> p, T alpha, T beta,
                                            [[maybe_unused]] line_fetcher* next) {
  static constexpr const program_step& step = P::value.steps[S];
  if constexpr (P::value.unrolled && lanes_of_unrolled<T>(step) != unrolled_lanes::none) {
    constexpr unrolled_padding padded{has_padded_rows<P, S>(step.b, &step_loop::b),
                                      has_padded_rows<P, S>(step.c, &step_loop::c)};
    run_unrolled<T, static_cast<int>(step.m.extent), static_cast<int>(step.n.extent),
                 static_cast<int>(step.k.extent), lanes_of_unrolled<T>(step), padded, Finish>(
        operands_of(step, p, alpha, beta));
  } else {
    static constexpr select::tile_shape shape = tile_of<P>(step);
    static constexpr select::chunks rows(step.m.extent, shape.m), columns(step.n.extent, shape.n);
    const auto rows_of = [&]<int M>(index count) __attribute__((always_inline)) {
      for (index i = 0; i < count; ++i) {
        for_each_row_of_tiles<columns>([&]<int N>(index first,
                                                  index wide) __attribute__((always_inline)) {
          contract_tiles<P, S, M, N, Finish>(
              step_pointers<T>{p.a + first * step.n.a, p.b + first * step.n.b,
                               p.c + first * step.n.c},
              wide, alpha, beta, next);
        });
        p.a += M * step.m.a;
        p.c += M * step.m.c;
      }
    };
    rows_of.template operator()<rows.longer>(rows.long_count);
    if constexpr (rows.short_count > 0)
      rows_of.template operator()<rows.longer - 1>(rows.short_count);
  }
}

/// As contract, a chunk of pairs of rows after the other.
template <class P, int S, epilogue Finish, int First = 0, class T>
[[gnu::always_inline]] inline void contract_halves(const step_pointers<T>& p, T alpha, T beta,
                                                   line_fetcher* next) {
  static constexpr const program_step& step = P::value.steps[S];
  constexpr int m = static_cast<int>(step.m.extent), k = static_cast<int>(step.k.extent);
  constexpr select::chunks pairs(m / 2, select::most_pairs);
  constexpr int chunk = First < pairs.long_count * pairs.longer ? pairs.longer : pairs.longer - 1;
  constexpr select::chunks columns(step.n.extent,
                                   select::even_odd_columns(m, most_registers<P>, compiled_model));
  for_each_row_of_tiles<columns>([&]<int N>(index first,
                                            index count) __attribute__((always_inline)) {
    constexpr tile_strides strides{step.m.a, step.k.a, 0, step.k.b, step.n.b, step.m.c, step.n.c};
    even_odd_row<T, width_of<P, S>(), First, chunk, N, m, k, strides, step.halves, Finish,
                 fetches<P, S>()>(p.a, p.b + first * step.n.b, p.c + first * step.n.c, count, alpha,
                                  beta, next);
  });
  if constexpr (First + chunk < m / 2)
    contract_halves<P, S, Finish, First + chunk>(p, alpha, beta, next);
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
