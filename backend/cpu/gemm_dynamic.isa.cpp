#include <array>
#include <complex>
#include <tenfold/backend/cpu/gemm.hpp>
#include <tenfold/backend/cpu/scratch.hpp>
#include <utility>

/// The kernels of shapes that are numbers: tables of register tiles, and the walk over one product.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {
namespace {

template <class T>
using tile_function = void (*)(const T* a, const T* b, T* c, const tile_operands<T>&, index k,
                               index count, const problem_steps&);

/// Whether tiles of lanes count on neighbouring columns, whose distance is then a constant: with
/// strides known when the program runs the addresses of a tile cost as much as its arithmetic (n =
/// 8, interleaved: 0.6 of the rate). Only where a block of problems is one vector.
template <class T>
inline constexpr bool columns_touch = lanes<T> * sizeof(real<T>) == 64;

/// One register tile for each of `count` problems, or tiles of problems. `Touch`: columns are W
/// apart.
template <class T, int W, int M, int N, tile_modes How, bool Touch>
void tiles(const T* a, const T* b, T* c, const tile_operands<T>& operands, index k, index count,
           const problem_steps& step) {
  tile_operands<T> t = operands;
  t.a = a;
  t.b = b;
  t.c = c;
  if constexpr (Touch) t.b_n = t.c_n = W;
  t.sum_only = is_sum_only(t);
  for (index i = 0; i < count; ++i) {
    register_tile<T, W, M, N, dynamic_k, How, epilogue::update>(t, k);
    t.a += step.a;
    t.b += step.b;
    t.c += step.c;
    go_on<T>(t.next, step, k);
  }
}

/// Register tiles of up to Most entries; tile (m, n) is entry (m - 1) * Most.n + n - 1.
template <class T, int W, select::tile_shape Most, tile_modes How, bool Touch>
struct tile_table {
  static constexpr auto make = []<int... I>(std::integer_sequence<int, I...>) {
    return std::array<tile_function<T>, sizeof...(I)>{
        &tiles<T, W, I / Most.n + 1, I % Most.n + 1, How, Touch>...};
  };
  static constexpr auto entries = make(std::make_integer_sequence<int, Most.m * Most.n>{});
};

/// By columns; W: those of a narrower vector serve results of one.
template <class T, int W, bool Partial, bool Conjugate>
struct columns_table {
  static constexpr select::tile_shape widest = select::most_columns_tile(registers, scalar_of<T>),
                                      most{widest.m, W == lanes<T> ? widest.n : 1};
  static constexpr auto& entries =
      tile_table<T, W, most,
                 tile_modes{access::uniform, access::lanes, false, true, access::lanes,
                            Partial ? any_tail : 0, Conjugate, select::fetch::into_l1},
                 true>::entries;
};
template <class T, access A, bool Conjugate>
struct lanes_table {
  static constexpr access l = is_complex_type<T> ? access::split : access::lanes;
  static constexpr select::tile_shape most =
      select::most_lanes_tile(registers, scalar_of<T>, A == access::uniform);
  static constexpr auto& entries =
      tile_table<T, lanes<T>, most,
                 tile_modes{A, l, false, true, l, 0, Conjugate, select::fetch::into_l2, 2, true},
                 columns_touch<T>>::entries;
};

/// Calls f(first, length) for each part of a range.
template <class F>
[[gnu::always_inline]] inline void for_each_part(const select::chunks& parts, const F& f) {
  index first = 0;
  for (index i = 0; i < parts.count(); ++i) {
    const index length = parts.longer - (i >= parts.long_count);
    f(first, length);
    first += length;
  }
}

/// Copies rows of n entries, in whole vectors: up to one behind a row of `to` is overwritten.
template <class T>
void copy_rows(const T* from, index from_row, T* to, index to_row, index rows, index n) {
  using R = real<T>;
  constexpr int v = lanes<R>;
  const index reals = n * index{sizeof(T) / sizeof(R)}, whole = reals / v * v;
  const int rest = static_cast<int>(reals - whole);
  for (index r = 0; r < rows; ++r) {
    const auto* const x = reinterpret_cast<const R*>(from + r * from_row);
    auto* const y = reinterpret_cast<R*>(to + r * to_row);
    for (index i = 0; i < whole; i += v) store<R, v>(y + i, load<R, v>(x + i));
    if (rest > 0) store<R, v>(y + whole, load_partial<R, v>(x + whole, rest));
  }
}

/// All register tiles of `count` problems; the last column comes from `Last`. `ByRows`: all columns
/// of a row of tiles before the next row. `panel`: B is copied there, the columns of one tile at a
/// time, so that they are neighbours in L1 for all rows.
template <class T, bool ByRows, class Table, class Last = Table>
void walk(const tile_walk& how, const tile_operands<T>& operands, index count,
          const problem_steps& step, T* panel = nullptr) {
  constexpr index v = lanes<T>;
  const auto function = [&](index rows, index columns, bool last) {
    return (
        last && operands.tail > 0
            ? Last::entries
            : Table::entries)[static_cast<std::size_t>((rows - 1) * Table::most.n + columns - 1)];
  };
  // Columns that are no neighbours are tiles of one, whatever the kernel meant.
  const bool apart = ByRows && columns_touch<T> && (operands.b_n != v || operands.c_n != v);
  const select::chunks across = apart ? select::chunks(how.columns, 1) : how.across;
  tile_operands<T> t = operands;
  t.next = fetch_from(t, step, apart ? fetch_rates{} : how.rates);
  if (how.rows.count() == 1 && across.count() == 1)
    return function(how.m, how.columns, true)(t.a, t.b, t.c, t, how.k, count, step);
  if (panel != nullptr) t.b_k = across.longer * t.b_n;
  for (index i = 0; i < count; i += how.group) {
    const index now = count - i < how.group ? count - i : how.group;
    const fetch_cursor first = t.next;
    const auto tile = [&](const T* b, index row, index height, index column, index width) {
      function(height, width, column + width == how.columns)(
          t.a + row * t.a_m, b, t.c + row * t.c_m + column * t.c_n, t, how.k, now, step);
      t.next.advance(how.k);
    };
    if constexpr (ByRows) {
      for_each_part(how.rows, [&](index row, index height) {
        for_each_part(across, [&](index column, index width) {
          tile(t.b + column * t.b_n, row, height, column, width);
        });
      });
    } else {
      for_each_part(across, [&](index column, index width) {
        const T* b = t.b + column * t.b_n;
        if (panel != nullptr) {
          const bool ends_short = column + width == how.columns && t.tail > 0;
          copy_rows(b, operands.b_k, panel, t.b_k, how.k,
                    ends_short ? (width - 1) * t.b_n + t.tail : width * t.b_n);
          b = panel;
        }
        for_each_part(how.rows,
                      [&](index row, index height) { tile(b, row, height, column, width); });
      });
    }
    t.next = first;
    go_on<T>(t.next, step, 0, now);
    t.a += now * step.a;
    t.b += now * step.b;
    t.c += now * step.c;
  }
}

/// By columns, with vectors of W lanes.
template <class T, int W, bool Conjugate>
void walk_by_columns(const tile_walk& how, const tile_operands<T>& from, index problems,
                     const problem_steps& step) {
  using whole = columns_table<T, W, false, Conjugate>;
  using partial = columns_table<T, W, true, Conjugate>;
  tile_operands<T> t = from;
  t.b_n = t.c_n = W;
  t.tail = how.tail;
  if (!how.packs) return walk<T, false, whole, partial>(how, t, problems, step);
  const index entries = how.k * how.across.longer * W + lanes<T>;
  const scratch_block panel(static_cast<std::size_t>(entries) * sizeof(T));
  walk<T, false, whole, partial>(how, t, problems, step, panel.as<T>());
}
template <class T, access A, bool Conjugate>
void walk_by_lanes(const tile_walk& how, const tile_operands<T>& t, index tiles,
                   const problem_steps& step) {
  walk<T, true, lanes_table<T, A, Conjugate>>(how, t, tiles, step);
}

/// The walk through a shape with the register tiles of a table; tiles of so many problems each.
template <class T, class Table>
tile_walk walk_of(const gemm_shape& s, index columns, index problems) {
  tile_walk how;
  how.m = s.m;
  how.k = s.k;
  how.columns = columns;
  how.rows = select::chunks(s.m, Table::most.m);
  how.across = select::chunks(columns, Table::most.n);
  const index a = s.m * s.k * problems, b = s.k * s.n * problems, c = s.m * s.n * problems;
  how.rates = fetch_rates::of<T>(a, b, c, how.parts(how.across));
  how.group = select::problems_at_once((a + b + c) * static_cast<index>(sizeof(T)));
  return how;
}

/// By columns, with vectors of W lanes or, where a row fits, fewer.
template <class T, int W, bool Conjugate>
gemm_kernel<T> columns_kernel(const gemm_shape& s) {
  constexpr int half = lanes_for<T>(W / 2);
  if constexpr (half < W) {
    if (lanes_for<T>(s.n) <= half) return columns_kernel<T, half, Conjugate>(s);
  }
  tile_walk how = walk_of<T, columns_table<T, W, false, Conjugate>>(s, (s.n + W - 1) / W, 1);
  how.tail = static_cast<int>(s.n % W);
  how.packs = select::packs_panels(s, strides_by_columns<T>(s).b_k);
  if (how.packs) how.group = 1;
  return {walk_by_columns<T, W, Conjugate>, select::gemm_path::by_columns, select::fetch::into_l1,
          how};
}
template <class T, access A, bool Conjugate>
gemm_kernel<T> lanes_kernel(const gemm_shape& s) {
  return {walk_by_lanes<T, A, Conjugate>, select::gemm_path::by_lanes, select::fetch::into_l2,
          walk_of<T, lanes_table<T, A, Conjugate>>(s, s.n, lanes<T>)};
}

template <class T, bool Conjugate>
gemm_kernel<T> kernel_of(const gemm_shape& s, select::gemm_path path) {
  if (path == select::gemm_path::by_columns) return columns_kernel<T, lanes<T>, Conjugate>(s);
  if (is_uniform<T>(s.a)) return lanes_kernel<T, access::uniform, Conjugate>(s);
  return lanes_kernel < T, is_complex_type<T> ? access::split : access::lanes, Conjugate > (s);
}

}  // namespace

template <class T>
gemm_kernel<T> dynamic_kernel(const gemm_shape& s, select::gemm_path path) {
  if constexpr (is_complex_type<T>) {
    if (conjugates_a(s)) return kernel_of<T, true>(s, path);
  }
  return kernel_of<T, false>(s, path);
}

template gemm_kernel<float> dynamic_kernel(const gemm_shape&, select::gemm_path);
template gemm_kernel<double> dynamic_kernel(const gemm_shape&, select::gemm_path);
template gemm_kernel<std::complex<float>> dynamic_kernel(const gemm_shape&, select::gemm_path);
template gemm_kernel<std::complex<double>> dynamic_kernel(const gemm_shape&, select::gemm_path);

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
