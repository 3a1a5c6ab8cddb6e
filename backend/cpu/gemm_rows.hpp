#pragma once

#include <tenfold/backend/cpu/gemm.hpp>

/// Products of matrices of short rows: a vector holds several, or the end of one and the beginning
/// of the next.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Lane From of `v`, for each in turn.
template <class T, int W, int... From>
[[gnu::always_inline]] inline vec<T, W> shuffled(vec<T, W> v) {
  const auto from = (typename short_vec<T, W>::type)v.data;
  v.data = (decltype(v.data))__builtin_shufflevector(from, from, From...);
  return v;
}

// ---- one A for all problems: the rows of C, end to end ------------------------------------------

/// W entries of the row of N at `b`, from entry First on; behind the last comes the first.
template <class T, int W, int N, int First, int... I>
[[gnu::always_inline]] inline vec<T, W> turned_row(const T* b, std::integer_sequence<int, I...>) {
  if constexpr (N < W) {
    return shuffled<T, W, ((First + I) % N)...>(load_first<T, W, N>(b));
  } else if constexpr (First + W <= N) {
    return load<T, W>(b + First);
  } else {
    // The lanes from First on are the last of one vector, the others the first of another.
    const auto end = load<T, W>(b + N - W), begin = load<T, W>(b);
    using lanes_type = typename short_vec<T, W>::type;
    auto turned = end;
    turned.data = (decltype(turned.data))__builtin_shufflevector(
        (lanes_type)end.data, (lanes_type)begin.data, (First + W - N + I)...);
    return turned;
  }
}

/// A as the factor of the vectors of C, whose M rows of N entries lie end to end: of entry l of
/// vector v that of row (v W + l) / N.
template <class T, int W, int M, int N, int K>
struct flat_rows {
  static constexpr int vectors = (M * N + W - 1) / W;
  alignas(sizeof(T) * W) T entries[vectors][K][W];

  [[gnu::noinline]] flat_rows(const T* a, index a_m, index a_k) {
    for (int v = 0; v < vectors; ++v)
      for (int k = 0; k < K; ++k)
        for (int l = 0; l < W; ++l)
          entries[v][k][l] = a[((v * W + l) / N < M ? (v * W + l) / N : M - 1) * a_m + k * a_k];
  }
};

/// Vectors First, First + Turns, ... of C, `Count` of them, of several problems: in all of them the
/// entries of a row of B lie alike, turned by the same.
template <class T, int W, int M, int N, int K, int First, int Turns, int Count,
          std::size_t Problems>
[[gnu::always_inline]] inline void flat_vectors(const flat_rows<T, W, M, N, K>& a,
                                                const side_by_side<T, Problems>& t, index ahead) {
  constexpr int vectors = flat_rows<T, W, M, N, K>::vectors;
  vec<T, W> sum[Problems][Count];
#pragma GCC unroll 16
  for (int k = 0; k < K; ++k) {
    vec<T, W> row[Problems];
#pragma GCC unroll 2
    for (std::size_t p = 0; p < Problems; ++p) {
      row[p] = turned_row<T, W, N, First * W % N>(t[p].b + k * t[p].b_k,
                                                  std::make_integer_sequence<int, W>{});
      pin(row[p]);
    }
#pragma GCC unroll 32
    for (int i = 0; i < Count; ++i) {
      vec<T, W> factor = load<T, W>(a.entries[First + i * Turns][k]);
      if constexpr (Problems > 1) pin(factor);
#pragma GCC unroll 2
      for (std::size_t p = 0; p < Problems; ++p)
        sum[p][i] = k == 0 ? factor * row[p] : fma(factor, row[p], sum[p][i]);
    }
  }
  constexpr int tail = M * N % W;
#pragma GCC unroll 2
  for (std::size_t p = 0; p < Problems; ++p) {
#pragma GCC unroll 32
    for (int i = 0; i < Count; ++i) {
      const int v = First + i * Turns;
      if (ahead != 0) fetch_to_write<W>(t[p].c + v * W, ahead);
      if (tail > 0 && v == vectors - 1)
        store_first<T, W, (tail > 0 ? tail : 1)>(t[p].c + v * W, sum[p][i]);
      else
        store<T, W>(t[p].c + v * W, sum[p][i]);
    }
  }
}

