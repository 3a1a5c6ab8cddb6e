#pragma once

#include <cstdint>
#include <tenfold/backend/cpu/register_tile.hpp>
#include <tenfold/backend/interface/gemm.hpp>
#include <tenfold/backend/interface/select.hpp>

/// Batched matrix products. There are two ways to fill the lanes:
///   by columns  V neighbouring columns of one C: row by row, A broadcast
///   by lanes    one entry of V problems: every operation is V products at once
/// What an operand's layout does not offer is made on the way, in scratch: one problem, or one tile
/// of V problems, at a time. That and the threads are the library's (gemm.isa.cpp), as are the
/// kernels of shapes that are numbers (gemm_dynamic.hpp); those of a shape that the compiler
/// knows are in gemm_static.hpp. Here is what all of them share.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// How entries lie whose lanes are problems.
template <class T>
inline constexpr lane_access problem_lanes =
    is_complex_type<T> ? lane_access::split : lane_access::lanes;

/// Where the matrices of one problem lie.
struct problem_addresses {
  const void *a, *b;
  void* c;
};

/// Entries from one problem, or tile of V problems, to the next.
///
/// `fetches`: while one is computed, the one that lies next_a, next_b and next_c further is fetched
/// into the caches; C, which may only be written, is left alone where next_c is 0.
///
/// `at`: by columns, the addresses of the problems, which then have no steps, and of `ahead` more:
/// so far ahead they are fetched.
///
/// `at_once`: one register tile goes through no more problems than these before the next
/// (select::problems_at_most).
///
/// `from_memory`: where problems come from, see select::lanes_panels.
struct problem_steps {
  index a = 0, b = 0, c = 0;
  bool fetches = false;
  index next_a = 0, next_b = 0, next_c = 0;
  const problem_addresses* at = nullptr;
  index ahead = 1;
  index at_once = INT64_MAX;
  bool from_memory = false;
};

/// Bytes of each operand that are fetched with each contracted value of each register tile.
struct fetch_rates {
  index a = 0, b = 0, c = 0;
  int lines = 0;  ///< see fetch_cursor

  /// One problem has so many entries, and is computed in so many parts. Rounded up: of what is left
  /// out each line costs the time that memory takes to answer.
  template <class T>
  static constexpr fetch_rates of(index a, index b, index c, index parts) {
    if (parts == 0) return {};
    const double each = double{sizeof(T)} / static_cast<double>(parts);
    const auto rate = [&](index entries) {
      const double bytes = static_cast<double>(entries) * each;
      const auto whole = static_cast<index>(bytes);
      return static_cast<double>(whole) < bytes ? whole + 1 : whole;
    };
    return {rate(a), rate(b), rate(c)};
  }
};

/// Fetches from the first entries of a problem on.
[[gnu::always_inline]] inline void start_at(fetch_cursor& next, const problem_addresses& problem) {
  next.a = reinterpret_cast<std::uintptr_t>(problem.a);
  next.b = reinterpret_cast<std::uintptr_t>(problem.b);
  next.c = reinterpret_cast<std::uintptr_t>(problem.c);
}
/// Computes problem p of those at addresses, and fetches the one that is to be fetched with it.
template <class T>
[[gnu::always_inline]] inline void take(tile_operands<T>& t, fetch_cursor& next,
                                        const problem_steps& step, index p) {
  t.a = static_cast<const T*>(step.at[p].a);
  t.b = static_cast<const T*>(step.at[p].b);
  t.c = static_cast<T*>(step.at[p].c);
  if (next.fetches) start_at(next, step.at[p + step.ahead]);
}

/// What is fetched while the problem at `t` is computed.
template <class T>
[[gnu::always_inline]] inline fetch_cursor fetch_from(const tile_operands<T>& t,
                                                      const problem_steps& step,
                                                      const fetch_rates& rates) {
  if (!step.fetches) return {};
  if (step.at != nullptr) {
    fetch_cursor next{true, 0, 0, 0, rates.a, rates.b, rates.c, rates.lines};
    const problem_addresses& fetched = step.at[step.ahead];
    if (step.at->a == fetched.a) next.rate_a = 0;
    if (step.at->b == fetched.b) next.rate_b = 0;
    start_at(next, fetched);
    return next;
  }
  const auto address = [](const T* x, index distance) {
    return reinterpret_cast<std::uintptr_t>(x) +
           static_cast<std::uintptr_t>(distance * static_cast<index>(sizeof(T)));
  };
  return {true,
          address(t.a, step.next_a),
          address(t.b, step.next_b),
          address(t.c, step.next_c),
          step.next_a == 0 ? 0 : rates.a,
          step.next_b == 0 ? 0 : rates.b,
          step.next_c == 0 ? 0 : rates.c,
          rates.lines};
}
/// On by so many problems, after `parts` parts of one.
template <class T>
[[gnu::always_inline]] inline void go_on(fetch_cursor& next, const problem_steps& step, index parts,
                                         index problems = 1) {
  const auto move = [&](std::uintptr_t& at, index entries, index rate) {
    at += static_cast<std::uintptr_t>(problems * entries * index{sizeof(T)} - parts * rate);
  };
  move(next.a, step.a, next.rate_a);
  move(next.b, step.b, next.rate_b);
  move(next.c, step.c, next.rate_c);
}

/// Register tiles of m x n entries.
constexpr index tile_count(index m, index n, select::tile_shape tile) {
  return (m + tile.m - 1) / tile.m * ((n + tile.n - 1) / tile.n);
}

