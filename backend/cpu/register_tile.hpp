#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tenfold/backend/cpu/load_store.hpp>
#include <tenfold/backend/interface/program.hpp>
#include <tenfold/backend/interface/select.hpp>

namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// What is fetched into the caches while a tile computes, for tiles to come: so many bytes further
/// with each contracted value. Spread like this, because fetches in a burst wait for each other.
struct fetch_cursor {
  bool fetches = false;
  std::uintptr_t a = 0, b = 0, c = 0;  ///< addresses, which may lie behind the operands
  index rate_a = 0, rate_b = 0, rate_c = 0;

  [[gnu::always_inline]] void advance(index contracted) {
    a += static_cast<std::uintptr_t>(contracted * rate_a);
    b += static_cast<std::uintptr_t>(contracted * rate_b);
    c += static_cast<std::uintptr_t>(contracted * rate_c);
  }
};

/// Pointers and strides, in scalars, of one register tile. Strides of loops that an operand does
/// not know are not read.
template <class T>
struct tile_operands {
  const T* a = nullptr;
  const T* b = nullptr;
  T* c = nullptr;
  index a_m = 0, a_k = 0, a_n = 0;  ///< a_n: only where A varies with n
  index b_k = 0, b_n = 0;
  index c_m = 0, c_n = 0;
  T alpha = T(1), beta = T(0);         ///< only with epilogue::update
  int tail = 0;                        ///< entries of the last column where there are any_tail
  index a_im = 0, b_im = 0, c_im = 0;  ///< reals from real to imaginary parts, where they are split
  bool conjugate_sum = false;          ///< with epilogue::update: conj(sum) for sum
  bool sum_only = false;               ///< alpha is 1 and beta 0, which need not be asked for
  bool past_caches = false;            ///< with tile_modes::streams: C is written to memory at once
  fetch_cursor next = {};              ///< with tile_modes::ahead or fetches_run
  index k_ahead = 0;  ///< with tile_modes::reads_once: contracted values ahead; 0: nothing
};

/// The operands of problems that are computed together, one beside another.
template <class T, std::size_t Problems>
using side_by_side = std::array<tile_operands<T>, Problems>;

/// More contracted loops than any step has: every label of an operand of the highest rank.
inline constexpr int max_k_outer = 32;

/// One more contracted loop around k, inside the same accumulators.
struct k_loop {
  index extent, a, b;
};

/// How the entries of a tile are reached.
struct tile_modes {
  access a = access::uniform;
  access b = access::lanes;
  bool a_varies = false;  ///< A moves with n as well: an entry-wise product
  bool has_b = true;      ///< false: B = 1
  access c = access::lanes;
  int tail = 0;              ///< if not 0, the last column, of B and C, has only so many entries
  bool conjugate_a = false;  ///< conj(A) for A
  select::fetch ahead = select::fetch::none;
  int lines = 1;         ///< fetched of each operand per contracted value
  bool streams = false;  ///< C may go past the caches: it is aligned like a vector
  int unroll = select::unrolled_products;  ///< up to so many products the loop over a static k is
  bool reads_once = false;   ///< no other tile reads these lanes of B, or of A where there is no B
  int last = 0;              ///< if not 0, the last column is a narrower vector of so many lanes
  bool fetches_run = false;  ///< into L2, one line with each contracted value, from next.a on

  friend constexpr bool operator==(const tile_modes&, const tile_modes&) = default;
};

/// Calls f(I) for I < Count, constants.
template <std::size_t Count, class F>
[[gnu::always_inline]] inline void unrolled(const F& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<std::size_t, I>{}), ...);
  }
  (std::make_index_sequence<Count>{});
}

/// A tail whose number of entries is in tile_operands.
inline constexpr int any_tail = -1;

/// The strides of a register tile as part of its key: with strides at run time the addresses of an
/// unrolled tile cost as much as its arithmetic (0.58 instead of 0.9 of the hand-written mass
/// operator at p = 3).
struct tile_strides {
  index a_m, a_k, a_n, b_k, b_n, c_m, c_n;
};

