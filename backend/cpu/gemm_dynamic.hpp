#pragma once

#include <cstddef>
#include <tenfold/backend/cpu/chunk_runs.hpp>
#include <tenfold/backend/cpu/gemm.hpp>
#include <tenfold/backend/cpu/gemm_tiles.hpp>
#include <tenfold/backend/cpu/scratch.hpp>

/// The kernels of shapes that are numbers: the walk over one product, by register tiles from
/// tables. Real and complex numbers are two sources, which compilers take side by side: there is
/// more to compile here than anywhere else.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// How columns of B are met by all rows before the next ones.
template <class T>
struct panel {
  index across = 1;    ///< by lanes: so many tiles of them at a time
  T* data = nullptr;   ///< where they are copied, so that they are neighbours in L1
  index from_row = 0;  ///< entries of B in place from one row to the next
};

/// All register tiles of `count` problems; where the last column is a partial one, it comes from
/// `last_tile`. `ByRows`: all columns of a row of tiles before the next row. The operands are not
/// copied: for problems one by one, that costs as much as a product of order 4.
template <class T, bool ByRows, class Table>
void walk(const tile_walk& how, const tile_operands<T>& t, index count, const problem_steps& step,
          tile_function<T> (*last_tile)(index, index) = Table::tile, panel<T> packed = {}) {
  constexpr index v = Table::width;
  constexpr auto bytes = static_cast<index>(sizeof(T));
  const auto function = [&](index rows, index columns, bool last) {
    return last && t.tail > 0 ? last_tile(rows, columns) : Table::tile(rows, columns);
  };
  // Columns that are no neighbours are tiles of one, whatever the kernel meant.
  const bool apart = ByRows && Table::touches && (t.b_n != v || t.c_n != v);
  const select::chunks across = apart ? select::chunks(how.columns, 1) : how.across;
  fetch_cursor next = fetch_from(t, step, apart ? fetch_rates{} : how.rates);
  tile_steps problems{step.a,         step.b,         step.c,  step.a * bytes,
                      step.b * bytes, step.c * bytes, step.at, step.ahead};
  const T *a_first = t.a, *b_first = t.b;
  T* c_first = t.c;
  const auto go_to_first = [&] {
    a_first = static_cast<const T*>(problems.at->a);
    b_first = static_cast<const T*>(problems.at->b);
    c_first = static_cast<T*>(problems.at->c);
  };
  if (step.at != nullptr) go_to_first();
  if (how.rows.count() == 1 && across.count() == 1 && packed.data == nullptr)
    return function(how.m, how.columns, true)(a_first, b_first, c_first, t, next, how.k, count,
                                              problems);

  const index most = how.group < step.at_once ? how.group : step.at_once,
              group = packed.data != nullptr ? 1 : most;
  for (index i = 0; i < count; i += group) {
    const index now = count - i < group ? count - i : group;
    const fetch_cursor first = next;
    // Tiles in a line: one problem's by one call, or one call for each tile of all problems.
    const auto line = [&](index row, index column, const T* b, tile_function<T> f, index tiles,
                          index along_a, index along_b, index along_c) {
      const T* a = a_first + row * t.a_m;
      T* c = c_first + row * t.c_m + column * t.c_n;
      if (now == 1) {
        const tile_steps along{along_a,
                               along_b,
                               along_c,
                               how.k * next.rate_a,
                               how.k * next.rate_b,
                               how.k * next.rate_c};
        f(a, b, c, t, next, how.k, tiles, along);
        next.advance(how.k * tiles);
        return;
      }
      for (index tile = 0; tile < tiles; ++tile) {
        f(a + tile * along_a, b + tile * along_b, c + tile * along_c, t, next, how.k, now,
          problems);
        next.advance(how.k);
      }
    };
    if constexpr (ByRows) {
      for (index tile = 0; tile < across.count(); tile += packed.across) {
        const index rest = across.count() - tile,
                    end = tile + (rest < packed.across ? rest : packed.across);
        const T* b = b_first;
        index b_begins = 0;
        if (packed.data != nullptr) {
          b = packed.data;
          b_begins = across.start(tile);
          copy_rows(b_first + b_begins * v, packed.from_row, packed.data, t.b_k, how.k,
                    (across.start(end) - b_begins) * v);
        }
        for_each_chunk(how.rows, [&](index row, index height) {
          for_each_run_of_chunks(across, tile, end, [&](index column, index width, index tiles) {
            line(row, column, b + (column - b_begins) * t.b_n, function(height, width, false),
                 tiles, 0, width * t.b_n, width * t.c_n);
          });
        });
      }
    } else {
      for_each_chunk(across, [&](index column, index width) {
        const bool last = column + width == how.columns;
        const T* b = b_first + column * t.b_n;
        if (packed.data != nullptr) {
          copy_rows(b, packed.from_row, packed.data, t.b_k, how.k,
                    last && t.tail > 0 ? (width - 1) * t.b_n + t.tail : width * t.b_n);
          b = packed.data;
        }
        for_each_run_of_chunks(how.rows, [&](index row, index height, index tiles) {
          line(row, column, b, function(height, width, last), tiles, height * t.a_m, 0,
               height * t.c_m);
        });
      });
    }
    next = first;
    if (step.at != nullptr) {
      problems.at += now;
      if (i + now < count) go_to_first();
      if (next.fetches && i + now < count) start_at(next, problems.at[step.ahead]);
      continue;
    }
    a_first += now * step.a;
    b_first += now * step.b;
    c_first += now * step.c;
    go_on<T>(next, step, 0, now);
  }
}

