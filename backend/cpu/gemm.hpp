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
/// kernels of other shapes (gemm_dynamic.isa.cpp); here are those of a shape that the compiler
/// knows.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

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
/// `at_once`: one register tile goes through no more problems than these before the next. Of a
/// batch beyond L2 they are as many as are fetched ahead, so that they come in the order of their
/// use: from L3 orders 12 to 20 are 1.2 times as fast as with 64 KB at once (Zen 5).
struct problem_steps {
  index a = 0, b = 0, c = 0;
  bool fetches = false;
  index next_a = 0, next_b = 0, next_c = 0;
  const problem_addresses* at = nullptr;
  index ahead = 1;
  index at_once = INT64_MAX;
};

/// Bytes of each operand that are fetched with each contracted value of each register tile.
struct fetch_rates {
  index a = 0, b = 0, c = 0;

  /// One problem has so many entries, and is computed in so many parts.
  template <class T>
  static constexpr fetch_rates of(index a, index b, index c, index parts) {
    if (parts == 0) return {};
    const double each = double{sizeof(T)} / static_cast<double>(parts);
    const auto rate = [&](index entries) {
      return static_cast<index>(static_cast<double>(entries) * each);
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
    fetch_cursor next{true, 0, 0, 0, rates.a, rates.b, rates.c};
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
          step.next_c == 0 ? 0 : rates.c};
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
  bool packs = false;       ///< B is copied into panels
  select::chunks rows{0, 1}, across{0, 1};  ///< cut into register tiles
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
  tile_walk walk = {};

  void run(const tile_operands<T>& t, index count, const problem_steps& step) const {
    products(walk, t, count, step);
  }
};

/// The kernel that the library carries for any shape that is oriented as select::gemm asked for.
/// The tuning must outlive it.
template <class T>
gemm_kernel<T> dynamic_kernel(const gemm_shape& s, select::gemm_path path, const gemm_tuning&);

/// The instruction set that this is compiled for.
inline constexpr instruction_set compiled_set = capabilities{device::cpu, lanes<double> * 8}.set();

/// The library's part, compiled for this instruction set: the walk over a batch in any layout, on
/// the threads of the caller's arena. Without a kernel, those that the library carries, by the
/// tuning given, or else by the one in use.
void gemm(const gemm_shape& shape, const gemm_arguments<float>& g);
void gemm(const gemm_shape& shape, const gemm_arguments<double>& g);
void gemm(const gemm_shape& shape, const gemm_arguments<std::complex<float>>& g);
void gemm(const gemm_shape& shape, const gemm_arguments<std::complex<double>>& g);
void gemm(const gemm_shape& shape, const gemm_arguments<float>& g, const gemm_tuning& tuned);
void gemm(const gemm_shape& shape, const gemm_arguments<double>& g, const gemm_tuning& tuned);
void gemm(const gemm_shape& shape, const gemm_arguments<std::complex<float>>& g,
          const gemm_tuning& tuned);
void gemm(const gemm_shape& shape, const gemm_arguments<std::complex<double>>& g,
          const gemm_tuning& tuned);
void gemm(const gemm_shape& shape, const gemm_arguments<float>& g,
          const gemm_kernel<float>& kernel);
void gemm(const gemm_shape& shape, const gemm_arguments<double>& g,
          const gemm_kernel<double>& kernel);
void gemm(const gemm_shape& shape, const gemm_arguments<std::complex<float>>& g,
          const gemm_kernel<std::complex<float>>& kernel);
void gemm(const gemm_shape& shape, const gemm_arguments<std::complex<double>>& g,
          const gemm_kernel<std::complex<double>>& kernel);

/// Products with a conjugate are made of conj(A) B:  A conj(B) = conj(conj(A) B).
constexpr bool conjugates_a(const gemm_shape& s) { return s.a.conjugated != s.b.conjugated; }

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
  for (index c = 0; c < full; ++c)
    down.template operator()<columns.longer, false>(c * columns.longer);
  if constexpr (ends_short) {
    constexpr index first = columns.long_count * columns.longer, width = columns.longer - 1;
    for (index c = 0; c < columns.short_count - 1; ++c)
      down.template operator()<width, false>(first + c * width);
    down.template operator()<width, true>(N - width);
  } else {
    down.template operator()<columns.longer, true>(N - columns.longer);
  }
}

