#pragma once

#include <complex>
#include <cstring>
#include <tenfold/backend/interface/select.hpp>
#include <tenfold/tensor/extents.hpp>
#include <tenfold/tensor/scalar.hpp>
#include <type_traits>
#include <utility>
#include <xsimd/types/xsimd_all_registers.hpp>

/// The vector types of one instruction set. Everything that is compiled for an instruction set lies
/// in an inline namespace named after it, so that objects compiled for different machines can be
/// linked into one program. This file alone knows which instruction set that is.
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#define TENFOLD_ISA avx512
#define TENFOLD_ARCH xsimd::avx512bw
#elif defined(__AVX2__) && defined(__FMA__)
#define TENFOLD_ISA avx2
#define TENFOLD_ARCH xsimd::fma3<xsimd::avx2>
#elif defined(__SSE2__)
#define TENFOLD_ISA sse2
#define TENFOLD_ARCH xsimd::sse2
#elif defined(__aarch64__)
#define TENFOLD_ISA neon64
#define TENFOLD_ARCH xsimd::neon64
#else
#error "tenfold: micro-kernels need SSE2, AVX2 with FMA, AVX-512 or the vectors of AArch64"
#endif

namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// The real scalar of T.
template <class T>
struct real_part {
  using type = T;
};
template <class R>
struct real_part<std::complex<R>> {
  using type = R;
};
template <class T>
using real = typename real_part<T>::type;
template <class T>
inline constexpr bool is_complex_type = !std::is_same_v<T, real<T>>;

/// The type of a scalar, in which the micro-kernels compute and read memory.
template <scalar S>
using entry_type =
    std::conditional_t<S == scalar::f32, float,
                       std::conditional_t<S == scalar::f64, double,
                                          std::conditional_t<S == scalar::c32, std::complex<float>,
                                                             std::complex<double>>>>;

/// The register of an instruction set that holds real entries R, and the arithmetic that
/// micro-kernels are made of. xsimd's own `batch` would do, but it comes with all functions of
/// mathematics, which a file that includes tenfold would pay for (`./dev bench compile`).
template <class R, class Arch>
struct register_vec {
  using value_type = R;
  using register_type = typename xsimd::types::simd_register<R, Arch>::register_type;
  static constexpr std::size_t size = sizeof(register_type) / sizeof(R);

  register_type data;

  register_vec() = default;
  [[gnu::always_inline]] register_vec(register_type r) : data(r) {}
  /// x in every lane. (x - 0 is x, also where x is -0.)
  [[gnu::always_inline]] explicit register_vec(R x) : data(x - register_type{}) {}

  [[gnu::always_inline]] static register_vec load(const R* p) {
    register_vec v;
    std::memcpy(&v.data, p, sizeof v.data);
    return v;
  }
  [[gnu::always_inline]] void store(R* p) const { std::memcpy(p, &data, sizeof data); }

  [[gnu::always_inline]] friend register_vec operator+(register_vec a, register_vec b) {
    return a.data + b.data;
  }
  [[gnu::always_inline]] friend register_vec operator-(register_vec a, register_vec b) {
    return a.data - b.data;
  }
  [[gnu::always_inline]] friend register_vec operator*(register_vec a, register_vec b) {
    return a.data * b.data;
  }
  [[gnu::always_inline]] friend register_vec operator-(register_vec a) { return -a.data; }
};

/// One native vector of real entries.
template <class R>
using native_vec = register_vec<R, TENFOLD_ARCH>;

#undef TENFOLD_ARCH

/// A vector of `Bytes` below those of a native one: the shorter registers of the same instruction
/// set.
template <class R, int Bytes>
struct narrow_vec {
  static constexpr bool exists = false;
};
#if defined(__AVX2__) && defined(__FMA__)
template <class R>
struct narrow_vec<R, 16> {
  static constexpr bool exists = true;
  using type = register_vec<R, xsimd::sse4_2>;
};
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
template <class R>
struct narrow_vec<R, 32> {
  static constexpr bool exists = true;
  using type = register_vec<R, xsimd::fma3<xsimd::avx2>>;
};
#endif
#endif

/// Entries of T that are computed at once: those of a native vector, for complex T of two.
template <class T>
inline constexpr int lanes = static_cast<int>(native_vec<real<T>>::size);

