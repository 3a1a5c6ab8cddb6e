#pragma once

#include <cstring>
#include <tenfold/backend/cpu/complex.hpp>
#include <utility>

/// Vectors from memory and to it: whole ones, parts of them, past the caches; one number in all
/// lanes.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

#if defined(__AVX2__) && defined(__FMA__)
/// The first n lanes of a vector, as AVX2 masks them.
template <int Bytes, bool Wide>
[[gnu::always_inline]] inline auto lane_mask(int n) {
  if constexpr (Bytes == 32 && Wide)
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
  else if constexpr (Bytes == 32)
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  else if constexpr (Wide)
    return _mm_cmpgt_epi64(_mm_set1_epi64x(n), _mm_set_epi64x(1, 0));
  else
    return _mm_cmpgt_epi32(_mm_set1_epi32(n), _mm_setr_epi32(0, 1, 2, 3));
}
#endif

template <class T, int W>
[[gnu::always_inline]] inline vec<T, W> load(const T* p) {
  if constexpr (in_pairs<T, W>) {
    return {load<real<T>, 2 * W>(reinterpret_cast<const real<T>*>(p))};
  } else if constexpr (is_complex_type<T>) {
    const auto* const r = reinterpret_cast<const real<T>*>(p);
    vec<T, W> v;
    if constexpr (W == 1) {
      v.re = r[0];
      v.im = r[1];
    } else {
      v.re = load<real<T>, W>(r);
      v.im = load<real<T>, W>(r + W);
      split<W>(v);
    }
    return v;
  } else if constexpr (W == 1) {
    return *p;
  } else {
    return vec<T, W>::load(p);
  }
}

template <class T, int W>
[[gnu::always_inline]] inline void store(T* p, vec<T, W> v) {
  if constexpr (in_pairs<T, W>) {
    store<real<T>, 2 * W>(reinterpret_cast<real<T>*>(p), v.pairs);
  } else if constexpr (is_complex_type<T>) {
    auto* const r = reinterpret_cast<real<T>*>(p);
    if constexpr (W == 1) {
      r[0] = v.re;
      r[1] = v.im;
    } else {
      join<W>(v);
      store<real<T>, W>(r, v.re);
      store<real<T>, W>(r + W, v.im);
    }
  } else if constexpr (W == 1) {
    *p = v;
  } else {
    v.store(p);
  }
}

/// Writes a register, at a multiple of its size, past the caches.
template <class R>
[[gnu::always_inline]] inline void stream_register(void* p, R r) {
#if defined(__SSE2__)
  auto* const d = static_cast<double*>(p);
#if defined(__AVX512F__)
  if constexpr (sizeof(R) == 64) _mm512_stream_pd(d, (__m512d)r);
#endif
#if defined(__AVX__)
  if constexpr (sizeof(R) == 32) _mm256_stream_pd(d, (__m256d)r);
#endif
  if constexpr (sizeof(R) == 16) _mm_stream_pd(d, (__m128d)r);
#else
  std::memcpy(p, &r, sizeof r);
#endif
}
/// Writes a whole vector, at a multiple of its size, to memory without a place in the caches; other
/// threads see it after streams_end().
template <class T, int W>
[[gnu::always_inline]] inline void stream(T* p, vec<T, W> v) {
  static_assert(!is_complex_type<T> && W > 1);
  if constexpr (W > lanes<T>) {
    stream_register(p, v.low.data);
    stream_register(p + lanes<T>, v.high.data);
  } else {
    stream_register(p, v.data);
  }
}
[[gnu::always_inline]] inline void streams_end() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// to[i] := from[i] for i < n, whole lines of memory, as stream() writes them.
template <class T>
[[gnu::always_inline]] inline void stream_lines(T* to, const T* from, index n) {
  if constexpr (constexpr int v = lanes<T>; v > 1) {
#pragma GCC unroll 1
    for (index i = 0; i < n; i += v) stream<T, v>(to + i, load<T, v>(from + i));
  } else {
    std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(T));
  }
}