/// What stands for a K that is known only when the program runs.
inline constexpr int dynamic_k = -1;

/// Whether the loop over a static K is unrolled.
template <int W, int M, int N, int K>
constexpr bool is_unrolled(const tile_modes& how) {
  return K > 0 && (W == 1 || M * N * K <= how.unroll);
}

/// A large tile that fetches is a loop: in a burst, before its sums, fetches wait for each other
/// (from L3, double precision, Zen 5: strided order 16 125 GFLOP/s instead of 98, interleaved order
/// 12 101 instead of 72), and between unrolled ones they make g++ keep columns in memory.
constexpr tile_modes as_loop(tile_modes how) {
  how.unroll = 0;
  return how;
}
/// What a small tile fetches, which is unrolled in any case: so many bytes from each address on.
template <select::fetch To>
[[gnu::always_inline]] inline void fetch_bytes(std::uintptr_t a, std::uintptr_t b, std::uintptr_t c,
                                               index bytes_a, index bytes_b, index bytes_c) {
  const auto run = [](std::uintptr_t from, index bytes) __attribute__((always_inline)) {
#pragma GCC unroll 1
    for (index at = 0; at < bytes; at += 64)
      __builtin_prefetch(reinterpret_cast<const char*>(from + static_cast<std::uintptr_t>(at)), 0,
                         To == select::fetch::into_l1 ? 3 : 2);
  };
  run(a, bytes_a);
  run(b, bytes_b);
  run(c, bytes_c);
}
/// B[n] of a register tile for one k: `Whole` vectors and, unless Last is W, a narrower one.
template <class T, int W, int Whole, int Last>
struct tile_columns {
  vec<T, W> entry[Whole];
  vec<T, Last> end;
};
template <class T, int W, int Whole>
struct tile_columns<T, W, Whole, W> {
  vec<T, W> entry[Whole];
};

/// The M x N accumulators of a register tile: vectors of W lanes (W = 1: plain scalars), in the
/// last column of `Last`. Complex lanes in pairs are for uniform A and lanes of B alone.
template <class T, int W, int M, int N, int Last = W>
struct accumulators {
  static constexpr bool ends_narrow = Last < W;
  static constexpr int whole = ends_narrow ? N - 1 : N;  ///< columns of W lanes
  static_assert(whole > 0);

  using columns = tile_columns<T, W, whole, Last>;

  sum_vec<T, W> sum[M][whole];
  sum_vec<T, Last> end[ends_narrow ? M : 1];

  [[gnu::always_inline]] void clear() {
#pragma GCC unroll 16
    for (int m = 0; m < M; ++m)
#pragma GCC unroll 16
      for (int n = 0; n < whole; ++n) sum[m][n] = no_sum<T, W>();
    if constexpr (ends_narrow) {
#pragma GCC unroll 16
      for (int m = 0; m < M; ++m) end[m] = no_sum<T, Last>();
    }
  }

  /// B[n] at b.
  template <tile_modes How>
  [[gnu::always_inline]] static columns columns_at(const T* b, const tile_operands<T>& t) {
    columns column;
#pragma GCC unroll 16
    for (int n = 0; n < whole; ++n) {
      column.entry[n] = is_part<How>(n) ? part<How.tail, W>(b + n * t.b_n, t.tail)
                                        : entry<How.b>(b + at<How>(n, t.b_n, t.tail), t.b_im);
      if constexpr (M > 1 && How.b != access::uniform && W > 1) pin(column.entry[n]);
    }
    if constexpr (ends_narrow) {
      column.end = is_part<How>(N - 1) ? part<How.tail, Last>(b + (N - 1) * t.b_n, t.tail)
                                       : load<T, Last>(b + (N - 1) * t.b_n);
      if constexpr (M > 1) pin(column.end);
    }
    return column;
  }

