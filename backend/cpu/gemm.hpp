#pragma once

#include <tenfold/backend/cpu/batch_tile.hpp>
#include <tenfold/backend/cpu/parallel.hpp>
#include <tenfold/backend/cpu/register_tile.hpp>
#include <tenfold/backend/cpu/scratch.hpp>
#include <tenfold/backend/interface/gemm.hpp>
#include <tenfold/backend/interface/select.hpp>

/// Batched matrix products. There are two ways to fill the lanes:
///   by columns  V neighbouring columns of one C: row by row, A broadcast
///   by lanes    one entry of V problems: every operation is V products at once
/// What an operand's layout does not offer is made on the way, in scratch: one problem, or one tile of
/// V problems, at a time. Micro-kernels are register tiles (register_tile.hpp); a `Kernel` is what
/// calls them, for sizes that are constants (below) or numbers (gemm.isa.cpp):
///   kernel.shape()                                    gemm_shape
///   kernel.by_columns(operands, problems, steps)      strides of A, B, C given, b_n = c_n = V
///   kernel.by_lanes(operands, tiles, steps)           tiles of V problems; A uniform if it is shared
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Entries from one problem to the next.
struct problem_steps {
  index a = 0, b = 0, c = 0;
};

/// Products with a conjugate are made of conj(A) B:  A conj(B) = conj(conj(A) B).
constexpr bool conjugates_a(const gemm_shape& s) { return s.a.conjugated != s.b.conjugated; }

// ---- by columns ----------------------------------------------------------------------------------

template <class T, class Kernel>
void gemm_by_columns(const Kernel& kernel, const gemm_arguments<T>& g, index begin, index end) {
  const gemm_shape& s = kernel.shape();
  const bool a_in = has_strides<T>(s.a), b_in = select::has_rows(s.b), c_in = select::has_rows(s.c);
  constexpr index v = lanes<T>;
  const index ld = (s.n + v - 1) / v * v;
  tile_operands<T> t;
  t.a_m = a_in ? s.a.row * s.a.block : s.k;
  t.a_k = a_in ? s.a.column * s.a.block : 1;
  t.b_k = b_in ? s.b.row : ld;
  t.c_m = c_in ? s.c.row : ld;
  t.alpha = g.alpha;
  t.beta = s.c.layout == batch_layout::gathered ? T(0) : g.beta;
  t.conjugate_sum = s.b.conjugated;

  const auto steps_through = [](const matrix_batch& x) { return x.layout == batch_layout::strided; };
  if (a_in && b_in && c_in && steps_through(s.a) && steps_through(s.b) && steps_through(s.c)) {
    t.a = problem_address<T>(s.a, g.a, begin);
    t.b = problem_address<T>(s.b, g.b, begin);
    t.c = problem_address<T>(s.c, g.c, begin);
    return kernel.by_columns(t, end - begin, {g.a.problem, g.b.problem, g.c.problem});
  }

  const index a_size = a_in ? 0 : s.m * s.k, b_size = b_in ? 0 : s.k * ld;
  const scratch_block block(static_cast<std::size_t>(a_size + b_size + (c_in ? 0 : s.m * ld)) *
                            sizeof(T));
  T* const b_scratch = block.as<T>();
  T* const c_scratch = b_scratch + b_size;
  T* const a_scratch = c_scratch + (c_in ? 0 : s.m * ld);
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
    kernel.by_columns(t, 1, {});
    if (!c_in) write_matrix<T>(c_scratch, ld, s.c, g.c, s.m, s.n, p);
  }
}

// ---- by lanes ------------------------------------------------------------------------------------

/// Whether problems may be neighbours in a strided batch: neither rows nor columns are.
template <class T>
constexpr bool steps_over_lanes(const matrix_batch& x) {
  return !is_complex_type<T> && x.layout == batch_layout::strided && x.row != 1 && x.column != 1;
}

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