/// x in every lane: vec<T, W>, or pair_factor.
template <class T, int W>
[[gnu::always_inline]] inline auto broadcast(T x) {
  using R = real<T>;
  if constexpr (in_pairs<T, W>)
    return pair_factor<R, W>{vec<R, 2 * W>(x.real()), vec<R, 2 * W>(x.imag())};
  else if constexpr (is_complex_type<T>)
    return vec<T, W>{vec<R, W>(x.real()), vec<R, W>(x.imag())};
  else
    return vec<T, W>(x);
}
template <class T, int W>
[[gnu::always_inline]] inline sum_vec<T, W> no_sum() {
  using R = real<T>;
  if constexpr (in_pairs<T, W>)
    return {{vec<R, 2 * W>(R(0))}, vec<R, 2 * W>(R(0))};
  else
    return broadcast<T, W>(T(0));
}

/// Entries from <= i < to of W at p, real ones, zeros beside them; nothing else is read.
template <class T, int W>
[[gnu::always_inline]] inline vec<T, W> load_between(const T* p, int from, int to) {
  constexpr int bytes = W * static_cast<int>(sizeof(T));
  constexpr bool wide = std::is_same_v<T, double>;
#if defined(__AVX512F__) && defined(__AVX512VL__)
  auto mask = ((1u << to) - 1) & ~((1u << from) - 1);
#if defined(__clang__)
  // Of a constant one clang 14 makes vexpandpd, which takes 6 times as long (7 x 7 times a vector,
  // Zen 5: 9 ns instead of 3).
  asm("" : "+r"(mask));
#endif
  if constexpr (bytes == 64 && wide) return _mm512_maskz_loadu_pd(static_cast<__mmask8>(mask), p);
  if constexpr (bytes == 64 && !wide) return _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), p);
  if constexpr (bytes == 32 && wide) return _mm256_maskz_loadu_pd(static_cast<__mmask8>(mask), p);
  if constexpr (bytes == 32 && !wide) return _mm256_maskz_loadu_ps(static_cast<__mmask8>(mask), p);
  if constexpr (bytes == 16 && wide) return _mm_maskz_loadu_pd(static_cast<__mmask8>(mask), p);
  if constexpr (bytes == 16 && !wide) return _mm_maskz_loadu_ps(static_cast<__mmask8>(mask), p);
#elif defined(__AVX2__) && defined(__FMA__)
  const auto mask = lane_mask<bytes, wide>(to) & ~lane_mask<bytes, wide>(from);
  if constexpr (bytes == 32 && wide) return _mm256_maskload_pd(p, mask);
  if constexpr (bytes == 32 && !wide) return _mm256_maskload_ps(p, mask);
  if constexpr (bytes == 16 && wide) return _mm_maskload_pd(p, mask);
  if constexpr (bytes == 16 && !wide) return _mm_maskload_ps(p, mask);
#else
  (void)wide, (void)bytes;
  T entries[W] = {};
  for (int i = from; i < to; ++i) entries[i] = p[i];
  return load<T, W>(entries);
#endif
}

/// Entries from <= i < to of v, real ones; nothing else is written.
///
/// By a mask with AVX-512 alone: AVX2's masked store is dozens of operations on Zen (see
/// store_pieces).
template <class T, int W>
[[gnu::always_inline]] inline void store_between(T* p, vec<T, W> v, int from, int to) {
#if defined(__AVX512F__) && defined(__AVX512VL__)
  constexpr int bytes = W * static_cast<int>(sizeof(T));
  constexpr bool wide = std::is_same_v<T, double>;
  const auto mask = ((1u << to) - 1) & ~((1u << from) - 1);
  if constexpr (bytes == 64 && wide) _mm512_mask_storeu_pd(p, static_cast<__mmask8>(mask), v.data);
  if constexpr (bytes == 64 && !wide)
    _mm512_mask_storeu_ps(p, static_cast<__mmask16>(mask), v.data);
  if constexpr (bytes == 32 && wide) _mm256_mask_storeu_pd(p, static_cast<__mmask8>(mask), v.data);
  if constexpr (bytes == 32 && !wide) _mm256_mask_storeu_ps(p, static_cast<__mmask8>(mask), v.data);
  if constexpr (bytes == 16 && wide) _mm_mask_storeu_pd(p, static_cast<__mmask8>(mask), v.data);
  if constexpr (bytes == 16 && !wide) _mm_mask_storeu_ps(p, static_cast<__mmask8>(mask), v.data);
#else
  T entries[W];
  store<T, W>(entries, v);
  for (int i = from; i < to; ++i) p[i] = entries[i];
#endif
}