  /// sum[m][n] += A[m] B[n] for one k;  First: sum[m][n] := A[m] B[n].
  ///
  /// The first product is a multiplication because a fused one with zero reads a third register:
  /// on Zen 4 that read and the one of a store share a port, and with multiplications here the
  /// stores of the tile before are free (K = 5: 99 instead of 70 % of the peak).
  template <tile_modes How, bool First = false>
  [[gnu::always_inline]] void step(const T* a, const columns& column, const tile_operands<T>& t) {
#pragma GCC unroll 16
    for (int m = 0; m < M; ++m) {
      decltype(entry<How.a>(a, 0)) row{};
      if constexpr (!How.a_varies) {
        row = entry<How.a>(a + m * t.a_m, t.a_im);
        constexpr bool shares =
            How.a != access::uniform || (ends_narrow && !twice<How> && !is_complex_type<T>);
        if constexpr (N > 1 && shares && W > 1) pin(row);
      }
#pragma GCC unroll 16
      for (int n = 0; n < whole; ++n) {
        if constexpr (How.a_varies) row = entry<How.a>(a + m * t.a_m + n * t.a_n, t.a_im);
        if constexpr (!How.has_b)
          sum[m][n] = First ? row : sum[m][n] + row;
        else if constexpr (First && !How.conjugate_a)
          sum[m][n] = row * column.entry[n];
        else if constexpr (How.conjugate_a)
          sum[m][n] = fma_conjugate(row, column.entry[n], First ? no_sum<T, W>() : sum[m][n]);
        else
          sum[m][n] = fma(row, column.entry[n], sum[m][n]);
      }
      if constexpr (ends_narrow) {
        const auto part_of_row = end_of<How>(row, a + m * t.a_m);
        if constexpr (How.conjugate_a)
          end[m] = fma_conjugate(part_of_row, column.end, First ? no_sum<T, Last>() : end[m]);
        else
          end[m] = First ? part_of_row * column.end : fma(part_of_row, column.end, end[m]);
      }
    }
  }
  template <tile_modes How, bool First = false>
  [[gnu::always_inline]] void step(const T* a, const T* b, const tile_operands<T>& t) {
    if constexpr (How.has_b)
      step<How, First>(a, columns_at<How>(b, t), t);
    else
      step<How, First>(a, columns{}, t);
  }

  /// sum[m][n] (+)= sum_k A[m][k] B[k][n];  First: the sums start here.
  template <int K, tile_modes How, bool First>
  [[gnu::always_inline]] void accumulate(const T* a, const T* b, const tile_operands<T>& t,
                                         index k_extent) {
    if constexpr (K == dynamic_k) {
      index k = 0;
      if constexpr (First) {
        if (k_extent <= 0) {
          clear();
          return;
        }
        step<How, true>(a, b, t);
        k = 1;
      }
      if constexpr (W == 1) {
        a += k * t.a_k;
        b += k * t.b_k;
#ifdef __clang__  // which would unroll by 8: 30 % more to compile for 3 to 8 % of speed
#pragma clang loop unroll(disable)
#endif
        for (; k < k_extent; ++k, a += t.a_k, b += t.b_k) step<How>(a, b, t);
      } else {
        loop<How>(a, b, t, k, k_extent);
      }
    } else if constexpr (K == 0) {
      if constexpr (First) clear();
    } else {
      step<How, First>(a, b, t);
      if constexpr (is_unrolled<W, M, N, K>(How)) {
        if constexpr (First && W > 1) settle();
#pragma GCC unroll 64
        for (int k = 1; k < K; ++k) step<How>(a + k * t.a_k, b + k * t.b_k, t);
      } else {
        loop<How>(a, b, t, 1, K);
      }
    }
  }

  /// So many lines of each operand to come.
  template <tile_modes How, int Lines>
  [[gnu::always_inline]] static void fetch(fetch_cursor& next) {
    const auto lines_at = [](std::uintptr_t p) __attribute__((always_inline)) {
#pragma GCC unroll 16
      for (int i = 0; i < Lines; ++i)
        __builtin_prefetch(reinterpret_cast<const char*>(p + static_cast<std::uintptr_t>(i) * 64),
                           0, How.ahead == select::fetch::into_l1 ? 3 : 2);
    };
    lines_at(next.a);
    lines_at(next.b);
    if (next.rate_c != 0) lines_at(next.c);
    next.advance(1);
  }