/// Whether a call, or the place in the batch, decides that.
template <class T>
constexpr bool may_lie_in_lanes(const matrix_batch& x) {
  constexpr index v = lanes<T>;
  return x.layout == batch_layout::interleaved ? x.block % v != 0 && x.block > v
                                               : steps_over_lanes<T>(x);
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

/// Whether one matrix, wherever its entries lie, is broadcast to all lanes.
template <class T>
constexpr bool is_uniform(const matrix_batch& a) {
  return a.shared && has_strides<T>(a);
}

/// Tiles [begin, end) of V problems.
template <class T, class Kernel>
void gemm_by_lanes(const Kernel& kernel, const gemm_arguments<T>& g, index begin, index end) {
  const gemm_shape& s = kernel.shape();
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
  const bool uniform = is_uniform<T>(s.a);
  if (uniform) take_a(lanes_in_place<T>(s.a, g.a, 0));

  // Everything interleaved in equal blocks of whole vectors: every block_tiles-th tile is a step on.
  const index block = s.c.block, block_tiles = block / v;
  const auto in_blocks = [&](const matrix_batch& x) {
    return x.layout == batch_layout::interleaved && x.block == block && block % v == 0;
  };
  if ((uniform || in_blocks(s.a)) && in_blocks(s.b) && in_blocks(s.c)) {
    for (index first = begin; first < end && first < begin + block_tiles; ++first) {
      if (!uniform) take_a(lanes_in_place<T>(s.a, g.a, first * v));
      take_b(lanes_in_place<T>(s.b, g.b, first * v));
      take_c(lanes_in_place<T>(s.c, g.c, first * v));
      kernel.by_lanes(t, (end - first + block_tiles - 1) / block_tiles,
                      {uniform ? 0 : g.a.problem, g.b.problem, g.c.problem});
    }
    return;
  }

  const scratch_block scratch(
      static_cast<std::size_t>((s.m * s.k + s.k * s.n + s.m * s.n) * v) * sizeof(T));
  T* const b_scratch = scratch.as<T>();
  T* const c_scratch = b_scratch + s.k * s.n * v;
  T* const a_scratch = c_scratch + s.m * s.n * v;
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
    kernel.by_lanes(t, 1, {});
    if (!in_place) write_tile<T>(c_scratch, s.c, g.c, s.m, s.n, p, count);
  }
}

// ---- the batch -----------------------------------------------------------------------------------

/// C := beta C, once for each entry that the map names.
template <class T>
void scale_gathered(const gemm_shape& s, const gemm_arguments<T>& g) {
  if (g.beta == T(1)) return;
  index size = 0;
  const auto each = [&](const auto& f) {
    for (index p = 0; p < g.count; ++p)
      for (index i = 0; i < s.m; ++i)
        for (index j = 0; j < s.n; ++j) {
          const index at =
              gathered_at(g.c, p * g.c.problem + i * s.c.row + j * s.c.column);
          if (at >= 0) f(at);
        }
  };
  each([&](index at) { size = at < size ? size : at + 1; });
  if (size == 0) return;
  const scratch_block seen(static_cast<std::size_t>(size));
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
/// that holds its first problem.
template <class T, class Kernel>
void run_gemm(const Kernel& kernel, const gemm_arguments<T>& g, select::gemm_path path, index begin,
              index end) {
  constexpr index v = lanes<T>;
  if (path == select::gemm_path::by_lanes)
    gemm_by_lanes<T>(kernel, g, (begin + v - 1) / v, (end + v - 1) / v);
  else
    gemm_by_columns<T>(kernel, g, begin, end);
}

/// C(b) := alpha A(b) B(b) + beta C(b) for all problems, in the way that was chosen for the shape,
/// on the threads of the caller's arena. Gathered results of several problems may meet in one entry:
/// they are added in the order of the batch, by one thread.
template <class T, class Kernel>
void run_gemm(const Kernel& kernel, const gemm_arguments<T>& g, select::gemm_path path) {
  const bool adds = kernel.shape().c.layout == batch_layout::gathered;
  if (adds) scale_gathered(kernel.shape(), g);
  parallel_tiles(g.count, adds ? g.count : select::tiles_per_task(flops_of<T>(kernel.shape())),
                 [&](index begin, index end) { run_gemm<T>(kernel, g, path, begin, end); });
}

// ---- sizes that are constants --------------------------------------------------------------------

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
  for (index c = 0; c < full; ++c) down.template operator()<columns.longer, false>(c * columns.longer);
  if constexpr (ends_short) {
    constexpr index first = columns.long_count * columns.longer, width = columns.longer - 1;
    for (index c = 0; c < columns.short_count - 1; ++c)
      down.template operator()<width, false>(first + c * width);
    down.template operator()<width, true>(N - width);
  } else {
    down.template operator()<columns.longer, true>(N - columns.longer);
  }
}

/// A k that is unrolled, or dynamic_k.
constexpr int static_k(index k) {
  return k <= select::static_sum ? static_cast<int>(k) : dynamic_k;
}

/// The products of a batch whose operands all have rows; strides of `S` that are `dyn` are those of t.
template <class T, int M, int N, int K, tile_strides S, bool ConjugateA>
[[gnu::noinline]] void products_by_columns(tile_operands<T> t, index problems, problem_steps step) {
  constexpr int v = lanes<T>, vectors = (N + v - 1) / v;
  constexpr select::tile_shape shape = select::columns_tile(M, vectors, registers, scalar_of<T>);
  if constexpr (S.a_m != dyn) t.a_m = S.a_m;
  if constexpr (S.a_k != dyn) t.a_k = S.a_k;
  if constexpr (S.b_k != dyn) t.b_k = S.b_k;
  if constexpr (S.c_m != dyn) t.c_m = S.c_m;
  t.b_n = t.c_n = v;
  t.tail = N % v;
  for (index p = 0; p < problems; ++p) {
    for_each_tile<M, vectors, shape>([&]<int m, int n, bool last>(index row, index column)
                                         __attribute__((always_inline)) {
      tile_operands<T> u = t;
      u.a += row * t.a_m;
      u.b += column * v;
      u.c += row * t.c_m + column * v;
      constexpr tile_modes how{access::uniform, access::lanes,    false,     true,
                               access::lanes,   last && N % v != 0, ConjugateA};
      register_tile<T, v, m, n, static_k(K), how, epilogue::update>(u, K);
    });
    t.a += step.a;
    t.b += step.b;
    t.c += step.c;
  }
}

