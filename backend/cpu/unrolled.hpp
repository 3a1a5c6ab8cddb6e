#pragma once

#include <tenfold/backend/cpu/lane_sums.hpp>
#include <tenfold/backend/cpu/register_tile.hpp>
#include <tenfold/backend/cpu/transpose.hpp>

/// Steps of programs that are unrolled whole: a few vectors whose lanes are neighbouring entries of
/// the result or neighbouring terms of a sum. The compilers alone find them in half of such loops
/// (Granite Rapids, g++ 12: 16 x 4 times 4 and 36 terms at a quarter and half of Eigen's rate).
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// What the lanes of such a step are.
enum class unrolled_lanes {
  none,        ///< plain scalars
  entries,     ///< entries of C that are neighbours in A and B, too
  columns,     ///< entries of a row of C that are neighbours in B, too
  outer,       ///< neighbouring entries of an outer product, across the ends of its rows
  transposed,  ///< such entries, of a B whose neighbours are terms: transposed in registers
  terms        ///< terms of the sums that a row of C is, whose lanes are added at the end
};

/// Terms in a vector where lanes are terms.
template <class T>
constexpr int terms_width(index k) {
  return select::terms_lanes(k, neighbours_for<T>(k), scalar_of<T>);
}

/// Whether a step is an outer product whose rows end within a vector and follow each other, so that
/// whole vectors of it are shuffled together from one vector of each factor. (Row by row most of
/// its stores would meet two lines: 6 x 6 0.7 of the rate, Emerald Rapids.)
template <class T>
constexpr bool is_outer(const program_step& s) {
  return s.k.extent == 1 && s.outer_count == 0 && s.m.a == 1 && s.m.c == s.n.extent &&
         s.m.extent > 1 && s.m.extent <= lanes<T> && s.n.extent < lanes<T> &&
         s.n.extent % neighbours_for<T>(s.n.extent) != 0;
}

/// The lanes that a step, of which all is known, can take.
template <class T>
constexpr unrolled_lanes lanes_of_unrolled(const program_step& s) {
  if (is_complex_type<T> || s.k_outer_count > 0 || s.b.where == buffer::none)
    return unrolled_lanes::none;
  const bool along = s.n.extent > 1 && s.n.c == 1;
  if (s.a_varies)
    return along && s.n.a == 1 && s.n.b == 1 && s.m.extent == 1 && s.k.extent == 1
               ? unrolled_lanes::entries
               : unrolled_lanes::none;
  if (along && s.n.b == 1 && is_outer<T>(s)) return unrolled_lanes::outer;
  if (along && s.n.b == 1) return unrolled_lanes::columns;
  if (s.m.extent == 1 && s.k.a == 1 && s.k.b == 1 && s.k.extent > 1 &&
      (s.n.extent == 1 ||
       (along && select::adds_lanes_unrolled(s.k.extent, terms_width<T>(s.k.extent)))))
    return unrolled_lanes::terms;
  if (along && s.k.b == 1 && s.k.extent > 1 && s.k.extent <= 2 * lanes<T> &&
      select::transposes_unrolled(s.m.extent, s.n.extent, s.k.extent,
                                  neighbours_for<T>(s.k.extent)))
    return unrolled_lanes::transposed;
  return unrolled_lanes::none;
}

/// The first Count entries at p, anything behind.
template <class T, int W, int Count>
[[gnu::always_inline]] inline vec<T, W> load_some(const T* p) {
  if constexpr (Count >= W)
    return load<T, W>(p);
  else
    return load_first<T, W, Count>(p);
}

/// A vector of real numbers as one whose lanes the compiler can shuffle.
template <class T, int W>
[[gnu::always_inline]] inline auto as_lanes(const vec<T, W>& v) {
  typename short_vec<T, W>::type lanes;
  std::memcpy(&lanes, &v, sizeof lanes);
  return lanes;
}

/// X[k][l] := B[k][l] for k < K, l < Count, where entries k of B are neighbours and lanes b_n
/// apart.
template <class T, int W, int K, int Count>
[[gnu::always_inline]] inline void load_transposed(const T* b, index b_n, vec<T, W>* x) {
  static_assert(K <= W);
  entry_row<T, W> row[W] = {};
#pragma GCC unroll 16
  for (int l = 0; l < Count; ++l) row[l] = as_lanes<T, W>(load_some<T, W, K>(b + l * b_n));
  transpose<W, 1>(row);
#pragma GCC unroll 16
  for (int k = 0; k < K; ++k) std::memcpy(&x[k], &row[k], sizeof(row[k]));
}

/// Entries of a vector of such a step. Blocks that are transposed are as large as all terms ask
/// for; where these are more than the lanes, there are two.
template <class T>
constexpr int unrolled_width(unrolled_lanes lanes, index n, index k) {
  if (lanes == unrolled_lanes::terms) return terms_width<T>(k);
  return neighbours_for<T>(lanes == unrolled_lanes::transposed ? k : n);
}

/// Where a step reads or leaves whole vectors, of which only the first entries count: in scratch,
/// whose rows are padded (select::padded_row). A masked store would make who reads it wait.
struct unrolled_padding {
  bool b = false, c = false;
};

/// The first K products of neighbours at a and b, W lanes of sums of them.
template <class T, int W, int K>
[[gnu::always_inline]] inline vec<T, W> sum_of_products(const T* a, const T* b) {
  vec<T, W> sum{};
#pragma GCC unroll 64
  for (int k = 0; k + W <= K; k += W) {
    const vec<T, W> x = load<T, W>(a + k), y = load<T, W>(b + k);
    sum = k == 0 ? x * y : fma(x, y, sum);
  }
  constexpr int left = K % W, whole = K - left;
  if constexpr (left > 0) {
    const vec<T, W> x = load_first_and_zeros<T, W, left>(a + whole),
                    y = load_first_and_zeros<T, W, left>(b + whole);
    sum = whole == 0 ? x * y : fma(x, y, sum);
  }
  return sum;
}