  /// C := sum, C := C + sum, or C := alpha sum + beta C. All of C that is read is read before any
  /// of it is written: a partial load behind a partial store to its neighbours waits for it (6 ns
  /// on Zen 5).
  template <epilogue Finish, tile_modes How = tile_modes{}>
  [[gnu::always_inline]] void finish(const tile_operands<T>& t) {
    if constexpr (in_pairs<T, W>)
      each([]<int>(auto& s, int, int)
               __attribute__((always_inline)) { value(s) = value_of<How.conjugate_a>(s); });
    if constexpr (Finish == epilogue::update) {
      if constexpr (is_complex_type<T>) {
        if (t.conjugate_sum)
          each([]<int>(auto& s, int, int)
                   __attribute__((always_inline)) { value(s) = conjugate(value(s)); });
      }
      // A complex product with 1 + 0 i may change the sign of a zero and makes NaN of infinities.
      if (!t.sum_only && (t.alpha != T(1) || t.beta != T(0))) {
        // Kept in registers from tile to tile they would make B spill (float, order 32: 90 GFLOP/s,
        // with this 104, Zen 4).
        T kept_alpha = t.alpha, kept_beta = t.beta;
        const T alpha = reloaded(kept_alpha), beta = reloaded(kept_beta);
        if (t.beta == T(0)) {
          each([&]<int L>(auto& s, int, int) __attribute__((always_inline)) {
            value(s) = value_of<false>(broadcast<T, L>(alpha) * value(s));
          });
        } else {
          each([&]<int L>(auto& s, int m, int n) __attribute__((always_inline)) {
            const T* const c = t.c + m * t.c_m + at<How>(n, t.c_n, t.tail);
            const vec<T, L> old =
                is_part<How>(n) ? part<How.tail, L>(c, t.tail) : entry_of<How.c, L>(c, t.c_im);
            value(s) =
                value_of<false>(fma(broadcast<T, L>(alpha), value(s), broadcast<T, L>(beta) * old));
          });
        }
      }
    }
    if constexpr (Finish == epilogue::add) {
      static_assert(!is_complex_type<T>);
      each([&]<int L>(auto& s, int m, int n) __attribute__((always_inline)) {
        const T* const c = t.c + m * t.c_m + at<How>(n, t.c_n, t.tail);
        value(s) = value(s) +
                   (is_part<How>(n) ? part<How.tail, L>(c, t.tail) : entry_of<How.c, L>(c, t.c_im));
      });
    }
    if constexpr (How.streams && !is_complex_type<T>) {
      if (t.past_caches)
        return each([&]<int L>(auto& s, int m, int n) __attribute__((always_inline)) {
          stream<T, L>(t.c + m * t.c_m + at<How>(n, t.c_n, t.tail), value(s));
        });
    }
    each([&]<int L>(auto& s, int m, int n) __attribute__((always_inline)) {
      T* const c = t.c + m * t.c_m + at<How>(n, t.c_n, t.tail);
      const vec<T, L> v = value(s);
      if constexpr (How.c == access::split) {
        store_split<T, L>(c, v, t.c_im);
      } else {
        if constexpr (How.tail != 0) {
          if (is_part<How>(n)) {
            if constexpr (How.tail > 0)
              store_first<T, L, How.tail>(c, v);
            else
              store_partial<T, L>(c, v, t.tail);
            return;
          }
        }
        store<T, L>(c, v);
      }
    });
  }