/// The first n <= W entries at p, zeros behind; nothing else is read.
template <class T, int W>
[[gnu::always_inline]] inline vec<T, W> load_partial(const T* p, int n) {
  static_assert(W > 1);
  if constexpr (in_pairs<T, W>) {
    return {load_partial<real<T>, 2 * W>(reinterpret_cast<const real<T>*>(p), 2 * n)};
  } else if constexpr (is_complex_type<T>) {
    const auto* const r = reinterpret_cast<const real<T>*>(p);
    const int left = 2 * n - W;
    vec<T, W> v{vec<real<T>, W>(real<T>(0)), vec<real<T>, W>(real<T>(0))};
    if (left < 0) {
      v.re = load_partial<real<T>, W>(r, 2 * n);
    } else {
      v.re = load<real<T>, W>(r);
      if (left > 0) v.im = load_partial<real<T>, W>(r + W, left);
    }
    split<W>(v);
    return v;
  } else {
    return load_between<T, W>(p, 0, n);
  }
}

/// The first n <= W entries of v, a short_vec, by a store for each binary digit of n (double
/// precision, in L2, Zen 3, beside a masked store: strided order 3 1.6 to 2 times the rate, 7 1.2
/// to 1.4).
template <class T, int W, class V>
[[gnu::always_inline]] inline void store_pieces(T* p, V v, int n) {
  if (n >= W) {
    std::memcpy(p, &v, sizeof v);
  } else if constexpr (W == 2) {
    if (n > 0) *p = v[0];
  } else {
    constexpr auto lanes = std::make_integer_sequence<int, W / 2>{};
    const auto low = low_half(v, lanes), high = high_half(v, lanes);
    if (n < W / 2) return store_pieces<T, W / 2>(p, low, n);
    std::memcpy(p, &low, sizeof low);
    store_pieces<T, W / 2>(p + W / 2, high, n - W / 2);
  }
}

/// The first n <= W entries of v; nothing else is written.
template <class T, int W>
[[gnu::always_inline]] inline void store_partial(T* p, vec<T, W> v, int n) {
  static_assert(W > 1);
  if constexpr (in_pairs<T, W>) {
    store_partial<real<T>, 2 * W>(reinterpret_cast<real<T>*>(p), v.pairs, 2 * n);
  } else if constexpr (is_complex_type<T>) {
    auto* const r = reinterpret_cast<real<T>*>(p);
    join<W>(v);
    const int left = 2 * n - W;
    if (left < 0) {
      store_partial<real<T>, W>(r, v.re, 2 * n);
    } else {
      store<real<T>, W>(r, v.re);
      if (left > 0) store_partial<real<T>, W>(r + W, v.im, left);
    }
  } else {
#if defined(__AVX512VL__)
    store_between<T, W>(p, v, 0, n);
#else
    store_pieces<T, W>(p, (typename short_vec<T, W>::type)v.data, n);
#endif
  }
}

#if defined(__AVX2__) && defined(__FMA__)
/// `Bytes` of memory, 8, 16 or 32, again and again: a load that fills a longer vector at no cost.
/// Masked by all ones, since g++ 12 warns of its own header otherwise.
template <class V, int Bytes>
[[gnu::always_inline]] inline V load_repeated(const void* p) {
  const auto* const d = static_cast<const double*>(p);
  double first;  // perhaps of two floats
  std::memcpy(&first, p, sizeof first);
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  if constexpr (sizeof(V) == 64 && Bytes == 8) return (V)_mm512_set1_pd(first);
  if constexpr (sizeof(V) == 64 && Bytes == 16)
    return (V)_mm512_maskz_broadcast_f64x2(0xff, _mm_loadu_pd(d));
  if constexpr (sizeof(V) == 64 && Bytes == 32)
    return (V)_mm512_maskz_broadcast_f64x4(0xff, _mm256_loadu_pd(d));
#endif
  if constexpr (sizeof(V) == 32 && Bytes == 8) return (V)_mm256_set1_pd(first);
  if constexpr (sizeof(V) == 32 && Bytes == 16)
    return (V)_mm256_set_m128d(_mm_loadu_pd(d), _mm_loadu_pd(d));
  if constexpr (sizeof(V) == 16) return (V)_mm_set1_pd(first);
}
#endif

