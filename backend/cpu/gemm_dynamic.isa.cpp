#include <array>
#include <complex>
#include <cstddef>
#include <tenfold/backend/cpu/gemm.hpp>
#include <tenfold/backend/cpu/scratch.hpp>
#include <utility>

/// The kernels of shapes that are numbers: tables of register tiles, and the walk over one product.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {
namespace {

/// From one register tile to the next: entries of the operands, and bytes of what is fetched; or
/// the addresses of the problems to which the tiles belong, see problem_steps.
struct tile_steps {
  index a, b, c;
  index next_a, next_b, next_c;
  const problem_addresses* at = nullptr;
  index ahead = 1;
};

template <class T>
using tile_function = void (*)(const T* a, const T* b, T* c, const tile_operands<T>&,
                               const fetch_cursor& next, index k, index count, const tile_steps&);

/// Whether tiles of lanes count on neighbouring columns, whose distance is then a constant: with
/// strides known when the program runs the addresses of a tile cost as much as its arithmetic (n =
/// 8, interleaved: 0.6 of the rate). Only where a block of problems is one vector.
template <class T>
inline constexpr bool columns_touch = lanes<T> * sizeof(real<T>) == 64;

/// C := alpha S + beta C for the sums S[rows][columns][W] of a register tile at c, of whose last
/// column only `tail` entries exist, if that is not 0; all else is that of t. Apart from the tiles,
/// whose code it would make half as long again.
///
/// As in a register tile all of C that is read is read before any of it is written.
template <class T, int W, lane_access How>
[[gnu::noinline]] void update_tile(T* sums, const tile_operands<T>& t, T* first, index c_n,
                                   int tail, int rows, int columns) {
  constexpr bool splits = How == lane_access::split;
  const auto alpha = broadcast<T, W>(t.alpha), beta = broadcast<T, W>(t.beta);
  const bool has_part = How == lane_access::lanes && tail > 0;
  const int whole = has_part ? columns - 1 : columns;
  const auto load_sum = [](const T* p) {
    if constexpr (splits)
      return load_split<T, W>(p, W);
    else
      return load<T, W>(p);
  };
  const auto store_sum = [](T* p, const vec<T, W>& v) {
    if constexpr (splits)
      store_split<T, W>(p, v, W);
    else
      store<T, W>(p, v);
  };
  // Calls whole_entry(sum, place in C) or part_entry(the same) for each entry of the tile.
  const auto for_each_entry = [&](const auto& whole_entry, const auto& part_entry)
      __attribute__((always_inline)) {
    T* sum = sums;
    for (int m = 0; m < rows; ++m) {
      T* c = first + m * t.c_m;
      for (int n = 0; n < whole; ++n, sum += W, c += c_n) whole_entry(sum, c);
      if (!has_part) continue;
      part_entry(sum, c);
      sum += W;
    }
  };
  const auto set_sums = [&](const auto& value) __attribute__((always_inline)) {
    const auto set = [&](T* sum, const T*) { store_sum(sum, value(load_sum(sum))); };
    for_each_entry(set, set);
  };
  if constexpr (is_complex_type<T>) {
    if (t.conjugate_sum) set_sums([](const vec<T, W>& v) { return conjugate(v); });
  }
  if (t.beta != T(0)) {
    const auto add = [&](T * sum, const vec<T, W>& old) __attribute__((always_inline)) {
      store_sum(sum, value_of<false>(fma(alpha, load_sum(sum), beta * old)));
    };
    for_each_entry(
        [&](T* sum, const T* c) {
          if constexpr (splits)
            add(sum, load_split<T, W>(c, t.c_im));
          else
            add(sum, load<T, W>(c));
        },
        [&](T* sum, const T* c) { add(sum, load_partial<T, W>(c, tail)); });
  } else if (t.alpha != T(1)) {
    set_sums([&](const vec<T, W>& v) { return value_of<false>(alpha * v); });
  }
  if constexpr (W > 1 && (splits || !is_complex_type<T>)) {
    if (t.past_caches) {
      const auto write = [&](const T* sum, T* c) {
        if constexpr (splits)
          stream_split<T, W>(c, load_sum(sum), t.c_im);
        else
          stream<T, W>(c, load_sum(sum));
      };
      return for_each_entry(write, write);
    }
  }
  for_each_entry(
      [&](const T* sum, T* c) {
        if constexpr (splits)
          store_split<T, W>(c, load_split<T, W>(sum, W), t.c_im);
        else
          store<T, W>(c, load<T, W>(sum));
      },
      [&](const T* sum, T* c) { store_partial<T, W>(c, load<T, W>(sum), tail); });
}

constexpr tile_modes without_last(tile_modes how) {
  how.last = 0;
  return how;
}

/// `count` register tiles. `Touch`: columns are W apart.
///
/// The operands are not copied as a whole: a vector that takes in an address just written waits for
/// it.
template <class T, int W, int M, int N, tile_modes How, bool Touch>
void tiles(const T* a, const T* b, T* c, const tile_operands<T>& operands, const fetch_cursor& next,
           index k, index count, const tile_steps& step) {
  constexpr bool narrows = N == 1 && How.last != 0;  // the tile is that narrower vector
  constexpr tile_modes how = narrows ? without_last(How) : How;
  const bool is_sum = is_sum_only(operands) && !operands.conjugate_sum;
  // What a tile uses besides its sums is loaded anew for each. g++ would keep it in mask and vector
  // registers; there it waits behind the multiply-adds before, and all that needs the address of a
  // store with it: up to 25 ns a tile (order 16: 0.87 of the rate, Zen 4).
  index sums_only = is_sum ? 1 : 0, fetches = next.fetches ? 1 : 0;
  index row_of_c = is_sum ? operands.c_m : N * W;
  alignas(64) std::byte memory[sizeof(T) * M * N * W];
  T* const sums = reinterpret_cast<T*>(memory);
  tile_operands<T> t;
  t.a = a;
  t.a_m = operands.a_m;
  t.a_k = operands.a_k;
  t.a_im = operands.a_im;
  t.b = b;
  t.b_k = operands.b_k;
  t.b_n = Touch ? W : operands.b_n;
  t.b_im = operands.b_im;
  t.tail = operands.tail;
  t.c = sums;
  t.c_n = Touch || !is_sum ? W : operands.c_n;
  t.c_im = is_sum ? operands.c_im : W;
  t.past_caches = is_sum && operands.past_caches;
  t.next = next;
  t.next.fetches = false;

  // Where the tile lies in its problem, and what it fetches of the next.
  const problem_addresses* at = step.at;
  index in_a = 0, in_b = 0, in_c = 0;
  std::uintptr_t fetched_a = 0, fetched_b = 0, fetched_c = 0;
  if (at != nullptr) {
    in_a = a - static_cast<const T*>(at->a);
    in_b = b - static_cast<const T*>(at->b);
    in_c = c - static_cast<T*>(at->c);
    fetched_a = next.a - reinterpret_cast<std::uintptr_t>(at[step.ahead].a);
    fetched_b = next.b - reinterpret_cast<std::uintptr_t>(at[step.ahead].b);
    fetched_c = next.c - reinterpret_cast<std::uintptr_t>(at[step.ahead].c);
  }
  for (index left = count; left > 0; --left) {
    t.c_m = reloaded(row_of_c);
    t.next.fetches = reloaded(fetches) != 0;
    if (at != nullptr) {
      t.a = static_cast<const T*>(at->a) + in_a;
      t.b = static_cast<const T*>(at->b) + in_b;
      c = static_cast<T*>(at->c) + in_c;
      if (next.fetches) {
        start_at(t.next, at[step.ahead]);
        t.next.a += fetched_a;
        t.next.b += fetched_b;
        t.next.c += fetched_c;
      }
      ++at;
    }
    if (reloaded(sums_only) != 0) t.c = c;
    register_tile<T, narrows ? How.last : W, M, N, dynamic_k, how, epilogue::overwrite>(t, k);
    if (reloaded(sums_only) == 0)
      update_tile<T, W, How.c>(sums, operands, c, Touch ? W : operands.c_n,
                               How.tail == 0 ? 0 : operands.tail, M, N);
    t.a += step.a;
    t.b += step.b;
    c += step.c;
    if (!t.next.fetches) continue;
    t.next.a += static_cast<std::uintptr_t>(step.next_a);
    t.next.b += static_cast<std::uintptr_t>(step.next_b);
    t.next.c += static_cast<std::uintptr_t>(step.next_c);
  }
}

/// Register tiles of up to `Cut::widest` columns and, with n of them, up to Cut::rows(n) rows.
template <class T, int W, class Cut, tile_modes How, bool Touch>
struct tile_table {
  static constexpr int widest = Cut::widest;
  static constexpr int rows(int columns) { return Cut::rows(columns); }