 private:
  /// Whether the last column, where it has only How.tail entries, is drawn back to end with them:
  /// it shares entries with the column before, and both come out alike. (A narrower one is masked:
  /// double precision, n = 11, where 3 entries are left: 45 GFLOP/s, drawn back 34, Zen 4.)
  template <tile_modes How>
  static constexpr bool draws_back = How.tail != 0 && N > 1 && !ends_narrow &&
                                     (How.tail < 0 || !loads_first_whole<T, W, How.tail>);
  template <tile_modes How>
  [[gnu::always_inline]] static constexpr bool is_part(int n) {
    return How.tail != 0 && !draws_back<How> && n == N - 1;
  }
  /// Where column n starts.
  template <tile_modes How>
  [[gnu::always_inline]] static constexpr index at(int n, index stride, int tail) {
    if (draws_back<How> && n == N - 1) return n * stride - (W - (How.tail > 0 ? How.tail : tail));
    return n * stride;
  }

  /// sum[m][n] += A[m][i] B[i][n] for i from k on.
  template <tile_modes How>
  [[gnu::always_inline]] void loop(const T* a, const T* b, const tile_operands<T>& t, index k,
                                   index k_extent) {
    a += k * t.a_k;
    b += k * t.b_k;
    if constexpr (How.ahead != select::fetch::none) {
      if (t.next.fetches) {
        fetch_cursor next = t.next;
        if (k > 0) fetch<How, How.lines>(next);
#pragma GCC unroll 1
        for (index left = k_extent - k; left > 0; --left, a += t.a_k, b += t.b_k) {
          step<How>(a, b, t);
          fetch<How, How.lines>(next);
        }
        return;
      }
    }
    if constexpr (How.fetches_run) {
      if (t.next.fetches) {
        std::uintptr_t next = t.next.a;
#pragma GCC unroll 1
        for (index left = k_extent - k; left > 0; --left, a += t.a_k, b += t.b_k) {
          step<How>(a, b, t);
          __builtin_prefetch(reinterpret_cast<const void*>(next), 0, 2);
          next += static_cast<std::uintptr_t>(t.next.rate_a);
        }
        return;
      }
    }
    if constexpr (How.reads_once) {
      if (t.k_ahead != 0) {
        const T* next = How.has_b ? b + t.k_ahead * t.b_k : a + t.k_ahead * t.a_k;
#pragma GCC unroll 1
        for (index left = k_extent - k; left > 0; --left, a += t.a_k, b += t.b_k) {
          step<How>(a, b, t);
#pragma GCC unroll 16
          for (int n = 0; n < N; ++n) __builtin_prefetch(next + n * (How.has_b ? t.b_n : t.a_n));
          next += How.has_b ? t.b_k : t.a_k;
        }
        return;
      }
    }
#pragma GCC unroll 1
    for (index left = k_extent - k; left > 0; --left, a += t.a_k, b += t.b_k) step<How>(a, b, t);
  }

  /// Keeps g++ from mixing the multiplications of the first k with the sums of the next.
  [[gnu::always_inline]] void settle() {
#ifndef __clang__
    sum_vec<T, W>* const s = &sum[0][0];
#pragma GCC unroll 16
    for (int i = 0; i + 4 <= M * whole; i += 4) pin(s[i], s[i + 1], s[i + 2], s[i + 3]);
#endif
  }

  /// f<lanes>(sum, m, n)
  template <class F>
  [[gnu::always_inline]] void each(const F& f) {
#pragma GCC unroll 16
    for (int m = 0; m < M; ++m) {
#pragma GCC unroll 16
      for (int n = 0; n < whole; ++n) f.template operator()<W>(sum[m][n], m, n);
      if constexpr (ends_narrow) f.template operator()<Last>(end[m], m, N - 1);
    }
  }

  /// Where a sum keeps its value, once it is there.
  template <class S>
  [[gnu::always_inline]] static auto& value(S& s) {
    if constexpr (in_pairs<T, W>)
      return s.by_re;
    else
      return s;
  }

  template <access How>
  [[gnu::always_inline]] static auto entry(const T* p, index im) {
    return entry_of<How, W>(p, im);
  }
  template <access How, int L>
  [[gnu::always_inline]] static auto entry_of(const T* p, [[maybe_unused]] index im) {
    if constexpr (How == access::uniform)
      return broadcast<T, L>(*p);
    else if constexpr (How == access::split)
      return load_split<T, L>(p, im);
    else
      return load<T, L>(p);
  }

