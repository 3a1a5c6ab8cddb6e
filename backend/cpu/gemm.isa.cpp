#include <algorithm>
#include <array>
#include <complex>
#include <tenfold/backend/cpu/batch_tile.hpp>
#include <tenfold/backend/cpu/caches.hpp>
#include <tenfold/backend/cpu/gemm.hpp>
#include <tenfold/backend/cpu/parallel.hpp>
#include <tenfold/backend/cpu/scratch.hpp>
#include <tenfold/backend/gemm_list.hpp>
#include <vector>

/// The walk over a batch, and the kernels for sizes that are numbers: tables of register tiles.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {
namespace {

// ---- what comes next ----------------------------------------------------------------------------

/// Where the operands of a batch come from, by their bytes.
struct residence {
  bool beyond_l2, beyond_caches;

  explicit residence(double bytes)
      : beyond_l2(bytes > static_cast<double>(caches().l2)),
        beyond_caches(bytes > static_cast<double>(caches().l3)) {}
};

template <class T>
double bytes_of(const gemm_shape& s, index count) {
  const auto bytes = [&](const matrix_batch& x, index rows, index columns) {
    return static_cast<double>(x.shared ? 1 : count) * static_cast<double>(rows * columns) *
           static_cast<double>(sizeof(T));
  };
  return bytes(s.a, s.m, s.k) + bytes(s.b, s.k, s.n) + bytes(s.c, s.m, s.n);
}

/// The steps through a batch whose problems, or tiles of `width` problems, lie apart regularly, and
/// what is fetched on the way.
template <class T>
problem_steps steps_through(const gemm_shape& s, const gemm_kernel<T>& kernel,
                            const gemm_arguments<T>& g, residence from, index width) {
  const auto bytes = [&](const matrix_batch& x, index rows, index columns) {
    return x.shared ? 0 : rows * columns * width * static_cast<index>(sizeof(T));
  };
  const auto step = [](const matrix_batch& x, const batch_place& p) {
    return x.shared ? 0 : p.problem;
  };
  problem_steps to{step(s.a, g.a), step(s.b, g.b), step(s.c, g.c)};
  const index each = bytes(s.a, s.m, s.k) + bytes(s.b, s.k, s.n) + bytes(s.c, s.m, s.n);
  if (from.beyond_l2 ? !select::fetches_from_memory(each)
                     : !select::fetches_from_l2(kernel.path, kernel.ahead, each))
    return to;
  const index ahead = from.beyond_l2 ? select::problems_ahead(each) : 1;
  to.fetches = true;
  to.next_a = ahead * to.a;
  to.next_b = ahead * to.b;
  to.next_c = from.beyond_l2 ? ahead * to.c : 0;
  return to;
}

/// Entries between two matrices that need not lie in one array.
template <class T>
index entries_to(const T* from, const T* to) {
  return static_cast<index>(reinterpret_cast<std::uintptr_t>(to) -
                            reinterpret_cast<std::uintptr_t>(from)) /
         static_cast<index>(sizeof(T));
}

/// Writes n entries past the caches; both addresses lie alike within a vector.
template <class T>
void stream_run(T* to, const T* from, index n) {
  using R = real<T>;
  constexpr index v = lanes<R>;
  auto* const d = reinterpret_cast<R*>(to);
  const auto* const s = reinterpret_cast<const R*>(from);
  const index count = n * parts<T>;
  const auto at = static_cast<index>(reinterpret_cast<std::uintptr_t>(d) / sizeof(R)) % v;
  index i = 0;
  for (; i < count && (at + i) % v != 0; ++i) d[i] = s[i];
  for (; i + v <= count; i += v) stream<R, v>(d + i, load<R, v>(s + i));
  for (; i < count; ++i) d[i] = s[i];
}

// ---- by columns ---------------------------------------------------------------------------------

/// Problems [begin, end) of a strided batch whose results are neighbours, read by nobody soon: some
/// of them at a time are written to scratch, and from there to memory.
template <class T>
void gemm_past_caches(const gemm_shape& s, const gemm_kernel<T>& kernel, tile_operands<T> t,
                      problem_steps step, T* c, index problems) {
  const index entries = s.m * s.n, group = select::streamed_problems(entries * index{sizeof(T)});
  constexpr index line = 64 / sizeof(T);
  const scratch_block block(static_cast<std::size_t>(group * entries + line) * sizeof(T));
  step.next_c = 0;
  for (index p = 0; p < problems; p += group) {
    const index count = problems - p < group ? problems - p : group;
    t.c =
        block.as<T>() + static_cast<index>(reinterpret_cast<std::uintptr_t>(c) / sizeof(T)) % line;
    kernel.products(s, t, count, step);
    stream_run(c, t.c, count * entries);
    t.a += count * step.a;
    t.b += count * step.b;
    c += count * entries;
  }
  streams_end();
}

template <class T>
void gemm_by_columns(const gemm_shape& s, const gemm_kernel<T>& kernel, const gemm_arguments<T>& g,
                     residence from, index begin, index end, index listed) {
  const bool a_in = has_strides<T>(s.a), b_in = select::has_rows(s.b), c_in = select::has_rows(s.c);
  constexpr int v = lanes<T>;
  const tile_strides strides = strides_by_columns<T>(s);
  const index ld = (s.n + v - 1) / v * v;
  tile_operands<T> t;
  t.a_m = strides.a_m;
  t.a_k = strides.a_k;
  t.b_k = strides.b_k;
  t.c_m = strides.c_m;
  t.b_n = t.c_n = v;
  t.tail = static_cast<int>(s.n % v);
  t.alpha = g.alpha;
  t.beta = s.c.layout == batch_layout::gathered ? T(0) : g.beta;
  t.conjugate_sum = s.b.conjugated;

  const products_function<T> products = kernel.products;
  const auto is_regular = [](const matrix_batch& x) { return x.layout == batch_layout::strided; };
  if (a_in && b_in && c_in && is_regular(s.a) && is_regular(s.b) && is_regular(s.c)) {
    t.a = problem_address<T>(s.a, g.a, begin);
    t.b = problem_address<T>(s.b, g.b, begin);
    t.c = problem_address<T>(s.c, g.c, begin);
    problem_steps step = steps_through(s, kernel, g, from, 1);
    if (end - begin == 1) step.fetches = false;
    if (from.beyond_caches && t.beta == T(0) && s.c.row == s.n && g.c.problem == s.m * s.n &&
        select::streams_results(s.m * s.n * static_cast<index>(sizeof(T))))
      return gemm_past_caches(s, kernel, t, step, t.c, end - begin);
    return products(s, t, end - begin, step);
  }

  if (a_in && b_in && c_in) {
    const bool fetches =
        from.beyond_l2 && select::fetches_from_memory(static_cast<index>(bytes_of<T>(s, 1)));
    for (index p = begin; p < end; ++p) {
      t.a = problem_address<T>(s.a, g.a, p);
      t.b = problem_address<T>(s.b, g.b, p);
      t.c = problem_address<T>(s.c, g.c, p);
      problem_steps step;
      step.fetches = fetches && p + 1 < listed;
      if (step.fetches) {
        step.next_a = entries_to<T>(t.a, problem_address<T>(s.a, g.a, p + 1));
        step.next_b = entries_to<T>(t.b, problem_address<T>(s.b, g.b, p + 1));
        step.next_c = entries_to<T>(t.c, problem_address<T>(s.c, g.c, p + 1));
      }
      products(s, t, 1, step);
    }
    return;
  }
  const select::gemm_scratch size = select::columns_scratch(s, lanes<T>);
  const scratch_block block(static_cast<std::size_t>(size.entries()) * sizeof(T));
  T* const b_scratch = block.as<T>();  // whole vectors first: they stay aligned
  T* const c_scratch = b_scratch + size.b;
  T* const a_scratch = c_scratch + size.c;
  for (index p = begin; p < end; ++p) {
    if (a_in) {
      t.a = problem_address<T>(s.a, g.a, p);
    } else {
      if (!s.a.shared || p == begin) read_matrix<T>(a_scratch, s.k, s.a, g.a, s.m, s.k, p);
      t.a = a_scratch;
    }
    if (b_in) {
      t.b = problem_address<T>(s.b, g.b, p);
    } else {
      if (!s.b.shared || p == begin) read_matrix<T>(b_scratch, ld, s.b, g.b, s.k, s.n, p);
      t.b = b_scratch;
    }
    if (c_in) {
      t.c = problem_address<T>(s.c, g.c, p);
    } else {
      if (t.beta != T(0)) read_matrix<T>(c_scratch, ld, s.c, g.c, s.m, s.n, p);
      t.c = c_scratch;
    }
    products(s, t, 1, {});
    if (!c_in) write_matrix<T>(c_scratch, ld, s.c, g.c, s.m, s.n, p);
  }
}

// ---- by lanes -----------------------------------------------------------------------------------

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

/// Tiles [begin, end) of V problems.
template <class T>
void gemm_by_lanes(const gemm_shape& s, const gemm_kernel<T>& kernel, const gemm_arguments<T>& g,
                   residence from, index begin, index end) {
  constexpr index v = lanes<T>;
  const products_function<T> products = kernel.products;
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
  const bool uniform = is_uniform<T>(s.a);
  if (uniform) take_a(lanes_in_place<T>(s.a, g.a, 0));

  // Everything interleaved in equal blocks of whole vectors: every block_tiles-th tile is a step
  // on.
  const index block = s.c.block, block_tiles = block / v;
  const auto in_blocks = [&](const matrix_batch& x) {
    return x.layout == batch_layout::interleaved && x.block == block && block % v == 0;
  };
  if ((uniform || in_blocks(s.a)) && in_blocks(s.b) && in_blocks(s.c)) {
    const problem_steps step = steps_through(s, kernel, g, from, v);
    t.past_caches = from.beyond_caches && t.beta == T(0) &&
                    reinterpret_cast<std::uintptr_t>(g.c.data) % (v * sizeof(T)) == 0;
    for (index first = begin; first < end && first < begin + block_tiles; ++first) {
      if (!uniform) take_a(lanes_in_place<T>(s.a, g.a, first * v));
      take_b(lanes_in_place<T>(s.b, g.b, first * v));
      take_c(lanes_in_place<T>(s.c, g.c, first * v));
      products(s, t, (end - first + block_tiles - 1) / block_tiles, step);
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
    products(s, t, whole - begin, {uniform ? 0 : v, v, v});
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
    products(s, t, 1, {});
    if (!in_place) write_tile<T>(c_scratch, s.c, g.c, s.m, s.n, p, count);
  }
}

// ---- the batch ----------------------------------------------------------------------------------

/// C := beta C, once for each entry that the map names.
template <class T>
void scale_gathered(const gemm_shape& s, const gemm_arguments<T>& g) {
  if (g.beta == T(1)) return;
  index size = 0;
  const auto each = [&](const auto& f) {
    for (index p = 0; p < g.count; ++p)
      for (index i = 0; i < s.m; ++i)
        for (index j = 0; j < s.n; ++j) {
          const index at = gathered_at(g.c, p * g.c.problem + i * s.c.row + j * s.c.column);
          if (at >= 0) f(at);
        }
  };
  each([&](index at) { size = at < size ? size : at + 1; });
  const scratch_block seen(static_cast<std::size_t>(size));
  if (size == 0) return;
  std::memset(seen.data(), 0, static_cast<std::size_t>(size));
  auto* const c = static_cast<T*>(const_cast<void*>(g.c.data));
  each([&](index at) {
    if (seen.data()[at] != std::byte{0}) return;
    seen.data()[at] = std::byte{1};
    c[at] = g.beta == T(0) ? T(0) : scaled(g.beta, c[at]);
  });
}

/// What one product takes, in flops.
template <class T>
constexpr double flops_of(const gemm_shape& s) {
  return 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k) *
         (is_complex_type<T> ? 4 : 1);
}

/// Problems [begin, end) of a batch, by the calling thread. A tile of lanes belongs to the range
/// that holds its first problem. Lists of addresses go on to `listed`.
template <class T>
void run_gemm(const gemm_shape& s, const gemm_kernel<T>& kernel, const gemm_arguments<T>& g,
              residence from, index begin, index end, index listed) {
  constexpr index v = lanes<T>;
  if (kernel.path == select::gemm_path::by_lanes)
    gemm_by_lanes<T>(s, kernel, g, from, (begin + v - 1) / v, (end + v - 1) / v);
  else
    gemm_by_columns<T>(s, kernel, g, from, begin, end, listed);
}

/// The whole batch. Gathered results of several problems may meet in one entry: they are added in
/// the order of the batch, by one thread.
template <class T>
void run_gemm(const gemm_shape& s, const gemm_kernel<T>& kernel, const gemm_arguments<T>& g) {
  const residence from(bytes_of<T>(s, g.count));
  const bool adds = s.c.layout == batch_layout::gathered;
  if (adds) scale_gathered(s, g);
  parallel_tiles(
      g.count, adds ? g.count : select::tiles_per_task(flops_of<T>(s)),
      [&](index begin, index end) { run_gemm<T>(s, kernel, g, from, begin, end, g.count); });
}

// ---- sizes that are numbers ---------------------------------------------------------------------

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
    if constexpr (ByRows) {
      const T* a = t.a;
      T* c_row = t.c;
      for (index r = 0; r < rows.long_count + rows.short_count; ++r) {
        const index height = rows.longer - (r >= rows.long_count);
        const T* b = t.b;
        T* c = c_row;
        for (index tile = 0; tile < columns.long_count + columns.short_count; ++tile) {
          const index width = columns.longer - (tile >= columns.long_count);
          function(height, width, false)(a, b, c, t, shape.k, now, step);
          t.next.advance(shape.k);
          b += width * t.b_n;
          c += width * t.c_n;
        }
        a += height * t.a_m;
        c_row += height * t.c_m;
      }
    } else {
      index column = 0;
      for (index c_tile = 0; c_tile < columns.long_count + columns.short_count; ++c_tile) {
        const index width = columns.longer - (c_tile >= columns.long_count);
        const bool last = column + width == n;
        const T* b = t.b + column * operands.b_n;
        if (panel != nullptr) {
          const index entries = last && t.tail > 0 ? (width - 1) * v + t.tail : width * v;
          for (index k = 0; k < shape.k; ++k)
            std::memcpy(static_cast<void*>(panel + k * t.b_k), b + k * operands.b_k,
                        static_cast<std::size_t>(entries) * sizeof(T));
          b = panel;
        }
        const T* a = t.a;
        T* c = t.c + column * t.c_n;
        for (index r = 0; r < rows.long_count + rows.short_count; ++r) {
          const index height = rows.longer - (r >= rows.long_count);
          function(height, width, last)(a, b, c, t, shape.k, now, step);
          t.next.advance(shape.k);
          a += height * t.a_m;
          c += height * t.c_m;
        }
        column += width;
      }
    }
    t.next = first;
    for (index p = 0; p < now; ++p) go_on<T>(t.next, step, 0);
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

/// The kernel of a shape that is oriented as select::gemm asked for.
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

/// A shape oriented for its kernel.
template <class T>
struct prepared_gemm {
  gemm_shape shape;
  gemm_kernel<T> kernel;
  bool is_transposed;