/// All vectors First, First + Turns, ... where the registers hold the rows of B as they are turned
/// (select::keeps_flat_rows): each is written as soon as it is summed.
template <class T, int W, int M, int N, int K, int First, int Turns, std::size_t Problems>
[[gnu::always_inline]] inline void flat_turn(const flat_rows<T, W, M, N, K>& a,
                                             const side_by_side<T, Problems>& t, index ahead) {
  constexpr int vectors = flat_rows<T, W, M, N, K>::vectors, tail = M * N % W;
  vec<T, W> row[Problems][K];
#pragma GCC unroll 16
  for (int k = 0; k < K; ++k)
    unrolled<Problems>([&](auto p) __attribute__((always_inline)) {
      row[p][k] = turned_row<T, W, N, First * W % N>(t[p].b + k * t[p].b_k,
                                                     std::make_integer_sequence<int, W>{});
      pin(row[p][k]);
    });
#pragma GCC unroll 64
  for (int v = First; v < vectors; v += Turns) {
    vec<T, W> sum[Problems];
#pragma GCC unroll 16
    for (int k = 0; k < K; ++k) {
      vec<T, W> factor = load<T, W>(a.entries[v][k]);
      if constexpr (Problems > 1) pin(factor);
      unrolled<Problems>([&](auto p) __attribute__((always_inline)) {
        sum[p] = k == 0 ? factor * row[p][k] : fma(factor, row[p][k], sum[p]);
      });
    }
    unrolled<Problems>([&](auto p) __attribute__((always_inline)) {
      if (ahead != 0) fetch_to_write<W>(t[p].c + v * W, ahead);
      if (tail > 0 && v == vectors - 1)
        store_first<T, W, (tail > 0 ? tail : 1)>(t[p].c + v * W, sum[p]);
      else
        store<T, W>(t[p].c + v * W, sum[p]);
    });
  }
}

/// Whether so many vectors of factors stay in registers beside the sums of a problem.
constexpr bool flat_in_registers(int vectors, int k) { return vectors * k <= registers - 8; }

/// The products of some problems, turn by turn: the rows of B for it stay in registers, or the sums
/// of so many vectors at a time. C that lies `ahead` entries on is fetched; 0: none.
template <class T, int W, int M, int N, int K, std::size_t Problems>
[[gnu::always_inline]] inline void flat_products(const flat_rows<T, W, M, N, K>& a,
                                                 const side_by_side<T, Problems>& t, index ahead) {
  constexpr int vectors = flat_rows<T, W, M, N, K>::vectors;
  constexpr int turns = select::turns_of_rows(N, W);
  // Those that the registers do not hold are loaded where they are used; g++ copies them all.
  const auto& factors = flat_in_registers(vectors, K) ? a : *cpu::launder(&a);
  const auto turn = [&]<int Turn>() __attribute__((always_inline)) {
    if constexpr (select::keeps_flat_rows(registers)) {
      flat_turn<T, W, M, N, K, Turn, turns>(factors, t, ahead);
    } else {
      static constexpr select::chunks parts((vectors - Turn + turns - 1) / turns,
                                            select::flat_vectors);
      const auto part = [&]<int I>() __attribute__((always_inline)) {
        constexpr int before =
            I < parts.long_count
                ? I * parts.longer
                : parts.long_count * parts.longer + (I - parts.long_count) * (parts.longer - 1);
        flat_vectors<T, W, M, N, K, Turn + before * turns, turns,
                     (I < parts.long_count ? parts.longer : parts.longer - 1)>(factors, t, ahead);
      };
      [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
        (part.template operator()<I>(), ...);
      }
      (std::make_integer_sequence<int, static_cast<int>(parts.count())>{});
    }
  };
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (turn.template operator()<I>(), ...);
  }
  (std::make_integer_sequence<int, turns>{});
}
// ---- small square matrices ----------------------------------------------------------------------