  /// Whether an entry of A is broadcast anew for the narrower vector.
  template <tile_modes How>
  static constexpr bool twice = !is_complex_type<T> && whole == 1 && How.a == access::uniform &&
                                select::broadcasts_twice(M, compiled_model);

  /// The entry of A at `a`, which `row` holds, for the narrower vector. clang would broadcast once
  /// for both and spill B (order 9: 0.75 of the rate); g++, which does not, is not to be hindered
  /// in ordering what follows (order 12: 0.95).
  template <tile_modes How, class Row>
  [[gnu::always_inline]] static auto end_of(const Row& row, [[maybe_unused]] const T* a) {
    if constexpr (twice<How>) {
#ifdef __clang__
      a = cpu::launder(a);
#endif
      return broadcast<T, Last>(*a);
    } else {
      return low_lanes<Last>(row);
    }
  }

  template <int Tail, int L>
  [[gnu::always_inline]] static vec<T, L> part(const T* p, int count) {
    if constexpr (Tail > 0)
      return load_first<T, L, Tail>(p);
    else if constexpr (Tail < 0)
      return load_partial<T, L>(p, count);
    else
      return vec<T, L>{};
  }
};

/// `a`, hidden from the compiler where hoisting its broadcasts out of the loop over tiles would
/// spill them. With an extent of K known at run time nothing is hoisted anyway.
template <int W, int M, int N, int K, access How, class T>
[[gnu::always_inline]] inline const T* rows(const T* a) {
  if constexpr (W > 1 && How == access::uniform && K > 0 &&
                !select::keeps_broadcasts(M, N, K, registers))
    return cpu::launder(a);  // not that of std, where complex T would lead
  else
    return a;
}

// C[m][n] := sum_k A[m][k] B[k][n]         m < M, n < N, k < K; every entry is W lanes
//   A  uniform: one scalar for all lanes, or lanes: W consecutive scalars; strides a_m, a_k, and
//      a_n where it varies with n
//   B  lanes or uniform; strides b_k, b_n
//   C  lanes; strides c_m, c_n; it may not overlap A or B
//   How.tail: of the last column only the first How.tail, or t.tail, entries of B and C exist.
//   Behind
//      another column it is drawn back over that one's last entries.
//   How.last: the last column is a vector of so many lanes: the tail is of these
//   How.ahead: lines of A, B and C to come are fetched meanwhile, where t.next.fetches
//   How.fetches_run: lines from t.next.a on are fetched meanwhile, where t.next.fetches
//   How.streams: C goes past the caches where t.past_caches
//   split: complex lanes, W real parts, and their imaginary parts a_im, b_im, c_im reals behind
//   How.conjugate_a: conj(A[m][k]) for A[m][k]
//   finish: overwrite  C := sum  |  update  C := alpha sum + beta C;  beta == 0: C is not read
//           | add  C := C + sum, real numbers only
// K = dynamic_k: `k_extent` is the extent. Extent 0 gives the empty sum. Edges are the caller's: it
// asks for a smaller M or N. Inlined into its caller, so that strides it knows become constants.
template <class T, int W, int M, int N, int K, tile_modes How, epilogue Finish>
[[gnu::always_inline]] inline void register_tile(const tile_operands<T> t, index k_extent = K) {
  if constexpr (How.ahead != select::fetch::none && is_unrolled<W, M, N, K>(How)) {
    const fetch_cursor& next = t.next;
    if (next.fetches) {
      if constexpr (M * N * K <= select::unrolled_products) {
        fetch_bytes<How.ahead>(next.a, next.b, next.c, K * next.rate_a, K * next.rate_b,
                               K * next.rate_c);
      } else {
        constexpr tile_modes spread = as_loop(How);
        return register_tile<T, W, M, N, K, spread, Finish>(t, k_extent);
      }
    }
  }
  accumulators<T, W, M, N, (How.last > 0 ? How.last : W)> acc;
  acc.template accumulate<K, How, true>(rows<W, M, N, K, How.a>(t.a), t.b, t, k_extent);
  acc.template finish<Finish, How>(t);
}