/// The products of tiles of lanes; strides of `S` that are `dyn` are those of t.
template <class T, int M, int N, int K, tile_strides S, access A, bool ConjugateA>
[[gnu::noinline]] void products_by_lanes(tile_operands<T> t, index tiles, problem_steps step) {
  constexpr access how_lanes = is_complex_type<T> ? access::split : access::lanes;
  constexpr tile_modes how{A, how_lanes, false, true, how_lanes, false, ConjugateA};
  constexpr select::tile_shape shape =
      select::lanes_tile(M, N, registers, scalar_of<T>, A == access::uniform);
  if constexpr (S.a_m != dyn) t.a_m = S.a_m;
  if constexpr (S.a_k != dyn) t.a_k = S.a_k;
  if constexpr (S.b_k != dyn) t.b_k = S.b_k;
  if constexpr (S.b_n != dyn) t.b_n = S.b_n;
  if constexpr (S.c_m != dyn) t.c_m = S.c_m;
  if constexpr (S.c_n != dyn) t.c_n = S.c_n;
  for (index i = 0; i < tiles; ++i) {
    for_each_tile<M, N, shape>([&]<int m, int n, bool>(index row, index column)
                                   __attribute__((always_inline)) {
      tile_operands<T> u = t;
      u.a += row * t.a_m;
      u.b += column * t.b_n;
      u.c += row * t.c_m + column * t.c_n;
      register_tile<T, lanes<T>, m, n, static_k(K), how, epilogue::update>(u, K);
    });
    t.a += step.a;
    t.b += step.b;
    t.c += step.c;
  }
}

/// The kernel of a shape that is a constant. `S` is oriented as select::gemm asked for.
template <class T, gemm_shape S>
struct static_gemm {
  static constexpr gemm_shape value = S;
  static constexpr const gemm_shape& shape() { return value; }
  static constexpr int m = static_cast<int>(S.m), n = static_cast<int>(S.n),
                       k = static_cast<int>(S.k);

  [[gnu::always_inline]] static void by_columns(const tile_operands<T>& t, index problems,
                                                problem_steps step) {
    constexpr index v = lanes<T>, ld = (S.n + v - 1) / v * v;
    constexpr bool a_in = has_strides<T>(S.a), b_in = select::has_rows(S.b),
                   c_in = select::has_rows(S.c);
    constexpr tile_strides strides{a_in ? S.a.row * S.a.block : S.k,
                                   a_in ? S.a.column * S.a.block : 1,
                                   0,
                                   b_in ? S.b.row : ld,
                                   0,
                                   c_in ? S.c.row : ld,
                                   0};
    products_by_columns<T, m, n, k, strides, conjugates_a(S)>(t, problems, step);
  }
  [[gnu::always_inline]] static void by_lanes(const tile_operands<T>& t, index tiles,
                                              problem_steps step) {
    constexpr index v = lanes<T>;
    constexpr auto order = [](const matrix_batch& x, index rows, index columns) {
      if (may_lie_in_lanes<T>(x)) return tile_order{dyn, dyn};
      if (x.layout == batch_layout::interleaved && x.block % v == 0)
        return tile_order{x.row * x.block, x.column * x.block};
      const tile_order o = order_in_tile(x, rows, columns);
      return tile_order{o.row * v, o.column * v};
    };
    constexpr bool uniform = is_uniform<T>(S.a);
    constexpr tile_order a = uniform ? tile_order{S.a.row * S.a.block, S.a.column * S.a.block}
                                     : order(S.a, S.m, S.k),
                         b = order(S.b, S.k, S.n), c = order(S.c, S.m, S.n);
    constexpr tile_strides strides{a.row, a.column, 0, b.row, b.column, c.row, c.column};
    constexpr access how = uniform               ? access::uniform
                           : is_complex_type<T> ? access::split
                                                : access::lanes;
    products_by_lanes<T, m, n, k, strides, how, conjugates_a(S)>(t, tiles, step);
  }
};

/// Runs the products of the shape S, whose scalar is T.
template <gemm_shape S, class T>
void run_static_gemm(const gemm_arguments<T>& g) {
  constexpr select::gemm_choice choice = select::gemm(S, lanes<T>);
  if constexpr (choice.transposed)
    run_gemm<T>(static_gemm<T, transposed(S)>{}, transposed(g), choice.path);
  else
    run_gemm<T>(static_gemm<T, S>{}, g, choice.path);
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