  explicit prepared_gemm(const gemm_shape& given) {
    const gemm_shape s = select::without_unit_axes(given);
    const select::gemm_choice choice = select::gemm(s, lanes<T>);
    is_transposed = choice.transposed;
    shape = is_transposed ? transposed(s) : s;
    kernel = dynamic_kernel<T>(shape, choice.path);
  }
  gemm_arguments<T> oriented(const gemm_arguments<T>& g) const {
    return is_transposed ? transposed(g) : g;
  }
};

/// Problems in the order of memory, so that the caches fetch ahead; kinds are prepared once.
/// (Sorted by kind, 10,000 problems of order 2 to 32 ran at 0.85 of a loop over OpenBLAS.)
template <class T>
void run_list(const gemm_list<T>& list) {
  std::vector<prepared_gemm<T>> kinds;
  kinds.reserve(static_cast<std::size_t>(list.kind_count));
  for (index i = 0; i < list.kind_count; ++i) kinds.emplace_back(list.shapes[i]);
  const index total = list.first[list.run_count];
  double bytes = 0;
  for (index run = 0; run < list.run_count; ++run)
    bytes += bytes_of<T>(list.shapes[list.kinds[run]], list.first[run + 1] - list.first[run]);
  const residence from(bytes);
  parallel_tiles(
      total, select::tiles_per_task(list.flops / static_cast<double>(total)),
      [&](index begin, index end) {
        index run =
            std::upper_bound(list.first, list.first + list.run_count, begin) - list.first - 1;
        for (; run < list.run_count && list.first[run] < end; ++run) {
          const index first = list.first[run], next = list.first[run + 1], kind = list.kinds[run];
          const prepared_gemm<T>& ready = kinds[static_cast<std::size_t>(kind)];
          gemm_arguments<T> g;
          if (list.shapes[kind].k > 0) {
            g.a.data = list.a + first;
            g.b.data = list.b + first;
          }
          g.c.data = list.c + first;
          g.count = next - first;
          g.alpha = list.alpha[kind];
          g.beta = list.beta[kind];
          // The lists go on behind the run, where the next kind reads its operands too.
          const bool goes_on = run + 1 < list.run_count && list.shapes[list.kinds[run + 1]].k > 0;
          run_gemm<T>(ready.shape, ready.kernel, ready.oriented(g), from,
                      (begin > first ? begin : first) - first, (end < next ? end : next) - first,
                      g.count + goes_on);
        }
      });
}

template <class T>
void run_shape(const gemm_shape& shape, const gemm_arguments<T>& g) {
  const prepared_gemm<T> ready(shape);
  run_gemm<T>(ready.shape, ready.kernel, ready.oriented(g));
}

}  // namespace

#define TENFOLD_DEFINE_GEMM(T)                                                            \
  void gemm(const gemm_shape& shape, const gemm_arguments<T>& g) { run_shape(shape, g); } \
  void gemm(const gemm_shape& shape, const gemm_arguments<T>& g, gemm_kernel<T> kernel) { \
    run_gemm<T>(shape, kernel, g);                                                        \
  }                                                                                       \
  void gemm(const gemm_list<T>& list) { run_list(list); }
TENFOLD_DEFINE_GEMM(float)
TENFOLD_DEFINE_GEMM(double)
TENFOLD_DEFINE_GEMM(std::complex<float>)
TENFOLD_DEFINE_GEMM(std::complex<double>)
#undef TENFOLD_DEFINE_GEMM

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