// The same with more contracted loops around k, outermost first, at most 8:
//   C[m][n] := sum_(k_outer..., k) A[m][k_outer..., k] B[k_outer..., k][n]
template <class T, int W, int M, int N, int K, tile_modes How, epilogue Finish>
[[gnu::always_inline]] inline void register_tile(const tile_operands<T> t, const k_loop* k_outer,
                                                 int k_outer_count, index k_extent = K) {
  accumulators<T, W, M, N> acc;
  acc.clear();
  index total = 1;
  for (int i = 0; i < k_outer_count; ++i) total *= k_outer[i].extent;
  index counter[max_k_outer] = {};
  const T* a = t.a;
  const T* b = t.b;
  for (index done = 0; done < total; ++done) {
    acc.template accumulate<K, How, false>(rows<W, M, N, K, How.a>(a), b, t, k_extent);
    for (int i = k_outer_count - 1; i >= 0; --i) {
      a += k_outer[i].a;
      b += k_outer[i].b;
      if (++counter[i] < k_outer[i].extent) break;
      counter[i] = 0;
      a -= k_outer[i].extent * k_outer[i].a;
      b -= k_outer[i].extent * k_outer[i].b;
    }
  }
  acc.template finish<Finish, How>(t);
}

// C := A B of M rows, select::kept_rows at a time, while the K x N vectors of B stay in registers.
// The results, which a large tile writes in a burst at its end, are written evenly; where C comes
// from L2 that is what counts. With each pass so many lines of each operand are fetched. Several
// problems at once have the same A: what is broadcast serves all.
template <class T, int W, int M, int N, int K, tile_modes How, int Lines, std::size_t Problems>
[[gnu::always_inline]] inline void rows_of_kept_columns(side_by_side<T, Problems> t) {
  constexpr int last = How.last > 0 ? How.last : W,
                together = M < select::kept_rows ? M : select::kept_rows;
  tile_columns<T, W, (How.last > 0 ? N - 1 : N), last> b[Problems][K];
#pragma GCC unroll 16
  for (int k = 0; k < K; ++k)
    unrolled<Problems>([&](auto p) __attribute__((always_inline)) {
      b[p][k] = accumulators<T, W, together, N, last>::template columns_at<How>(
          t[p].b + k * t[p].b_k, t[p]);
    });
  const auto rows = [&]<int R>() __attribute__((always_inline)) {
    accumulators<T, W, R, N, last> acc[Problems];
    unrolled<Problems>([&](auto p) __attribute__((always_inline)) {
      acc[p].template step<How, true>(t[0].a, b[p][0], t[p]);
    });
#pragma GCC unroll 16
    for (int k = 1; k < K; ++k)
      unrolled<Problems>([&](auto p) __attribute__((always_inline)) {
        acc[p].template step<How>(t[0].a + k * t[0].a_k, b[p][k], t[p]);
      });
    unrolled<Problems>([&](auto p) __attribute__((always_inline)) {
      acc[p].template finish<epilogue::overwrite, How>(t[p]);
      if constexpr (How.ahead != select::fetch::none) {
        if (t[p].next.fetches) acc[p].template fetch<How, Lines>(t[p].next);
      }
      t[p].a += R * t[p].a_m;
      t[p].c += R * t[p].c_m;
    });
  };
  if constexpr (M * N * K <= select::unrolled_products) {
#pragma GCC unroll 64
    for (int m = 0; m + together <= M; m += together) rows.template operator()<together>();
  } else {
#pragma GCC unroll 1
    for (int m = 0; m + together <= M; m += together) rows.template operator()<together>();
  }
  if constexpr (M % together > 0) rows.template operator()<M % together>();
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