/// Asked for once, not at each tile: the comparisons take the ports of multiply-adds.
template <class T>
bool is_sum_only(const tile_operands<T>& t) {
  return t.alpha == T(1) && t.beta == T(0);
}

/// A k that is unrolled, or dynamic_k.
constexpr int static_k(index k) {
  return k <= select::static_sum ? static_cast<int>(k) : dynamic_k;
}

/// What shapes the code of a product whose sizes the compiler knows: its register tile, what is
/// fetched meanwhile, and how far its loop over k is unrolled (tile_modes).
struct static_tiles {
  int width;  ///< entries of a vector
  int last;   ///< of the last of a row, where it is a narrower one; else 0
  select::tile_shape tile;
  select::fetch_choice ahead;
  int unroll;
  int kept = 0;        ///< vectors of columns for whose B there are registers (kept_columns)
  int kept_lines = 1;  ///< fetched with each pair of rows then
  int turned = 0;      ///< last columns that take their lanes from rows (turned_columns)
};
template <class T>
constexpr static_tiles columns_tiles(index m, index n, index k, bool shared_a,
                                     const gemm_tuning& tuned) {
  const int v = tuned.narrows != 0 ? neighbours_for<T>(n) : neighbours<T>;
  const index vectors = (n + v - 1) / v;
  constexpr auto bytes = static_cast<index>(sizeof(T));
  const select::tile_shape tile = select::columns_tile(m, vectors, registers, scalar_of<T>, tuned);
  const index rest = n % v;
  const int last = tuned.narrows > 1 && n > v && rest > 0 ? neighbours_for<T>(rest) : v;
  const int turned = shared_a ? select::turned_columns(m, n, k, v, registers, scalar_of<T>) : 0;
  const index whole = turned > 0 ? n / v : vectors;
  const int kept = select::kept_columns(m, whole, k, registers, scalar_of<T>);
  const auto fetched = [&](index parts) {
    return select::fetch_ahead(m * k * bytes, k * n * bytes, m * n * bytes, parts, tuned);
  };
  return {v,
          last < v ? last : 0,
          tile,
          fetched(tile_count(m, vectors, tile) * k),
          tuned.unroll,
          kept,
          kept > 0 ? fetched(tile_count(m, whole, {2, kept})).lines : 0,
          turned};
}
template <class T>
constexpr static_tiles lanes_tiles(index m, index n, index k, bool uniform_a,
                                   const gemm_tuning& tuned) {
  constexpr index bytes = static_cast<index>(sizeof(T)) * lanes<T>;
  const select::tile_shape tile =
      select::lanes_tile(m, n, registers, scalar_of<T>, uniform_a, tuned);
  return {lanes<T>, 0, tile,
          select::fetch_ahead(uniform_a ? 0 : m * k * bytes, k * n * bytes, m * n * bytes,
                              tile_count(m, n, tile) * k, tuned),
          tuned.unroll};
}

/// Calls f<m, n, How>(operands of the tile) for the register tiles by columns of one problem at t,
/// of `Columns` columns; `parts`: parts of a problem in which the tile fetches.
template <class T, int M, int Columns, static_tiles Tiles, select::tile_shape Tile, bool ConjugateA,
          class F>
[[gnu::always_inline]] inline void for_each_columns_tile(const tile_operands<T>& t,
                                                         fetch_cursor& next, index parts,
                                                         const F& f) {
  constexpr int v = Tiles.width;
  for_each_tile<M, (Columns + v - 1) / v, Tile>([&]<int m, int n, bool last>(
      index row, index column) __attribute__((always_inline)) {
    tile_operands<T> u = t;
    u.a += row * t.a_m;
    u.b += column * v;
    u.c += row * t.c_m + column * v;
    u.next = next;
    constexpr int narrow = last && Columns % v != 0 ? Tiles.last : 0;
    constexpr tile_modes how{.tail = last ? Columns % (narrow != 0 ? narrow : v) : 0,
                             .conjugate_a = ConjugateA,
                             .ahead = Tiles.ahead.to,
                             .lines = Tiles.ahead.lines,
                             .unroll = Tiles.unroll,
                             .last = n > 1 ? narrow : 0};
    f.template operator()<(n == 1 && narrow != 0 ? narrow : v), m, n, how>(u);
    next.advance(parts);
  });
}