/// By columns, with vectors of W lanes and, at the end of a row, one of `Last` if that is not 0.
template <class T, int W, bool Conjugate, int Last>
void walk_by_columns(const tile_walk& how, const tile_operands<T>& t, index problems,
                     const problem_steps& step) {
  using whole = columns_table<T, W, false, Conjugate>;
  using partial = columns_table<T, W, true, Conjugate, Last>;
  if (!how.packs) return walk<T, false, whole>(how, t, problems, step, partial::tile);
  tile_operands<T> in_panel = t;
  in_panel.b_k = how.across.longer * W;
  const scratch_block block(static_cast<std::size_t>(how.k * in_panel.b_k + lanes<T>) * sizeof(T));
  walk<T, false, whole>(how, in_panel, problems, step, partial::tile, {1, block.as<T>(), t.b_k});
}
template <class T, int W, lane_access A, bool Conjugate>
void walk_by_lanes(const tile_walk& how, const tile_operands<T>& t, index tiles,
                   const problem_steps& step) {
  using table = lanes_table<T, W, A, Conjugate>;
  const select::lanes_panels panels = step.from_memory ? how.far : how.near;
  if (!panels.packs || t.b_n != W)  // else they lie end to end
    return walk<T, true, table>(how, t, tiles, step, table::tile, {panels.across});
  tile_operands<T> in_panel = t;
  in_panel.b_k = panels.across * how.across.longer * W;
  const scratch_block block(static_cast<std::size_t>(how.k * in_panel.b_k) * sizeof(T));
  walk<T, true, table>(how, in_panel, tiles, step, table::tile,
                       {panels.across, block.as<T>(), t.b_k});
}

/// The walk through a shape with register tiles of no more than `most`; tiles of so many problems
/// each.
template <class T>
tile_walk walk_of(const gemm_shape& s, index columns, index problems, select::tile_shape most,
                  const gemm_tuning& tuned) {
  tile_walk how;
  how.m = s.m;
  how.k = s.k;
  how.columns = columns;
  how.across = select::chunks(columns, most.n);
  how.rows = select::chunks(s.m, most.m);
  const index a = s.m * s.k * problems, b = s.k * s.n * problems, c = s.m * s.n * problems;
  const index parts = how.parts(how.across);
  how.rates = fetch_rates::of<T>(a, b, c, parts);
  constexpr auto bytes = static_cast<index>(sizeof(T));
  const select::fetch_choice ahead =
      select::fetch_ahead(a * bytes, b * bytes, c * bytes, parts, tuned);
  if (ahead.to == select::fetch::into_l2 && tuned.repeats > 1) how.rates.lines = ahead.lines;
  how.group = select::problems_at_once((a + b + c) * bytes, tuned);
  return how;
}

