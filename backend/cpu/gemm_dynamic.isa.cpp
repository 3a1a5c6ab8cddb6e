#include <array>
#include <complex>
#include <cstring>
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
  for (index i = 0; i < parts.long_count + parts.short_count; ++i) {
    const index length = parts.longer - (i >= parts.long_count);
    f(first, length);
    first += length;
  }
}

/// All register tiles of shape.m rows and n columns; the last column comes from `Last`. `panel`: B
/// is copied there, the columns of one tile at a time, so that they are neighbours in L1 for all
/// rows. `ByRows`: all columns of a row of tiles before the next row.
template <class T, bool ByRows, class Table, class Last = Table>
void walk(const gemm_shape& shape, const tile_operands<T>& operands, index n, index count,
          problem_steps step, T* panel = nullptr) {
  constexpr index v = lanes<T>;
  const auto function = [&](index rows, index columns, bool last) {
    return (
        last && operands.tail > 0
            ? Last::entries
            : Table::entries)[static_cast<std::size_t>((rows - 1) * Table::most.n + columns - 1)];
  };
  const bool apart = columns_touch<T> && (operands.b_n != v || operands.c_n != v);
  const index widest = apart ? 1 : Table::most.n;
  const select::chunks rows(shape.m, Table::most.m), columns(n, widest);
  const index parts =
      (rows.long_count + rows.short_count) * (columns.long_count + columns.short_count) * shape.k;
  const index problems = ByRows ? v : 1;  // in a tile
  tile_operands<T> t = operands;
  t.next = fetch_from(t, step, shape.m * shape.k * problems, shape.k * shape.n * problems,
                      shape.m * shape.n * problems, parts);
  if (shape.m <= Table::most.m && n <= widest)
    return function(shape.m, n, true)(t.a, t.b, t.c, t, shape.k, count, step);
  const index bytes = (shape.m * shape.k + shape.k * shape.n + shape.m * shape.n) * problems *
                      static_cast<index>(sizeof(T));
  const index group = panel != nullptr ? 1 : select::problems_at_once(bytes);
  if (panel != nullptr) t.b_k = columns.longer * v;
  for (index i = 0; i < count; i += group) {
    const index now = count - i < group ? count - i : group;
    const fetch_cursor first = t.next;
    const auto tile = [&](const T* b, index row, index height, index column, index width) {
      function(height, width, column + width == n)(
          t.a + row * t.a_m, b, t.c + row * t.c_m + column * t.c_n, t, shape.k, now, step);
      t.next.advance(shape.k);
    };
    if constexpr (ByRows) {
      for_each_part(rows, [&](index row, index height) {
        for_each_part(columns, [&](index column, index width) {
          tile(t.b + column * t.b_n, row, height, column, width);
        });
      });
    } else {
      for_each_part(columns, [&](index column, index width) {
        const T* b = t.b + column * t.b_n;
        if (panel != nullptr) {
          const bool ends_short = column + width == n && t.tail > 0;
          const index entries = ends_short ? (width - 1) * v + t.tail : width * v;
          for (index k = 0; k < shape.k; ++k)
            std::memcpy(static_cast<void*>(panel + k * t.b_k), b + k * operands.b_k,
                        static_cast<std::size_t>(entries) * sizeof(T));
          b = panel;
        }
        for_each_part(rows, [&](index row, index height) { tile(b, row, height, column, width); });
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
void walk_by_columns(const gemm_shape& shape, const tile_operands<T>& from, index problems,
                     problem_steps step) {
  using whole = columns_table<T, W, false, Conjugate>;
  using partial = columns_table<T, W, true, Conjugate>;
  tile_operands<T> t = from;
  t.b_n = t.c_n = W;
  t.tail = static_cast<int>(shape.n % W);
  const index vectors = (shape.n + W - 1) / W;
  if (!select::packs_panels(shape, t.b_k))
    return walk<T, false, whole, partial>(shape, t, vectors, problems, step);
  const scratch_block panel(static_cast<std::size_t>(shape.k * whole::most.n * W) * sizeof(T));
  walk<T, false, whole, partial>(shape, t, vectors, problems, step, panel.as<T>());
}
/// The same, with the fewest lanes that hold a row.
template <class T, bool Conjugate>
void walk_by_columns(const gemm_shape& shape, const tile_operands<T>& t, index problems,
                     problem_steps step) {
  constexpr int v = lanes<T>, half = lanes_for<T>(v / 2), quarter = lanes_for<T>(v / 4);
  const int w = lanes_for<T>(shape.n);
  if (half < v && w == half) return walk_by_columns<T, half, Conjugate>(shape, t, problems, step);
  if (quarter < half && w == quarter)
    return walk_by_columns<T, quarter, Conjugate>(shape, t, problems, step);
  walk_by_columns<T, v, Conjugate>(shape, t, problems, step);
}
template <class T, access A, bool Conjugate>
void walk_by_lanes(const gemm_shape& shape, const tile_operands<T>& t, index tiles,
                   problem_steps step) {
  walk<T, true, lanes_table<T, A, Conjugate>>(shape, t, shape.n, tiles, step);
}

}  // namespace

template <class T>
gemm_kernel<T> dynamic_kernel(const gemm_shape& s, select::gemm_path path) {
  constexpr bool complex = is_complex_type<T>;
  constexpr access u = access::uniform, l = complex ? access::split : access::lanes;
  const bool conjugate = complex && conjugates_a(s);
  if (path == select::gemm_path::by_columns)
    return {conjugate ? walk_by_columns<T, complex> : walk_by_columns<T, false>, path,
            select::fetch::into_l1};
  if (is_uniform<T>(s.a))
    return {conjugate ? walk_by_lanes<T, u, complex> : walk_by_lanes<T, u, false>, path,
            select::fetch::into_l2};
  return {conjugate ? walk_by_lanes<T, l, complex> : walk_by_lanes<T, l, false>, path,
          select::fetch::into_l2};
}

template gemm_kernel<float> dynamic_kernel(const gemm_shape&, select::gemm_path);
template gemm_kernel<double> dynamic_kernel(const gemm_shape&, select::gemm_path);
template gemm_kernel<std::complex<float>> dynamic_kernel(const gemm_shape&, select::gemm_path);
template gemm_kernel<std::complex<double>> dynamic_kernel(const gemm_shape&, select::gemm_path);

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