/// The operands with the strides that are constants.
template <class T, tile_strides S, int V>
[[gnu::always_inline]] inline tile_operands<T> with_strides(tile_operands<T> t) {
  t.a_m = S.a_m;
  t.a_k = S.a_k;
  t.b_k = S.b_k;
  t.c_m = S.c_m;
  t.b_n = t.c_n = V;
  t.sum_only = is_sum_only(t);
  return t;
}

/// Calls f(operands, what is fetched meanwhile) for each problem, of which each fetches in `parts`.
template <class T, class F>
[[gnu::always_inline]] inline void for_each_problem(tile_operands<T> t, index problems,
                                                    const problem_steps& step,
                                                    const fetch_rates& rates, index parts,
                                                    const F& f) {
  fetch_cursor next = fetch_from(t, step, rates);
  for (index p = 0; p < problems; ++p) {
    if (step.at != nullptr) take(t, next, step, p);
    f(t, next);
    t.a += step.a;
    t.b += step.b;
    t.c += step.c;
    go_on<T>(next, step, parts);
  }
}

/// A products_function by columns.
template <class T, int M, int N, int K, tile_strides S, static_tiles Tiles, bool ConjugateA,
          epilogue Finish>
[[gnu::noinline]] void products_by_columns(const tile_walk&, const tile_operands<T>& from,
                                           index problems, const problem_steps& step) {
  constexpr int v = Tiles.width;
  static constexpr index parts = tile_count(M, (N + v - 1) / v, Tiles.tile) * K;
  for_each_problem(
      with_strides<T, S, v>(from), problems, step, fetch_rates::of<T>(M * K, K * N, M * N, parts),
      parts, [&](const tile_operands<T>& t, fetch_cursor& next) __attribute__((always_inline)) {
        for_each_columns_tile<T, M, N, Tiles, Tiles.tile, ConjugateA>(
            t, next, K,
            [&]<int W, int m, int n, tile_modes How>(const tile_operands<T>& u) __attribute__((
                always_inline)) { register_tile<T, W, m, n, static_k(K), How, Finish>(u, K); });
      });
}

/// A in blocks of W rows, in which neighbours are rows; zeros fill up the last.
template <class T, int W, int M, int K>
struct turned_rows {
  alignas(sizeof(T) * W) T entries[(M + W - 1) / W][K][W] = {};

  turned_rows(const T* a, index a_m, index a_k) {
    for (int m = 0; m < M; ++m)
      for (int k = 0; k < K; ++k) entries[m / W][k][m % W] = a[m * a_m + k * a_k];
  }
};

/// N columns of C, from t.c on, the lanes from its rows: C^T := B^T A^T.
template <class T, int W, int M, int N, int K>
[[gnu::always_inline]] inline void columns_of_turned_rows(const turned_rows<T, W, M, K>& a,
                                                          const tile_operands<T>& t) {
  tile_operands<T> u;
  u.a_m = 1;
  const auto block = [&]<int Rows>(int m) __attribute__((always_inline)) {
    const T(&rows)[K][W] = a.entries[m / W];
    accumulators<T, W, N, 1> sums;
    sums.template step<tile_modes{}, true>(t.b, &rows[0][0], u);
#pragma GCC unroll 16
    for (int k = 1; k < K; ++k) sums.template step<tile_modes{}>(t.b + k * t.b_k, &rows[k][0], u);
    T* const c = t.c + m * t.c_m;
#pragma GCC unroll 16
    for (int n = 0; n < N; ++n) {
      const auto lanes_of_sum = (typename short_vec<T, W>::type)sums.sum[n][0].data;
#pragma GCC unroll 16
      for (int i = 0; i < Rows; ++i) c[i * t.c_m + n] = lanes_of_sum[i];
    }
  };
#pragma GCC unroll 1
  for (int m = 0; m + W <= M; m += W) block.template operator()<W>(m);
  if constexpr (M % W > 0) block.template operator()<M % W>(M / W * W);
}

