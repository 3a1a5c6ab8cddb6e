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

template <class P, int S, epilogue Finish, class T>
[[gnu::always_inline]] inline void contract(const step_pointers<T>& p, T alpha, T beta,
                                            [[maybe_unused]] line_fetcher* next) {
  static constexpr const program_step& step = P::value.steps[S];
  static constexpr int width = width_of<P, S>();
  static constexpr tile_modes how{step.a.how, lane_access::lanes, step.a_varies,
                                  step.b.where != buffer::none};
  static constexpr select::tile_shape shape = tile_of<P>(step);
  static constexpr select::chunks rows(step.m.extent, shape.m), columns(step.n.extent, shape.n);

  tile_operands<T> t = operands_of(step, p, alpha, beta);
  if constexpr (P::value.unrolled && lanes_of_unrolled<T>(step) != unrolled_lanes::none) {
    constexpr unrolled_padding padded{has_padded_rows<P, S>(step.b, &step_loop::b),
                                      has_padded_rows<P, S>(step.c, &step_loop::c)};
    run_unrolled<T, static_cast<int>(step.m.extent), static_cast<int>(step.n.extent),
                 static_cast<int>(step.k.extent), lanes_of_unrolled<T>(step), padded, Finish>(t);
    return;
  }
  // One tile after the other along n.
  const auto one_by_one = [&]<int N>(tile_operands<T> u, index count, const auto& tile)
      __attribute__((always_inline)) {
    for (index i = 0; i < count; ++i) {
      tile(u);
      u.a += N * step.n.a;
      u.b += N * step.n.b;
      u.c += N * step.n.c;
    }
  };
  const auto tiles = [&]<int M, int N>(tile_operands<T> u, index count)
      __attribute__((always_inline)) {
    if constexpr (step.k_outer_count > 0) {
      constexpr const step_loop* outer = P::value.loops.data() + step.first_loop + step.outer_count;
      one_by_one.template operator()<N>(
          u, count, [&](const tile_operands<T>& one) __attribute__((always_inline)) {
            register_tile<T, width, M, N, dynamic_k, how, Finish>(one, outer, step.k_outer_count,
                                                                  step.k.extent);
          });
    } else if constexpr (P::value.unrolled) {
      constexpr int k = static_cast<int>(step.k.extent);
      one_by_one.template operator()<N>(
          u, count, [&](const tile_operands<T>& one) __attribute__((always_inline)) {
            register_tile<T, width, M, N, k, how, Finish>(one);
          });
    } else if constexpr (step.k.extent <= select::static_sum &&
                         (width > 1 || M * N * step.k.extent <= select::unrolled_scalars)) {
      constexpr tile_strides strides{step.m.a, step.k.a, step.n.a, step.k.b,
                                     step.n.b, step.m.c, step.n.c};
      constexpr int k = static_cast<int>(step.k.extent);
      if constexpr (select::is_in_line(M * step.n.extent * k))
        tile_row<T, width, M, N, k, strides, how, Finish, fetches<P, S>()>(u.a, u.b, u.c, count,
                                                                           alpha, beta, next);
      else
        call_tile_row<T, width, M, N, k, strides, how, Finish, fetches<P, S>()>(
            u.a, u.b, u.c, count, alpha, beta, next);
    } else {
      one_by_one.template operator()<N>(
          u, count, [&](const tile_operands<T>& one) __attribute__((always_inline)) {
            register_tile<T, width, M, N, dynamic_k, how, Finish>(one, step.k.extent);
          });
    }
  };
  const auto row = [&]<int M>(const tile_operands<T>& u) __attribute__((always_inline)) {
    const auto tiles_from = [&]<int N>(index first, index count) __attribute__((always_inline)) {
      tile_operands<T> v = u;
      v.a += first * step.n.a;
      v.b += first * step.n.b;
      v.c += first * step.n.c;
      tiles.template operator()<M, N>(v, count);
    };
    for_each_row_of_tiles<columns>(tiles_from);
  };
  for (index i = 0; i < rows.long_count; ++i) {
    row.template operator()<rows.longer>(t);
    t.a += rows.longer * step.m.a;
    t.c += rows.longer * step.m.c;
  }
  if constexpr (rows.short_count > 0) {
    for (index i = 0; i < rows.short_count; ++i) {
      row.template operator()<rows.longer - 1>(t);
      t.a += (rows.longer - 1) * step.m.a;
      t.c += (rows.longer - 1) * step.m.c;
    }
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