/// The processor that this is compiled for, as far as the flags tell. g++ 12 and clang 14 call Zen
/// 4 a Zen 3 that has AVX-512, and g++ 12 Zen 5 one that has AVX-VNNI too: with the values of Zen 4
/// batches of order 12 to 24 from memory ran there at 0.3 to 0.9 of the rate.
#if defined(__znver5__) || (defined(__znver3__) && defined(__AVX512F__) && defined(__AVXVNNI__))
inline constexpr processor compiled_model = processor::zen5;
#elif defined(__znver4__) || (defined(__znver3__) && defined(__AVX512F__))
inline constexpr processor compiled_model = processor::zen4;
#else
inline constexpr processor compiled_model = processor::other;
#endif

/// Architectural vector registers.
#if defined(__aarch64__)
inline constexpr int registers = 32;
#else
inline constexpr int registers = lanes<double> == 8 ? 32 : 16;
#endif

template <class R, int W>
struct complex_vec;
template <class R, int W>
struct pair_vec;

/// Whether W complex numbers are one vector of pairs: where they are fewer than real numbers in a
/// native vector, of which complex_vec fills two.
template <class T, int W>
inline constexpr bool in_pairs = is_complex_type<T>&& W > 1 && W < lanes<T>;

template <class T, int W>
constexpr auto vec_of() {
  if constexpr (in_pairs<T, W>)
    return std::type_identity<pair_vec<real<T>, W>>{};
  else if constexpr (is_complex_type<T>)
    return std::type_identity<complex_vec<real<T>, W>>{};
  else if constexpr (W == 1)
    return std::type_identity<T>{};
  else if constexpr (W == lanes<T>)
    return std::type_identity<native_vec<T>>{};
  else
    return std::type_identity<typename narrow_vec<T, W* static_cast<int>(sizeof(T))>::type>{};
}
/// W entries of T: a native or a narrower vector, or for W = 1 a plain scalar, so that one text
/// serves all; for complex T two such, the real and the imaginary parts, or one of pairs.
template <class T, int W>
using vec = typename decltype(vec_of<T, W>())::type;

/// W complex numbers in registers.
template <class R, int W>
struct complex_vec {
  vec<R, W> re, im;
};

/// W complex numbers as they lie in memory, (re, im, re, im, ...), and what their products with a
/// number for all lanes, the same in each, are made of:
///   a b = re(a) b + i im(a) b
/// Two sums of real products that are put together once, at their end, and no shuffle before. A
/// vector holds half as many numbers as the two of complex_vec (double precision, n = 10, 12, 20:
/// 73, 91 and 84 % of the peak; with loads that split the pairs 52, 64 and 70, Sapphire Rapids).
template <class R, int W>
struct pair_vec {
  vec<R, 2 * W> pairs;
};
template <class R, int W>
struct pair_factor {
  vec<R, 2 * W> re, im;
};
template <class R, int W>
struct pair_sum {
  pair_vec<R, W> by_re;
  vec<R, 2 * W> by_im;
};

template <class T, int W>
constexpr auto sum_vec_of() {
  if constexpr (in_pairs<T, W>)
    return std::type_identity<pair_sum<real<T>, W>>{};
  else
    return std::type_identity<vec<T, W>>{};
}
/// What products of a factor for all lanes and a vec<T, W> are summed in.
template <class T, int W>
using sum_vec = typename decltype(sum_vec_of<T, W>())::type;

/// Neighbouring entries of T in a native vector.
template <class T>
inline constexpr int neighbours = select::neighbours(lanes<T>, scalar_of<T>);

/// The fewest neighbours in a vector that holds n entries; those of a native one where none does.
template <class T>
constexpr int neighbours_for(index n) {
  constexpr int most = neighbours<T>, least = is_complex_type<T> ? 2 : 1;
  constexpr int bytes = lanes<T> * static_cast<int>(sizeof(real<T>));
  if constexpr (most / 4 >= least && narrow_vec<real<T>, bytes / 4>::exists) {
    if (n <= most / 4) return most / 4;
  }
  if constexpr (most / 2 >= least && narrow_vec<real<T>, bytes / 2>::exists) {
    if (n <= most / 2) return most / 2;
  }
  return most;
}

/// P neighbouring entries; P is a power of two up to the native lanes.
template <class T, int P>
struct short_vec {
  typedef T type __attribute__((vector_size(P * sizeof(T))));
};