/// A products_function by columns where B stays in registers while the rows of A pass, and the last
/// columns may take their lanes from rows.
///
/// Not where C is read: what is left of a row is loaded and stored in part, and such a load behind
/// such a store of the row before waits for it (25 x 5 x 4, beta = 1, Zen 4: 0.19 of the rate).
template <class T, int M, int N, int K, tile_strides S, static_tiles Tiles, epilogue Finish>
[[gnu::noinline]] void products_of_kept_columns(const tile_walk& walk, const tile_operands<T>& from,
                                                index problems, const problem_steps& step) {
  constexpr bool turns = Tiles.turned > 0;
  if ((Finish == epilogue::update && !is_sum_only(from)) ||
      (turns && problems < select::turned_problems))
    return products_by_columns<T, M, N, K, S, Tiles, false, Finish>(walk, from, problems, step);

  constexpr int v = Tiles.width, columns = N - Tiles.turned;
  static constexpr select::tile_shape tile{M, Tiles.kept};
  constexpr int pairs = (M + 1) / 2;
  static constexpr index parts = tile_count(M, (columns + v - 1) / v, tile) * pairs;
  const auto each_problem = [&](const auto& last_columns) __attribute__((always_inline)) {
    for_each_problem(
        with_strides<T, S, v>(from), problems, step, fetch_rates::of<T>(M * K, K * N, M * N, parts),
        parts, [&](const tile_operands<T>& t, fetch_cursor& next) __attribute__((always_inline)) {
          for_each_columns_tile<T, M, columns, Tiles, tile, false>(
              t, next, pairs,
              [&]<int W, int, int n, tile_modes How>(const tile_operands<T>& u)
                  __attribute__((always_inline)) {
                    rows_of_kept_columns<T, W, M, n, K, How, Tiles.kept_lines>(u);
                  });
          last_columns(t);
        });
  };
  if constexpr (turns) {
    const T* const a = step.at != nullptr ? static_cast<const T*>(step.at->a) : from.a;
    const turned_rows<T, v, M, K> turned(a, S.a_m, S.a_k);
    each_problem([&](tile_operands<T> t) __attribute__((always_inline)) {
      t.b += columns;
      t.c += columns;
      columns_of_turned_rows<T, v, M, Tiles.turned, K>(turned, t);
    });
  } else {
    each_problem([](const tile_operands<T>&) {});
  }
}

/// The lanes of a vector that holds several rows of a matrix of order N, as many as there are; 0:
/// there is none, or no use for it.
///
/// Against products_by_columns, batch in L2, Sapphire Rapids: order 4 in double precision 1.3 times
/// as fast (in L1 0.86), in single 1.6 (1.3); order 8 in single 1.06 (in L1 0.8); order 2 0.93 in
/// double, 1.04 in single, when the loop over problems still asked at each. Zen 4, where it does
/// not: order 2 1.7 in double, 2.1 in single.
template <class T, index N>
constexpr int lanes_of_rows() {
  if constexpr (is_complex_type<T> || (N != 2 && N != 4)) {
    return 0;
  } else {
    constexpr int w = N * N < lanes<T> ? neighbours_for<T>(N * N) : lanes<T>;
    return w <= N * N && loads_first_whole<T, w, N> ? w : 0;
  }
}

/// Entry K of each row of N, in all lanes of that row.
template <class T, int W, int N, int K, int... I>
[[gnu::always_inline]] inline vec<T, W> spread_in_rows(vec<T, W> rows,
                                                       std::integer_sequence<int, I...>) {
  const auto from = (typename short_vec<T, W>::type)rows.data;
  rows.data = (decltype(rows.data))__builtin_shufflevector(from, from, (I / N * N + K)...);
  return rows;
}

/// One product of matrices of order N that lie row by row without gaps (B with BRow entries from
/// row to row): a vector is several rows of C, for each k those of A spread and the row of B
/// repeated. By columns a row would fill a part of a vector, and broadcasts be most of the work.
template <class T, int N, index BRow, epilogue Finish>
[[gnu::always_inline]] inline void product_by_rows(const tile_operands<T>& t) {
  constexpr int W = lanes_of_rows<T, N>(), vectors = N * N / W;
  constexpr auto lane = std::make_integer_sequence<int, W>{};
  accumulators<T, W, vectors, 1> acc;
  vec<T, W> a[vectors];
#pragma GCC unroll 16
  for (int i = 0; i < vectors; ++i) a[i] = load<T, W>(t.a + i * W);
  const auto add = [&]<int... K>(std::integer_sequence<int, K...>) __attribute__((always_inline)) {
    (
        [&]() __attribute__((always_inline)) {
          vec<T, W> row = load_first<T, W, N>(t.b + K * BRow);
          pin(row);
#pragma GCC unroll 16
          for (int i = 0; i < vectors; ++i) {
            const vec<T, W> spread = spread_in_rows<T, W, N, K>(a[i], lane);
            acc.sum[i][0] = K == 0 ? spread * row : fma(spread, row, acc.sum[i][0]);
          }
        }(),
        ...);
  };
  add(std::make_integer_sequence<int, N>{});
  acc.template finish<Finish>(t);
}