/// Whether load_first<T, W, N> is one load that needs no mask.
template <class T, int W, int N>
inline constexpr bool loads_first_whole =
#if defined(__AVX2__) && defined(__FMA__)
    (!is_complex_type<T> || in_pairs<T, W>)&&2 * N <= W && (N & (N - 1)) == 0;
#else
    false;
#endif

/// The first N < W entries at p, anything behind, and the first N entries of v. A masked access
/// reaches over lines, and waits, as if it were whole, and what fills up a shorter load with zeros
/// costs g++ moves in the loop over k (n = 9: 0.50 of the peak instead of 0.41 with both, Sapphire
/// Rapids).
template <class T, int W, int N>
[[gnu::always_inline]] inline vec<T, W> load_first(const T* p) {
  if constexpr (in_pairs<T, W>) {
    return {load_first<real<T>, 2 * W, 2 * N>(reinterpret_cast<const real<T>*>(p))};
  } else if constexpr (is_complex_type<T>) {
    return load_partial<T, W>(p, N);
  } else if constexpr (N == 1) {
    return broadcast<T, W>(*p);
#if defined(__AVX2__) && defined(__FMA__)
  } else if constexpr (loads_first_whole<T, W, N>) {
    return load_repeated<decltype(vec<T, W>::data), N* static_cast<int>(sizeof(T))>(p);
#endif
  } else {
    return load_partial<T, W>(p, N);
  }
}
template <class T, int W, int N>
[[gnu::always_inline]] inline void store_first(T* p, vec<T, W> v) {
  if constexpr (in_pairs<T, W>) {
    store_first<real<T>, 2 * W, 2 * N>(reinterpret_cast<real<T>*>(p), v.pairs);
  } else if constexpr (!is_complex_type<T> && 2 * N <= W &&
                       narrow_vec<T, W / 2 * static_cast<int>(sizeof(T))>::exists) {
    using whole = typename short_vec<T, W>::type;
    vec<T, W / 2> low;
    low.data =
        (decltype(low.data))low_half((whole)v.data, std::make_integer_sequence<int, W / 2>{});
    if constexpr (2 * N == W)
      store<T, N>(p, low);
    else
      store_first<T, W / 2, N>(p, low);
  } else if constexpr (!is_complex_type<T> && N == 1) {
    *p = ((typename short_vec<T, W>::type)v.data)[0];
  } else {
    store_partial<T, W>(p, v, N);
  }
}

/// W complex numbers whose real parts lie at p and whose imaginary parts `im` reals behind.
template <class T, int W>
[[gnu::always_inline]] inline vec<T, W> load_split(const T* p, index im) {
  const auto* const r = reinterpret_cast<const real<T>*>(p);
  return {load<real<T>, W>(r), load<real<T>, W>(r + im)};
}
template <class T, int W>
[[gnu::always_inline]] inline void store_split(T* p, vec<T, W> v, index im) {
  auto* const r = reinterpret_cast<real<T>*>(p);
  store<real<T>, W>(r, v.re);
  store<real<T>, W>(r + im, v.im);
}
template <class T, int W>
[[gnu::always_inline]] inline void stream_split(T* p, vec<T, W> v, index im) {
  auto* const r = reinterpret_cast<real<T>*>(p);
  stream<real<T>, W>(r, v.re);
  stream<real<T>, W>(r + im, v.im);
}

/// The first N <= W real entries at p, zeros behind. By a load that sets the others to zero, where
/// there is one: a masked load would wait for what was just stored as so many entries.
template <class T, int W, int N>
[[gnu::always_inline]] inline vec<T, W> load_first_and_zeros(const T* p) {
  using whole = typename short_vec<T, W>::type;
  if constexpr (N == W) {
    return load<T, W>(p);
  } else if constexpr (N == 1) {
    whole v{};
    v[0] = *p;
    return vec<T, W>((typename vec<T, W>::register_type)v);
  } else if constexpr (2 * N == W && N * sizeof(T) >= 16) {
    using part = typename short_vec<T, N>::type;
    part v;
    std::memcpy(&v, p, sizeof v);
    return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
      const whole w = __builtin_shufflevector(v, part{}, I...);
      return vec<T, W>((typename vec<T, W>::register_type)w);
    }
    (std::make_integer_sequence<int, W>{});
  } else {
    return load_partial<T, W>(p, N);
  }
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