/// (re, im, re, im, ...) in two vectors <-> the real parts in one, the imaginary ones in the other.
/// Both stay within blocks of 16 bytes, so that the lanes lie in registers in an order of their
/// own: one cheap shuffle per vector, where the natural order takes a slower one and, with AVX2,
/// two.
template <class V, int... I>
[[gnu::always_inline]] inline void split_pairs(V& low, V& high, std::integer_sequence<int, I...>) {
  constexpr int w = sizeof...(I), block = 16 * w / static_cast<int>(sizeof(V)), half = block / 2;
  const V a = low, b = high;
  low = __builtin_shufflevector(a, b,
                                (I / block * block + I % half * 2 + (I % block < half ? 0 : w))...);
  high = __builtin_shufflevector(
      a, b, (I / block * block + I % half * 2 + 1 + (I % block < half ? 0 : w))...);
}
template <class V, int... I>
[[gnu::always_inline]] inline void join_pairs(V& low, V& high, std::integer_sequence<int, I...>) {
  constexpr int w = sizeof...(I), block = 16 * w / static_cast<int>(sizeof(V)), half = block / 2;
  const V a = low, b = high;
  low = __builtin_shufflevector(a, b, (I / block * block + I % block / 2 + I % 2 * w)...);
  high = __builtin_shufflevector(a, b, (I / block * block + half + I % block / 2 + I % 2 * w)...);
}

/// What two loads of neighbouring pairs brought, as real and imaginary parts; and back.
template <int W, class V>
[[gnu::always_inline]] inline void split(V& v) {
  using R = typename decltype(v.re)::value_type;
  using raw = decltype(v.re.data);
  using S = typename short_vec<R, W>::type;
  S low = (S)v.re.data, high = (S)v.im.data;
  split_pairs(low, high, std::make_integer_sequence<int, W>{});
  v.re.data = (raw)low;
  v.im.data = (raw)high;
}
template <int W, class V>
[[gnu::always_inline]] inline void join(V& v) {
  using R = typename decltype(v.re)::value_type;
  using raw = decltype(v.re.data);
  using S = typename short_vec<R, W>::type;
  S low = (S)v.re.data, high = (S)v.im.data;
  join_pairs(low, high, std::make_integer_sequence<int, W>{});
  v.re.data = (raw)low;
  v.im.data = (raw)high;
}

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

/// Writes a whole vector, at a multiple of its size, to memory without a place in the caches; other
/// threads see it after streams_end().
template <class T, int W>
[[gnu::always_inline]] inline void stream(T* p, vec<T, W> v) {
  static_assert(!is_complex_type<T> && W > 1);
#if defined(__SSE2__)
  using R = decltype(v.data);
#if defined(__AVX512F__)
  if constexpr (sizeof(R) == 64)
    _mm512_stream_pd(static_cast<double*>(static_cast<void*>(p)), (__m512d)v.data);
#endif
#if defined(__AVX__)
  if constexpr (sizeof(R) == 32)
    _mm256_stream_pd(static_cast<double*>(static_cast<void*>(p)), (__m256d)v.data);
#endif
  if constexpr (sizeof(R) == 16)
    _mm_stream_pd(static_cast<double*>(static_cast<void*>(p)), (__m128d)v.data);
#else
  v.store(p);
#endif
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
  const auto mask = ((1u << to) - 1) & ~((1u << from) - 1);
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
template <class T, int W>
[[gnu::always_inline]] inline void store_between(T* p, vec<T, W> v, int from, int to) {
  constexpr int bytes = W * static_cast<int>(sizeof(T));
  constexpr bool wide = std::is_same_v<T, double>;
#if defined(__AVX512F__) && defined(__AVX512VL__)
  const auto mask = ((1u << to) - 1) & ~((1u << from) - 1);
  if constexpr (bytes == 64 && wide) _mm512_mask_storeu_pd(p, static_cast<__mmask8>(mask), v.data);
  if constexpr (bytes == 64 && !wide)
    _mm512_mask_storeu_ps(p, static_cast<__mmask16>(mask), v.data);
  if constexpr (bytes == 32 && wide) _mm256_mask_storeu_pd(p, static_cast<__mmask8>(mask), v.data);
  if constexpr (bytes == 32 && !wide) _mm256_mask_storeu_ps(p, static_cast<__mmask8>(mask), v.data);
  if constexpr (bytes == 16 && wide) _mm_mask_storeu_pd(p, static_cast<__mmask8>(mask), v.data);
  if constexpr (bytes == 16 && !wide) _mm_mask_storeu_ps(p, static_cast<__mmask8>(mask), v.data);
#elif defined(__AVX2__) && defined(__FMA__)
  const auto mask = lane_mask<bytes, wide>(to) & ~lane_mask<bytes, wide>(from);
  if constexpr (bytes == 32 && wide) _mm256_maskstore_pd(p, mask, v.data);
  if constexpr (bytes == 32 && !wide) _mm256_maskstore_ps(p, mask, v.data);
  if constexpr (bytes == 16 && wide) _mm_maskstore_pd(p, mask, v.data);
  if constexpr (bytes == 16 && !wide) _mm_maskstore_ps(p, mask, v.data);
#else
  (void)wide, (void)bytes;
  T entries[W];
  store<T, W>(entries, v);
  for (int i = from; i < to; ++i) p[i] = entries[i];
#endif
}

/// The first n < W entries at p, zeros behind; nothing else is read.
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

/// The first n < W entries of v; nothing else is written.
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
    store_between<T, W>(p, v, 0, n);
  }
}