/// Leaves the first Count lanes of v, or if `Padded` all, as entries n, n + 1, ... of C.
template <epilogue Finish, int W, int Count, bool Padded, class T, class V>
[[gnu::always_inline]] inline void leave_vector(tile_operands<T> t, index n, const V& v) {
  t.c += n;
  if constexpr (Count == 1 && !Padded) {
    accumulators<T, 1, 1, 1> acc;
    acc.sum[0][0] = v[0];
    acc.template finish<Finish>(t);
  } else {
    accumulators<T, W, 1, 1> acc;
    std::memcpy(&acc.sum[0][0], &v, sizeof v);
    acc.template finish<Finish, tile_modes{.tail = Padded ? 0 : Count % W}>(t);
  }
}

/// C[m][n] := sum_k A[m][k] B[k][n] for a constant step with lanes, m < M, n < N, k < K; of
/// entries, A moves with n as well.
template <class T, int M, int N, int K, unrolled_lanes Lanes, unrolled_padding Padded,
          epilogue Finish>
[[gnu::always_inline]] inline void run_unrolled(tile_operands<T> t) {
  if constexpr (Lanes == unrolled_lanes::terms) {
    constexpr int w = terms_width<T>(K);
    const auto sums = [&]<int Count>(index n) __attribute__((always_inline)) {
      typename short_vec<T, w>::type row[Count];
#pragma GCC unroll 16
      for (int l = 0; l < Count; ++l)
        row[l] = as_lanes<T, w>(sum_of_products<T, w, K>(t.a, t.b + (n + l) * t.b_n));
      leave_vector<Finish, w, Count, Padded.c>(t, n, sums_of_all_lanes<w, Count>(row));
    };
#pragma GCC unroll 64
    for (int v = 0; v < N / w; ++v) sums.template operator()<w>(v * w);
    if constexpr (N % w > 0) sums.template operator()<N % w>(N - N % w);
  } else if constexpr (Lanes == unrolled_lanes::outer) {
    constexpr int w = neighbours_for<T>(M * N);
    const auto a = as_lanes<T, w>(load_first_and_zeros<T, w, M>(t.a)),
               b = as_lanes<T, w>(load_first_and_zeros<T, w, N>(t.b));
    const auto vectors = [&]<int First, int... L>(std::integral_constant<int, First>,
                                                  std::integer_sequence<int, L...>)
        __attribute__((always_inline)) {
      const auto product = __builtin_shufflevector(a, a, ((First + L) / N % w)...) *
                           __builtin_shufflevector(b, b, ((First + L) % N)...);
      leave_vector<Finish, w, (M * N - First < w ? M * N - First : w), false>(t, First, product);
    };
    [&]<int... V>(std::integer_sequence<int, V...>) __attribute__((always_inline)) {
      (vectors(std::integral_constant<int, V * w>{}, std::make_integer_sequence<int, w>{}), ...);
    }
    (std::make_integer_sequence<int, (M * N + w - 1) / w>{});
  } else if constexpr (M > 24) {
    run_unrolled<T, 24, N, K, Lanes, Padded, Finish>(t);
    t.a += 24 * t.a_m;
    t.c += 24 * t.c_m;
    run_unrolled<T, M - 24, N, K, Lanes, Padded, Finish>(t);
  } else {
    constexpr int w = unrolled_width<T>(Lanes, N, K);
    const auto columns = [&]<int Count>(index n) __attribute__((always_inline)) {
      accumulators<T, w, M, 1> acc;
      if constexpr (Lanes == unrolled_lanes::entries) {
        acc.sum[0][0] = load_some<T, w, Count>(t.a + n) * load_some<T, w, Count>(t.b + n);
      } else {
        vec<T, w> x[K];
        if constexpr (Lanes == unrolled_lanes::transposed) {
          const T* const b = t.b + n * t.b_n;
          constexpr int first = K < w ? K : w;
          load_transposed<T, w, first, Count>(b, t.b_n, x);
          if constexpr (K > w) load_transposed<T, w, K - w, Count>(b + w, t.b_n, x + w);
        } else {
#pragma GCC unroll 64
          for (int k = 0; k < K; ++k)
            x[k] = load_some<T, w, (Padded.b ? w : Count)>(t.b + k * t.b_k + n);
        }
#pragma GCC unroll 64
        for (int k = 0; k < K; ++k)
#pragma GCC unroll 24
          for (int m = 0; m < M; ++m) {
            const auto a = broadcast<T, w>(t.a[m * t.a_m + k * t.a_k]);
            acc.sum[m][0] = k == 0 ? a * x[k] : fma(a, x[k], acc.sum[m][0]);
          }
      }
      tile_operands<T> u = t;
      u.c += n;
      u.c_n = w;
      acc.template finish<Finish, tile_modes{.tail = Padded.c ? 0 : Count % w}>(u);
    };
#pragma GCC unroll 64
    for (int v = 0; v < N / w; ++v) columns.template operator()<w>(v * w);
    constexpr int tail = N % w;
    if constexpr (Lanes == unrolled_lanes::transposed && tail == 1 && M == 1) {
      t.b += (N - 1) * t.b_n;
      t.c += N - 1;
      register_tile<T, 1, 1, 1, K, tile_modes{}, Finish>(t);
    } else if constexpr (tail > 0) {
      columns.template operator()<tail>(N - tail);
    }
  }
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