/// A products_function of them.
template <class T, int N, index BRow, epilogue Finish>
[[gnu::noinline]] void products_by_rows(const tile_walk&, const tile_operands<T>& from,
                                        index problems, const problem_steps& step) {
  constexpr index bytes = N * N * static_cast<index>(sizeof(T));
  tile_operands<T> t = from;
  t.c_m = lanes_of_rows<T, N>();
  t.sum_only = is_sum_only(t);
  fetch_cursor next = fetch_from(t, step, fetch_rates::of<T>(N * N, N * N, N * N, 1));
  if (t.sum_only && step.at == nullptr && !next.fetches) {  // nothing to ask at each problem
    const index along_a = step.a, along_b = step.b, along_c = step.c;
    for (index p = 0; p < problems; ++p) {
      product_by_rows<T, N, BRow, epilogue::overwrite>(t);
      t.a += along_a;
      t.b += along_b;
      t.c += along_c;
    }
    return;
  }
  for (index p = 0; p < problems; ++p) {
    if (step.at != nullptr) take(t, next, step, p);
    product_by_rows<T, N, BRow, Finish>(t);
    if (next.fetches) {
      for (const std::uintptr_t x : {next.a, next.b, next.c}) {
#pragma GCC unroll 8
        for (index line = 0; line < bytes; line += 64)
          __builtin_prefetch(reinterpret_cast<const char*>(x + static_cast<std::uintptr_t>(line)));
      }
      go_on<T>(next, step, 0);
    }
    t.a += step.a;
    t.b += step.b;
    t.c += step.c;
  }
}

/// A products_function by lanes; strides of `S` that are `dyn` are those of t.
template <class T, int M, int N, int K, tile_strides S, static_tiles Tiles, access A,
          bool ConjugateA, epilogue Finish>
[[gnu::noinline]] void products_by_lanes(const tile_walk&, const tile_operands<T>& from,
                                         index tiles, const problem_steps& step) {
  constexpr access how_lanes = is_complex_type<T> ? access::split : access::lanes;
  static constexpr index steps = tile_count(M, N, Tiles.tile) * K;
  tile_operands<T> t = from;
  if constexpr (S.a_m != dyn) t.a_m = S.a_m;
  if constexpr (S.a_k != dyn) t.a_k = S.a_k;
  if constexpr (S.b_k != dyn) t.b_k = S.b_k;
  if constexpr (S.b_n != dyn) t.b_n = S.b_n;
  if constexpr (S.c_m != dyn) t.c_m = S.c_m;
  if constexpr (S.c_n != dyn) t.c_n = S.c_n;
  t.sum_only = is_sum_only(t);
  constexpr index v = lanes<T>;
  fetch_cursor next =
      fetch_from(t, step, fetch_rates::of<T>(M * K * v, K * N * v, M * N * v, steps));
  for (index i = 0; i < tiles; ++i) {
    // Row by row: B is walked as it lies, and A stays (n = 32, where rows of B 2 KB
    // apart meet in the cache: 0.86 instead of 0.75 of the peak).
    for_each_tile<N, M, select::tile_shape{Tiles.tile.n, Tiles.tile.m}>([&]<int n, int m, bool>(
        index column, index row) __attribute__((always_inline)) {
      tile_operands<T> u = t;
      u.a += row * t.a_m;
      u.b += column * t.b_n;
      u.c += row * t.c_m + column * t.c_n;
      constexpr tile_modes how{A,          how_lanes,      false,
                               true,       how_lanes,      0,
                               ConjugateA, Tiles.ahead.to, Tiles.ahead.lines,
                               true,       Tiles.unroll};
      u.next = next;
      register_tile<T, lanes<T>, m, n, static_k(K), how, Finish>(u, K);
      next.advance(K);
    });
    t.a += step.a;
    t.b += step.b;
    t.c += step.c;
    go_on<T>(next, step, steps);
  }
}