  static tile_function<T> tile(index rows, index columns) {
    return entries[static_cast<std::size_t>(start(static_cast<int>(columns)) + rows - 1)];
  }

 private:
  static constexpr int start(int columns) {  // of the tiles with so many columns
    int before = 0;
    for (int n = 1; n < columns; ++n) before += Cut::rows(n);
    return before;
  }
  static constexpr int columns_of(int i) {
    int n = 1;
    while (start(n + 1) <= i) ++n;
    return n;
  }
  static constexpr auto make = []<int... I>(std::integer_sequence<int, I...>) {
    return std::array<tile_function<T>, sizeof...(I)>{
        &tiles<T, W, I - start(columns_of(I)) + 1, columns_of(I), How, Touch>...};
  };
  static constexpr auto entries = make(std::make_integer_sequence<int, start(Cut::widest + 1)>{});
};

/// By columns; W: those of a narrower vector serve results of one.
template <class T, int W>
struct columns_cut {
  static constexpr int widest =
      W == neighbours<T> ? select::most_vectors(registers, scalar_of<T>) : 1;
  static constexpr int rows(int n) {
    const int most = select::most_rows(n, registers, scalar_of<T>);
    return most < select::carried_rows ? most : select::carried_rows;
  }
};
template <class T, int W, bool Partial, bool Conjugate, int Last = 0>
using columns_table = tile_table<T, W, columns_cut<T, W>,
                                 tile_modes{.tail = Partial ? any_tail : 0,
                                            .conjugate_a = Conjugate,
                                            .ahead = select::fetch::into_l1,
                                            .repeats = true,
                                            .last = Last},
                                 true>;

template <class T, lane_access A>
struct lanes_cut {
  static constexpr select::tile_shape most =
      select::most_lanes_tile(registers, scalar_of<T>, A == lane_access::uniform);
  static constexpr int widest = most.n;
  static constexpr int rows(int) { return most.m; }
};
template <class T, lane_access A, bool Conjugate>
using lanes_table =
    tile_table<T, lanes<T>, lanes_cut<T, A>,
               tile_modes{A, is_complex_type<T> ? lane_access::split : lane_access::lanes, false,
                          true, is_complex_type<T> ? lane_access::split : lane_access::lanes, 0,
                          Conjugate, select::fetch::into_l2, 2, true, true},
               columns_touch<T>>;

/// Calls f(first, length, count) for each run of equal ones among parts i to `end` of a range.
template <class F>
[[gnu::always_inline]] inline void for_each_run(const select::chunks& parts, index i, index end,
                                                const F& f) {
  const index long_end = end < parts.long_count ? end : parts.long_count;
  if (i < long_end) f(parts.start(i), index{parts.longer}, long_end - i);
  const index short_first = i < long_end ? long_end : i;
  if (short_first < end) f(parts.start(short_first), index{parts.longer - 1}, end - short_first);
}
/// Calls f(first, length) for each part.
template <class F>
[[gnu::always_inline]] inline void for_each_part(const select::chunks& parts, const F& f) {
  for_each_run(parts, 0, parts.count(), [&](index first, index length, index count) {
    for (index i = 0; i < count; ++i) f(first + i * length, length);
  });
}

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
  constexpr index v = lanes<T>;
  constexpr auto bytes = static_cast<index>(sizeof(T));
  const auto function = [&](index rows, index columns, bool last) {
    return last && t.tail > 0 ? last_tile(rows, columns) : Table::tile(rows, columns);
  };
  // Columns that are no neighbours are tiles of one, whatever the kernel meant.
  const bool apart = ByRows && columns_touch<T> && (t.b_n != v || t.c_n != v);
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
        for_each_part(how.rows, [&](index row, index height) {
          for_each_run(across, tile, end, [&](index column, index width, index tiles) {
            line(row, column, b + (column - b_begins) * t.b_n, function(height, width, false),
                 tiles, 0, width * t.b_n, width * t.c_n);
          });
        });
      }
    } else {
      for_each_part(across, [&](index column, index width) {
        const bool last = column + width == how.columns;
        const T* b = b_first + column * t.b_n;
        if (packed.data != nullptr) {
          copy_rows(b, packed.from_row, packed.data, t.b_k, how.k,
                    last && t.tail > 0 ? (width - 1) * t.b_n + t.tail : width * t.b_n);
          b = packed.data;
        }
        for_each_run(how.rows, 0, how.rows.count(), [&](index row, index height, index tiles) {
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
template <class T, lane_access A, bool Conjugate>
void walk_by_lanes(const tile_walk& how, const tile_operands<T>& t, index tiles,
                   const problem_steps& step) {
  using table = lanes_table<T, A, Conjugate>;
  constexpr index v = lanes<T>;
  const select::lanes_panels panels = step.from_memory ? how.far : how.near;
  if (!panels.packs || t.b_n != v)  // else they lie end to end
    return walk<T, true, table>(how, t, tiles, step, table::tile, {panels.across});
  tile_operands<T> in_panel = t;
  in_panel.b_k = panels.across * how.across.longer * v;
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
  return {products, select::gemm_path::by_columns, select::fetch::into_l1, &tuned, how};
}
template <class T, lane_access A, bool Conjugate>
gemm_kernel<T> lanes_kernel(const gemm_shape& s, const gemm_tuning& tuned) {
  const select::tile_shape most =
      select::most_lanes_tile(registers, scalar_of<T>, A == lane_access::uniform, tuned);
  tile_walk how = walk_of<T>(s, s.n, lanes<T>, most, tuned);
  const auto panels_from = [&](bool memory) {
    return select::panels_by_lanes(s.m, s.n, s.k, most.n, lanes<T> * static_cast<index>(sizeof(T)),
                                   memory);
  };
  how.near = panels_from(false);
  how.far = panels_from(true);
  return {walk_by_lanes<T, A, Conjugate>, select::gemm_path::by_lanes, select::fetch::into_l2,
          &tuned, how};
}

template <class T, bool Conjugate>
gemm_kernel<T> kernel_of(const gemm_shape& s, select::gemm_path path, const gemm_tuning& tuned) {
  if (path == select::gemm_path::by_columns)
    return columns_kernel<T, neighbours<T>, Conjugate>(s, tuned);
  if (select::is_uniform(s.a, s.type))
    return lanes_kernel<T, lane_access::uniform, Conjugate>(s, tuned);
  return lanes_kernel < T, is_complex_type<T> ? lane_access::split : lane_access::lanes,
         Conjugate > (s, tuned);
}

}  // namespace

template <class T>
gemm_kernel<T> dynamic_kernel(const gemm_shape& s, select::gemm_path path,
                              const gemm_tuning& tuned) {
  if constexpr (is_complex_type<T>) {
    if (conjugates_a(s)) return kernel_of<T, true>(s, path, tuned);
  }
  return kernel_of<T, false>(s, path, tuned);
}

template gemm_kernel<float> dynamic_kernel(const gemm_shape&, select::gemm_path,
                                           const gemm_tuning&);
template gemm_kernel<double> dynamic_kernel(const gemm_shape&, select::gemm_path,
                                            const gemm_tuning&);
template gemm_kernel<std::complex<float>> dynamic_kernel(const gemm_shape&, select::gemm_path,
                                                         const gemm_tuning&);
template gemm_kernel<std::complex<double>> dynamic_kernel(const gemm_shape&, select::gemm_path,
                                                          const gemm_tuning&);

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