/// The first lanes of V; by a shuffle, since g++ 12 warns of its own casts.
template <class V, int... I>
[[gnu::always_inline]] inline auto low_half(V v, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(v, v, I...);
}

/// The first L lanes of a vector or a factor.
template <int L, class R, class Arch>
[[gnu::always_inline]] inline auto low_lanes(const register_vec<R, Arch>& v) {
  using whole = typename short_vec<R, static_cast<int>(register_vec<R, Arch>::size)>::type;
  vec<R, L> low;
  low.data = (decltype(low.data))low_half((whole)v.data, std::make_integer_sequence<int, L>{});
  return low;
}
template <int L, class R, int W>
[[gnu::always_inline]] inline auto low_lanes(const pair_factor<R, W>& f) {
  return pair_factor<R, L>{low_lanes<2 * L>(f.re), low_lanes<2 * L>(f.im)};
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

/// a b + c, rounded once where the instruction set can.
[[gnu::always_inline]] inline double fma(double a, double b, double c) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}
[[gnu::always_inline]] inline float fma(float a, float b, float c) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
/// c - a b, rounded once where the instruction set can.
[[gnu::always_inline]] inline double fnma(double a, double b, double c) { return fma(-a, b, c); }
[[gnu::always_inline]] inline float fnma(float a, float b, float c) { return fma(-a, b, c); }

/// The same of vectors: a b + c, and c - a b.
template <class R, class Arch>
[[gnu::always_inline]] inline register_vec<R, Arch> fma(register_vec<R, Arch> a,
                                                        register_vec<R, Arch> b,
                                                        register_vec<R, Arch> c) {
  [[maybe_unused]] constexpr auto bytes = sizeof a.data;
  [[maybe_unused]] constexpr bool wide = std::is_same_v<R, double>;
#if defined(__AVX512F__)
  if constexpr (bytes == 64 && wide) return _mm512_fmadd_pd(a.data, b.data, c.data);
  if constexpr (bytes == 64 && !wide) return _mm512_fmadd_ps(a.data, b.data, c.data);
#endif
#if defined(__FMA__)
  if constexpr (bytes == 32 && wide) return _mm256_fmadd_pd(a.data, b.data, c.data);
  if constexpr (bytes == 32 && !wide) return _mm256_fmadd_ps(a.data, b.data, c.data);
  if constexpr (bytes == 16 && wide) return _mm_fmadd_pd(a.data, b.data, c.data);
  if constexpr (bytes == 16 && !wide) return _mm_fmadd_ps(a.data, b.data, c.data);
#elif defined(__aarch64__)
  if constexpr (wide) return vfmaq_f64(c.data, a.data, b.data);
  if constexpr (!wide) return vfmaq_f32(c.data, a.data, b.data);
#else
  return a * b + c;
#endif
}
template <class R, class Arch>
[[gnu::always_inline]] inline register_vec<R, Arch> fnma(register_vec<R, Arch> a,
                                                         register_vec<R, Arch> b,
                                                         register_vec<R, Arch> c) {
  [[maybe_unused]] constexpr auto bytes = sizeof a.data;
  [[maybe_unused]] constexpr bool wide = std::is_same_v<R, double>;
#if defined(__AVX512F__)
  if constexpr (bytes == 64 && wide) return _mm512_fnmadd_pd(a.data, b.data, c.data);
  if constexpr (bytes == 64 && !wide) return _mm512_fnmadd_ps(a.data, b.data, c.data);
#endif
#if defined(__FMA__)
  if constexpr (bytes == 32 && wide) return _mm256_fnmadd_pd(a.data, b.data, c.data);
  if constexpr (bytes == 32 && !wide) return _mm256_fnmadd_ps(a.data, b.data, c.data);
  if constexpr (bytes == 16 && wide) return _mm_fnmadd_pd(a.data, b.data, c.data);
  if constexpr (bytes == 16 && !wide) return _mm_fnmadd_ps(a.data, b.data, c.data);
#elif defined(__aarch64__)
  if constexpr (wide) return vfmsq_f64(c.data, a.data, b.data);
  if constexpr (!wide) return vfmsq_f32(c.data, a.data, b.data);
#else
  return c - a * b;
#endif
}