/// By columns, with vectors of W lanes or, where a row fits, fewer.
template <class T, int W, bool Conjugate>
gemm_kernel<T> columns_kernel(const gemm_shape& s, const gemm_tuning& tuned) {
  constexpr int half = neighbours_for<T>(W / 2);
  if constexpr (half < W) {
    if (tuned.narrows != 0 && neighbours_for<T>(s.n) <= half)
      return columns_kernel<T, half, Conjugate>(s, tuned);
  }
  const index vectors = (s.n + W - 1) / W;
  tile_walk how =
      walk_of<T>(s, vectors, 1,
                 select::most_columns_tile(vectors, registers, scalar_of<T>, tuned, true), tuned);
  how.width = W;
  how.tail = static_cast<int>(s.n % W);
  how.packs = select::packs_panels(s, strides_by_columns<T>(s).b_k, tuned);
  products_function<T> products = walk_by_columns<T, W, Conjugate, 0>;
  if constexpr (W == neighbours<T> && half < W) {
    if (how.tail > 0 && how.tail <= half && tuned.narrows > 1)
      products = walk_by_columns<T, W, Conjugate, half>;
  }
  return {products, select::gemm_path::by_columns, select::fetch::into_l1, &tuned, 1, how};
}
template <class T, int W, lane_access A, bool Conjugate>
gemm_kernel<T> lanes_kernel(const gemm_shape& s, const gemm_tuning& tuned) {
  const select::tile_shape most = select::most_lanes_tile(
      registers, scalar_of<T>, A == lane_access::uniform, vectors_in<T, W>, tuned);
  tile_walk how = walk_of<T>(s, s.n, W, most, tuned);
  const auto panels_from = [&](bool memory) {
    return select::panels_by_lanes(s.m, s.n, s.k, most.n, W * static_cast<index>(sizeof(T)), memory,
                                   tuned);
  };
  how.near = panels_from(false);
  how.far = panels_from(true);
  return {walk_by_lanes<T, W, A, Conjugate>,
          select::gemm_path::by_lanes,
          select::fetch::into_l2,
          &tuned,
          W,
          how};
}
template <class T, lane_access A, bool Conjugate>
gemm_kernel<T> lanes_kernel(const gemm_shape& s, const gemm_tuning& tuned) {
  if constexpr (!is_complex_type<T> && 2 * lanes<T> * sizeof(T) <= 64) {
    if (select::vectors_of_problems(s, lanes<T>) == 2)
      return lanes_kernel<T, 2 * lanes<T>, A, Conjugate>(s, tuned);
  }
  return lanes_kernel<T, lanes<T>, A, Conjugate>(s, tuned);
}

template <class T, bool Conjugate>
gemm_kernel<T> kernel_of(const gemm_shape& s, select::gemm_path path, const gemm_tuning& tuned) {
  if (path == select::gemm_path::by_columns)
    return columns_kernel<T, neighbours<T>, Conjugate>(s, tuned);
  if (select::is_uniform(s.a, s.type))
    return lanes_kernel<T, lane_access::uniform, Conjugate>(s, tuned);
  return lanes_kernel<T, problem_lanes<T>, Conjugate>(s, tuned);
}

template <class T>
gemm_kernel<T> dynamic_kernel(const gemm_shape& s, select::gemm_path path,
                              const gemm_tuning& tuned) {
  if constexpr (is_complex_type<T>) {
    if (conjugates_a(s)) return kernel_of<T, true>(s, path, tuned);
  }
  return kernel_of<T, false>(s, path, tuned);
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