/// The order of entries in a tile of lanes in scratch: that of memory, so that whole runs move.
struct tile_order {
  index row = 0, column = 0;  ///< entries of T lanes from one row, or column, to the next
};
constexpr tile_order order_in_tile(const matrix_batch& x, index rows, index columns) {
  return x.column != 1 && x.row == 1 ? tile_order{1, rows} : tile_order{columns, 1};
}

/// Whether one matrix, wherever its entries lie, is broadcast to all lanes.
template <class T>
constexpr bool is_uniform(const matrix_batch& a) {
  return a.shared && select::has_strides(a, scalar_of<T>);
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
  const tile_order a = is_uniform<T>(s.a) ? tile_order{s.a.row * s.a.block, s.a.column * s.a.block}
                                          : order(s.a, s.m, s.k),
                   b = order(s.b, s.k, s.n), c = order(s.c, s.m, s.n);
  return {a.row, a.column, 0, b.row, b.column, c.row, c.column};
}

/// The kernel of a shape that is oriented as select::gemm asked for. `Scaled`: alpha and beta are
/// more than 1 and 0; without, there is half as much to compile.
template <class T, gemm_shape S, select::gemm_path Path, static_tiles Tiles, bool Scaled = true>
constexpr gemm_kernel<T> static_kernel(const gemm_tuning& tuned) {
  constexpr int m = static_cast<int>(S.m), n = static_cast<int>(S.n), k = static_cast<int>(S.k);
  constexpr bool conjugate = is_complex_type<T> && conjugates_a(S);
  constexpr epilogue finish = Scaled || S.b.conjugated ? epilogue::update : epilogue::overwrite;
  if constexpr (Path == select::gemm_path::by_columns) {
    constexpr tile_strides strides = strides_by_columns<T>(S);
    constexpr bool has_rows = m == n && k == n && strides.a_m == n && strides.a_k == 1 &&
                              strides.c_m == n && lanes_of_rows<T, n>() > 0;
    if constexpr (has_rows) {
      return {products_by_rows<T, n, strides.b_k, finish>, Path, select::fetch::into_l1, &tuned};
    } else if constexpr (Tiles.kept > 0) {
      return {products_of_kept_columns<T, m, n, k, strides, Tiles, finish>, Path, Tiles.ahead.to,
              &tuned};
    } else {
      return {products_by_columns<T, m, n, k, strides, Tiles, conjugate, finish>, Path,
              Tiles.ahead.to, &tuned};
    }
  } else {
    constexpr access a = is_uniform<T>(S.a)   ? access::uniform
                         : is_complex_type<T> ? access::split
                                              : access::lanes;
    return {products_by_lanes<T, m, n, k, strides_by_lanes<T>(S), Tiles, a, conjugate, finish>,
            Path, Tiles.ahead.to, &tuned};
  }
}

/// What shapes the code of a shape that is so oriented.
template <class T>
constexpr static_tiles tiles_of(const gemm_shape& s, select::gemm_path path,
                                const gemm_tuning& tuned) {
  return path == select::gemm_path::by_columns
             ? columns_tiles<T>(s.m, s.n, s.k, s.a.shared, tuned)
             : lanes_tiles<T>(s.m, s.n, s.k, is_uniform<T>(s.a), tuned);
}

/// Runs the products of the shape S, whose scalar is T, by the tuning that is built in; those of
/// large matrices by the kernels that the library carries.
template <gemm_shape S, bool Scaled = true, class T>
[[gnu::always_inline]] inline void run_static_gemm(const gemm_arguments<T>& g) {
  constexpr gemm_shape shape = select::without_unit_axes(S);
  static constexpr gemm_tuning tuned = select::built_in(compiled_set, class_of(shape));
  constexpr select::gemm_choice choice = select::gemm(shape, lanes<T>, tuned);
  static constexpr gemm_shape oriented = choice.transposed ? transposed(shape) : shape;
  if constexpr (!select::has_static_code(oriented, tuned)) {
    gemm(S, g);
  } else {
    constexpr static_tiles tiles = tiles_of<T>(oriented, choice.path, tuned);
    static constexpr gemm_kernel<T> kernel =
        static_kernel<T, oriented, choice.path, tiles, Scaled>(tuned);
    gemm(oriented, choice.transposed ? transposed(g) : g, kernel);
  }
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