/// Complex arithmetic by four real products in one order, for every W: without the rescue of
/// infinities that std::complex makes, and the same bits in every lane.
///   re = (c.re + a.re b.re) - a.im b.im,   im = (c.im + a.re b.im) + a.im b.re
template <class R, int W>
[[gnu::always_inline]] inline complex_vec<R, W> fma(complex_vec<R, W> a, complex_vec<R, W> b,
                                                    complex_vec<R, W> c) {
  return {fnma(a.im, b.im, fma(a.re, b.re, c.re)), fma(a.im, b.re, fma(a.re, b.im, c.im))};
}
template <class R, int W>
[[gnu::always_inline]] inline complex_vec<R, W> operator*(complex_vec<R, W> a,
                                                          complex_vec<R, W> b) {
  return {fnma(a.im, b.im, a.re * b.re), fma(a.im, b.re, a.re * b.im)};
}
template <class R, int W>
[[gnu::always_inline]] inline complex_vec<R, W> operator+(complex_vec<R, W> a,
                                                          complex_vec<R, W> b) {
  return {a.re + b.re, a.im + b.im};
}

/// The same by two real products of pairs each.
template <class R, int W>
[[gnu::always_inline]] inline pair_sum<R, W> fma(pair_factor<R, W> a, pair_vec<R, W> b,
                                                 pair_sum<R, W> c) {
  return {{fma(a.re, b.pairs, c.by_re.pairs)}, fma(a.im, b.pairs, c.by_im)};
}
template <class R, int W>
[[gnu::always_inline]] inline pair_sum<R, W> operator*(pair_factor<R, W> a, pair_vec<R, W> b) {
  return {{a.re * b.pairs}, a.im * b.pairs};
}

/// (-1, 1, -1, 1, ...)
template <class R, int... I>
[[gnu::always_inline]] inline auto signs_of_pairs(std::integer_sequence<int, I...>) {
  return typename short_vec<R, sizeof...(I)>::type{R(I % 2 == 0 ? -1 : 1)...};
}
template <class V, int... I>
[[gnu::always_inline]] inline V exchange_in_pairs(V v, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(v, v, (I ^ 1)...);
}
/// The sum itself; by factors whose conjugates were meant where `Conjugate`.
template <bool Conjugate, class V>
[[gnu::always_inline]] inline V value_of(V sum) {
  return sum;
}
template <bool Conjugate, class R, int W>
[[gnu::always_inline]] inline pair_vec<R, W> value_of(pair_sum<R, W> sum) {
  using S = typename short_vec<R, 2 * W>::type;
  constexpr auto lanes = std::make_integer_sequence<int, 2 * W>{};
  const S signs = signs_of_pairs<R>(lanes);
  vec<R, 2 * W> sign, exchanged;
  sign.data = (decltype(sign.data))(Conjugate ? -signs : signs);
  exchanged.data = (decltype(sign.data))exchange_in_pairs((S)sum.by_im.data, lanes);
  return {fma(sign, exchanged, sum.by_re.pairs)};
}

template <class R, int W>
[[gnu::always_inline]] inline complex_vec<R, W> conjugate(complex_vec<R, W> v) {
  return {v.re, -v.im};
}
template <class R, int W>
[[gnu::always_inline]] inline pair_vec<R, W> conjugate(pair_vec<R, W> v) {
  using S = typename short_vec<R, 2 * W>::type;
  const S signs = signs_of_pairs<R>(std::make_integer_sequence<int, 2 * W>{});
  v.pairs.data = (decltype(v.pairs.data))(-signs * (S)v.pairs.data);
  return v;
}