/// Entry K of each row of N, in all lanes of that row.
template <class T, int W, int N, int K, int... I>
[[gnu::always_inline]] inline vec<T, W> spread_in_rows(vec<T, W> rows,
                                                       std::integer_sequence<int, I...>) {
  return shuffled<T, W, (I / N * N + K)...>(rows);
}

/// One product of matrices of order N that lie row by row without gaps (B with BRow entries from
/// row to row): a vector is several rows of C, for each k those of A spread and the row of B
/// repeated. By columns a row would fill a part of a vector, and broadcasts be most of the work.
template <class T, int N, index BRow, epilogue Finish>
[[gnu::always_inline]] inline void product_by_rows(const tile_operands<T>& t) {
  constexpr int W = select::lanes_of_rows(N, lanes<T>, scalar_of<T>), vectors = N * N / W;
  constexpr auto lane = std::make_integer_sequence<int, W>{};
  accumulators<T, W, vectors, 1> acc;
  vec<T, W> a[vectors];
#pragma GCC unroll 16
  for (int i = 0; i < vectors; ++i) {
    a[i] = load<T, W>(t.a + i * W);
    pin(a[i]);
  }
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

/// Row K of each matrix of order N, once for each of its rows.
template <class T, int W, int N, int K, int... I>
[[gnu::always_inline]] inline vec<T, W> repeat_row(vec<T, W> matrices,
                                                   std::integer_sequence<int, I...>) {
  return shuffled<T, W, (I / (N * N) * N * N + K * N + I % N)...>(matrices);
}

/// C := A B of as many matrices of order N as a vector of W entries holds, end to end.
template <class T, int W, int N>
[[gnu::always_inline]] inline void products_in_a_vector(const T* a, const T* b, T* c) {
  constexpr auto lane = std::make_integer_sequence<int, W>{};
  vec<T, W> left = load<T, W>(a), right = load<T, W>(b), sum;
  pin(left);
  pin(right);
  const auto add = [&]<int... K>(std::integer_sequence<int, K...>) __attribute__((always_inline)) {
    ((sum = K == 0 ? spread_in_rows<T, W, N, K>(left, lane) * repeat_row<T, W, N, K>(right, lane)
                   : fma(spread_in_rows<T, W, N, K>(left, lane),
                         repeat_row<T, W, N, K>(right, lane), sum)),
     ...);
  };
  add(std::make_integer_sequence<int, N>{});
  store<T, W>(c, sum);
}

/// A products_function of matrices of order N, row by row.
template <class T, int N, index BRow, epilogue Finish>
[[gnu::noinline]] void products_by_rows(const tile_walk&, const tile_operands<T>& from,
                                        index problems, const problem_steps& step) {
  constexpr index bytes = N * N * static_cast<index>(sizeof(T));
  tile_operands<T> t = from;
  t.c_m = select::lanes_of_rows(N, lanes<T>, scalar_of<T>);
  t.sum_only = is_sum_only(t);
  fetch_cursor next = fetch_from(t, step, fetch_rates::of<T>(N * N, N * N, N * N, 1));
  if (t.sum_only && step.at == nullptr && !next.fetches) {  // nothing to ask at each problem
    const index along_a = step.a, along_b = step.b, along_c = step.c;
    index p = 0;
    // Order 2, double precision, in L2, Zen 5: 22 GFLOP/s alone.
    constexpr int together = lanes<T> / (N * N);
    if constexpr (together > 1 && BRow == N) {
      if (along_a == N * N && along_b == N * N && along_c == N * N) {
        for (; p + together <= problems; p += together) {
          products_in_a_vector<T, together * N * N, N>(t.a, t.b, t.c);
          t.a += together * along_a;
          t.b += together * along_b;
          t.c += together * along_c;
        }
      }
    }
    for (; p < problems; ++p) {
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
      fetch_bytes<select::fetch::into_l1>(next.a, next.b, next.c, bytes, bytes, bytes);
      go_on<T>(next, step, 0);
    }
    t.a += step.a;
    t.b += step.b;
    t.c += step.c;
  }
}
}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
