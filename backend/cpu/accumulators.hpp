#pragma once

#include <tenfold/backend/cpu/tile_operands.hpp>

/// The sums of a register tile: how they are multiplied and added, fetched for, and finished.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

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

  /// B[n] at b, of W lanes.
  template <tile_modes How>
  [[gnu::always_inline]] static vec<T, W> column_at(const T* b, int n, const tile_operands<T>& t) {
    vec<T, W> column = is_part<How>(n) ? part<How.tail, W>(b + n * t.b_n, t.tail)
                                       : entry<How.b>(b + at<How>(n, t.b_n, t.tail), t.b_im);
    if constexpr (M > 1 && How.b != lane_access::uniform && W > 1) pin(column);
    return column;
  }
  /// B[n] at b.
  template <tile_modes How>
  [[gnu::always_inline]] static columns columns_at(const T* b, const tile_operands<T>& t) {
    columns column;
#pragma GCC unroll 16
    for (int n = 0; n < whole; ++n) column.entry[n] = column_at<How>(b, n, t);
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
            How.a != lane_access::uniform || (ends_narrow && !twice<How> && !is_complex_type<T>);
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
    if constexpr (vectors_in<T, W> == 2) {
      step_part<0, How, First>(a, b, t);
      step_part<1, How, First>(a, b, t);
    } else if constexpr (keeps_rows<How>)
      step_by_rows<How, First>(a, b, t);
    else if constexpr (How.has_b)
      step<How, First>(a, columns_at<How>(b, t), t);
    else
      step<How, First>(a, columns{}, t);
  }

  /// The same, vector by vector of B, where a column of A is kept (keeps_rows).
  template <tile_modes How, bool First>
  [[gnu::always_inline]] void step_by_rows(const T* a, const T* b, const tile_operands<T>& t) {
    vec<T, W> row[M];
#pragma GCC unroll 16
    for (int m = 0; m < M; ++m) {
      row[m] = broadcast<T, W>(a[m * t.a_m]);
      pin(row[m]);
    }
#pragma GCC unroll 16
    for (int n = 0; n < N; ++n) {
      const auto column = column_at<How>(b, n, t);
#pragma GCC unroll 16
      for (int m = 0; m < M; ++m)
        sum[m][n] = First ? row[m] * column : fma(row[m], column, sum[m][n]);
    }
  }

  /// The same for one of two native vectors: B and A take registers for one (order 24, double
  /// precision, in L2, AVX2, Zen 3: tiles of 3 x 2 so, and 2 x 2 with registers for both, 41 and 38
  /// GFLOP/s; 3 x 2 with both spills, 24).
  template <int Part, tile_modes How, bool First>
  [[gnu::always_inline]] void step_part(const T* a, const T* b, const tile_operands<T>& t) {
    static_assert(How.has_b && !How.a_varies && How.b == lane_access::lanes);
    constexpr int L = lanes<T>;
    vec<T, L> column[N];
#pragma GCC unroll 16
    for (int n = 0; n < N; ++n) {
      column[n] = load<T, L>(b + n * t.b_n + Part * L);
      if constexpr (M > 1) pin(column[n]);
    }
#pragma GCC unroll 16
    for (int m = 0; m < M; ++m) {
      constexpr bool uniform = How.a == lane_access::uniform;
      auto row = entry_of<How.a, L>(a + m * t.a_m + (uniform ? 0 : Part * L), t.a_im);
      if constexpr (N > 1 && !uniform) pin(row);
#pragma GCC unroll 16
      for (int n = 0; n < N; ++n) {
        auto& s = sum[m][n].template part<Part>();
        s = First ? row * column[n] : fma(row, column[n], s);
      }
    }
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

  /// So many lines of each operand to come; see fetch_cursor::lines.
  template <tile_modes How, int Lines>
  [[gnu::always_inline]] static void fetch(fetch_cursor& next) {
    const auto each_operand = [&](const auto& fetch_from) __attribute__((always_inline)) {
      fetch_from(next.a);
      fetch_from(next.b);
      if (next.rate_c != 0) fetch_from(next.c);
    };
    constexpr bool into_l1 = How.ahead == select::fetch::into_l1;
    if constexpr (How.repeats) {
#pragma GCC unroll 1
      for (index at = 0; at < next.lines * 64; at += 64)
        each_operand([&](std::uintptr_t from) __attribute__((always_inline)) {
          __builtin_prefetch(reinterpret_cast<const char*>(from + static_cast<std::uintptr_t>(at)),
                             0, 2);
        });
    }
    if (!How.repeats || !into_l1 || next.lines == 0)
      each_operand([](std::uintptr_t from) __attribute__((always_inline)) {
#pragma GCC unroll 32
        for (int i = 0; i < Lines; ++i)
          __builtin_prefetch(
              reinterpret_cast<const char*>(from + static_cast<std::uintptr_t>(i) * 64), 0,
              into_l1 ? 3 : 2);
      });
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
    if constexpr (How.streams && (!is_complex_type<T> || How.c == lane_access::split)) {
      if (t.past_caches)
        return each([&]<int L>(auto& s, int m, int n) __attribute__((always_inline)) {
          T* const c = t.c + m * t.c_m + at<How>(n, t.c_n, t.tail);
          if constexpr (How.c == lane_access::split)
            stream_split<T, L>(c, value(s), t.c_im);
          else
            stream<T, L>(c, value(s));
        });
    }
    each([&]<int L>(auto& s, int m, int n) __attribute__((always_inline)) {
      T* const c = t.c + m * t.c_m + at<How>(n, t.c_n, t.tail);
      const vec<T, L> v = value(s);
      if constexpr (How.c == lane_access::split) {
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
  /// Whether a column of A is kept: registers hold one and a vector of B beside the sums, but not a
  /// row of B and an entry of A.
  template <tile_modes How>
  static constexpr bool keeps_rows = [] {
    const bool fits = M < N && registers < M * N + N + 1 && !ends_narrow;
    return fits && W > 1 && !is_complex_type<T> && How.has_b && !How.a_varies &&
           How.a == lane_access::uniform && How.b == lane_access::lanes;
  }();

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
    if constexpr (How.pairs) {
      // By the compiler, behind its choice of registers: two steps written one after the other g++
      // mixes, and spills (order 32 at run-time sizes 0.8 of the rate; with the sums pinned in
      // between too).
#pragma GCC unroll 2
      for (index left = k_extent - k; left > 0; --left, a += t.a_k, b += t.b_k) step<How>(a, b, t);
      return;
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

  template <lane_access How>
  [[gnu::always_inline]] static auto entry(const T* p, index im) {
    return entry_of<How, W>(p, im);
  }
  template <lane_access How, int L>
  [[gnu::always_inline]] static auto entry_of(const T* p, [[maybe_unused]] index im) {
    if constexpr (How == lane_access::uniform)
      return broadcast<T, L>(*p);
    else if constexpr (How == lane_access::split)
      return load_split<T, L>(p, im);
    else
      return load<T, L>(p);
  }

  /// Whether an entry of A is broadcast anew for the narrower vector.
  template <tile_modes How>
  static constexpr bool twice =
      !is_complex_type<T> && whole == 1 && How.a == lane_access::uniform &&
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
template <int W, int M, int N, int K, lane_access How, class T>
[[gnu::always_inline]] inline const T* rows(const T* a) {
  if constexpr (W > 1 && How == lane_access::uniform && K > 0 &&
                !select::keeps_broadcasts(M, N, K, registers / vectors_in<T, W>))
    return cpu::launder(a);  // not that of std, where complex T would lead
  else
    return a;
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