/// The conjugate of a times b, plus c; for real numbers the same as without, and for pairs left to
/// value_of.
template <class A, class B, class C>
[[gnu::always_inline]] inline C fma_conjugate(A a, B b, C c) {
  return fma(a, b, c);
}
template <class R, int W>
[[gnu::always_inline]] inline complex_vec<R, W> fma_conjugate(complex_vec<R, W> a,
                                                              complex_vec<R, W> b,
                                                              complex_vec<R, W> c) {
  return {fma(a.im, b.im, fma(a.re, b.re, c.re)), fnma(a.im, b.re, fma(a.re, b.im, c.im))};
}

/// Keeps `v` in a register: without it g++ folds one load into each of its uses and the
/// micro-kernel becomes load-bound (71 instead of 124 GFLOP/s at n = 16 on Zen 5).
template <class V>
[[gnu::always_inline]] inline void pin(V& v) {
#if defined(__AVX512F__)
  if constexpr (std::is_arithmetic_v<V>)
    asm("" : "+v"(v));
  else
    asm("" : "+v"(v.data));
#elif defined(__SSE2__)
  if constexpr (std::is_arithmetic_v<V>)
    asm("" : "+x"(v));
  else
    asm("" : "+x"(v.data));
#else
  (void)v;
#endif
}

/// Keeps four vectors and puts whatever makes them before whatever uses them.
template <class V>
[[gnu::always_inline]] inline void pin(V& a, V& b, V& c, V& d) {
#if defined(__AVX512F__)
  asm volatile("" : "+v"(a.data), "+v"(b.data), "+v"(c.data), "+v"(d.data));
#elif defined(__SSE2__)
  asm volatile("" : "+x"(a.data), "+x"(b.data), "+x"(c.data), "+x"(d.data));
#else
  (void)a, (void)b, (void)c, (void)d;
#endif
}

template <class R, int W>
[[gnu::always_inline]] inline void pin(complex_vec<R, W>& v) {
  pin(v.re);
  pin(v.im);
}
template <class R, int W>
[[gnu::always_inline]] inline void pin(complex_vec<R, W>& a, complex_vec<R, W>& b,
                                       complex_vec<R, W>& c, complex_vec<R, W>& d) {
  pin(a.re, a.im, b.re, b.im);
  pin(c.re, c.im, d.re, d.im);
}
template <class R, int W>
[[gnu::always_inline]] inline void pin(pair_vec<R, W>& v) {
  pin(v.pairs);
}
template <class R, int W>
[[gnu::always_inline]] inline void pin(pair_sum<R, W>& a, pair_sum<R, W>& b, pair_sum<R, W>& c,
                                       pair_sum<R, W>& d) {
  pin(a.by_re.pairs, a.by_im, b.by_re.pairs, b.by_im);
  pin(c.by_re.pairs, c.by_im, d.by_re.pairs, d.by_im);
}

/// The same address, but the compiler forgets what it knows of it: loads through it are not hoisted
/// out of the loop around (hoisted broadcasts spill: 57 instead of 100 to 132 GFLOP/s). Volatile,
/// or clang hoists the asm itself.
template <class T>
[[gnu::always_inline]] inline T* launder(T* p) {
  asm volatile("" : "+r"(p));
  return p;
}

/// The value of x, which the compiler loads anew from memory: it is not kept in a register.
template <class X>
[[gnu::always_inline]] inline X reloaded(X& x) {
  asm volatile("" : "+m"(x));
  return x;
}

/// The sum of the lanes, halves of a vector first.
template <int W, class V>
[[gnu::always_inline]] inline auto sum_of(V v) {
  if constexpr (W == 1) {
    return v[0];
  } else {
    using R = std::remove_cvref_t<decltype(v[0])>;
    using half = typename short_vec<R, W / 2>::type;
    const auto part = [&]<int... I>(std::integer_sequence<int, I...>, auto begin)->half {
      return __builtin_shufflevector(v, v, (I + begin())...);
    };
    constexpr auto lanes = std::make_integer_sequence<int, W / 2>{};
    return sum_of<W / 2>(part(lanes, std::integral_constant<int, 0>{}) +
                         part(lanes, std::integral_constant<int, W / 2>{}));
  }
}
template <class T, int W>
[[gnu::always_inline]] inline T sum_of_lanes(vec<T, W> v) {
  using V = typename short_vec<real<T>, W>::type;
  if constexpr (is_complex_type<T>)
    return T(sum_of<W>((V)v.re.data), sum_of<W>((V)v.im.data));
  else
    return sum_of<W>((V)v.data);
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