/// How a kernel of any shape goes through one product; one of a fixed shape needs none of it.
struct tile_walk {
  index m = 0, k = 0, columns = 0;  ///< columns: vectors, or entries
  int width = 1, tail = 0;  ///< by columns: entries of a vector, and of the last one if not 0
  bool packs = false;       ///< columns of B are copied before all rows pass
  select::chunks rows{0, 1}, across{0, 1};  ///< cut into register tiles
  select::lanes_panels near{1}, far{1};     ///< by lanes, of problems in cache and in memory
  fetch_rates rates;
  index group = 1;  ///< problems through which one register tile goes before the next

  constexpr index parts(const select::chunks& in_columns) const {
    return rows.count() * in_columns.count() * k;
  }
};

/// C := alpha A B + beta C for `count` problems (by lanes: tiles of V problems) from `t` on, the
/// strides of `t` given.
template <class T>
using products_function = void (*)(const tile_walk&, const tile_operands<T>& t, index count,
                                   const problem_steps& step);

/// What does the products of an oriented shape, and how its lanes are filled.
template <class T>
struct gemm_kernel {
  products_function<T> products = nullptr;
  select::gemm_path path = select::gemm_path::by_columns;
  select::fetch ahead = select::fetch::none;
  const gemm_tuning* tuned = nullptr;  ///< for the walk over the batch
  int lanes = 1;                       ///< by lanes: problems of one tile
  tile_walk walk = {};
  /// The same for tile_operands::past_caches, where C and the steps along it are lines of memory.
  products_function<T> past_caches = nullptr;

  void run(const tile_operands<T>& t, index count, const problem_steps& step) const {
    products(walk, t, count, step);
  }
};

/// The kernel that the library carries for any shape that is oriented as select::gemm asked for.
/// The tuning must outlive it.
template <class T>
gemm_kernel<T> dynamic_kernel(const gemm_shape& s, select::gemm_path path, const gemm_tuning&);

/// The instruction set that this is compiled for.
inline constexpr instruction_set compiled_set = capabilities{lanes<double> * 8}.set();

/// The library's part, compiled for this instruction set: the walk over a batch in any layout, on
/// the threads of the caller's arena. Without a kernel, those that the library carries, by the
/// tuning given, or else by the one in use. T: float, double, or std::complex of them.
template <class T>
void gemm(const gemm_shape& shape, const gemm_arguments<T>& g);
template <class T>
void gemm(const gemm_shape& shape, const gemm_arguments<T>& g, const gemm_tuning& tuned);
template <class T>
void gemm(const gemm_shape& shape, const gemm_arguments<T>& g, const gemm_kernel<T>& kernel);

/// Products with a conjugate are made of conj(A) B:  A conj(B) = conj(conj(A) B).
constexpr bool conjugates_a(const gemm_shape& s) { return s.a.conjugated != s.b.conjugated; }

/// Asked for once, not at each tile: the comparisons take the ports of multiply-adds.
template <class T>
bool is_sum_only(const tile_operands<T>& t) {
  return t.alpha == T(1) && t.beta == T(0);
}

/// The order of entries in a tile of lanes in scratch: that of memory, so that whole runs move.
struct tile_order {
  index row = 0, column = 0;  ///< entries of T lanes from one row, or column, to the next
};
constexpr tile_order order_in_tile(const matrix_batch& x, index rows, index columns) {
  return x.column != 1 && x.row == 1 ? tile_order{1, rows} : tile_order{columns, 1};
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

/// The strides by columns: in place, or of a copy in scratch.
template <class T>
constexpr tile_strides strides_by_columns(const gemm_shape& s) {
  constexpr index v = lanes<T>;
  const index ld = (s.n + v - 1) / v * v;
  const bool a_in = select::has_strides(s.a, scalar_of<T>);
  tile_strides to{};
  to.a_m = a_in ? s.a.row * s.a.block : s.k;
  to.a_k = a_in ? s.a.column * s.a.block : 1;
  to.b_k = select::has_rows(s.b) ? s.b.row : ld;
  to.c_m = select::has_rows(s.c) ? s.c.row : ld;
  return to;
}

/// Whether problems may be neighbours in a strided batch: neither rows nor columns are.
template <class T>
constexpr bool steps_over_lanes(const matrix_batch& x) {
  return !is_complex_type<T> && x.layout == batch_layout::strided && x.row != 1 && x.column != 1;
}

/// The strides by lanes; `dyn` where a call, or the place in the batch, decides whether problems
/// lie in lanes.
template <class T>
constexpr tile_strides strides_by_lanes(const gemm_shape& s) {
  constexpr index v = lanes<T>;
  const auto order = [](const matrix_batch& x, index rows, index columns) {
    if (x.layout == batch_layout::interleaved && x.block % v == 0)
      return tile_order{x.row * x.block, x.column * x.block};
    if (steps_over_lanes<T>(x) || (x.layout == batch_layout::interleaved && x.block > v))
      return tile_order{dyn, dyn};
    const tile_order o = order_in_tile(x, rows, columns);
    return tile_order{o.row * v, o.column * v};
  };
  const tile_order a = select::is_uniform(s.a, s.type)
                           ? tile_order{s.a.row * s.a.block, s.a.column * s.a.block}
                           : order(s.a, s.m, s.k),
                   b = order(s.b, s.k, s.n), c = order(s.c, s.m, s.n);
  return {a.row, a.column, 0, b.row, b.column, c.row, c.column};
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
