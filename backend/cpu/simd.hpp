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
/// linked into one program. This file alone knows which instruction set that is; what it can,
/// load_store.hpp asks, too.
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#define TENFOLD_ISA avx512
#if defined(TENFOLD_LACKS_avx512)
#define TENFOLD_LACKS_ISA
#endif
#define TENFOLD_ARCH xsimd::avx512bw
#elif defined(__AVX2__) && defined(__FMA__)
#define TENFOLD_ISA avx2
#if defined(TENFOLD_LACKS_avx2)
#define TENFOLD_LACKS_ISA
#endif
#define TENFOLD_ARCH xsimd::fma3<xsimd::avx2>
#elif defined(__SSE2__)
#define TENFOLD_ISA sse2
#if defined(TENFOLD_LACKS_sse2)
#define TENFOLD_LACKS_ISA
#endif
#define TENFOLD_ARCH xsimd::sse2
#elif defined(__aarch64__)
#define TENFOLD_ISA neon64
#define TENFOLD_ARCH xsimd::neon64
#else
#error "tenfold: micro-kernels need SSE2, AVX2 with FMA, AVX-512 or the vectors of AArch64"
#endif

namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Whether the library lacks the kernels for this instruction set (TENFOLD_INSTRUCTION_SETS). A
/// template, so that only what calls them is refused.
template <class T>
inline constexpr bool library_lacks_isa =
#if defined(TENFOLD_LACKS_ISA)
    true;
#else
    false;
#endif
template <class T>
constexpr void require_library() {
  static_assert(!library_lacks_isa<T>,
                "tenfold: the library was compiled for other instruction sets than this file "
                "(TENFOLD_INSTRUCTION_SETS); native goes with -march=native");
}

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

/// Two native vectors as one.
template <class R>
struct wide_vec {
  static constexpr std::size_t size = 2 * native_vec<R>::size;

  native_vec<R> low, high;

  wide_vec() = default;
  [[gnu::always_inline]] wide_vec(native_vec<R> l, native_vec<R> h) : low(l), high(h) {}
  [[gnu::always_inline]] explicit wide_vec(R x) : low(x), high(low) {}

  [[gnu::always_inline]] static wide_vec load(const R* p) {
    return {native_vec<R>::load(p), native_vec<R>::load(p + size / 2)};
  }
  [[gnu::always_inline]] void store(R* p) const {
    low.store(p);
    high.store(p + size / 2);
  }

  template <int Part>
  [[gnu::always_inline]] native_vec<R>& part() {
    if constexpr (Part == 0)
      return low;
    else
      return high;
  }

  [[gnu::always_inline]] friend wide_vec operator*(wide_vec a, wide_vec b) {
    return {a.low * b.low, a.high * b.high};
  }
};

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
#elif defined(__znver3__)
inline constexpr processor compiled_model = processor::zen3;
#else
inline constexpr processor compiled_model = processor::other;
#endif

/// What a file is compiled for, as a type: the namespace tells the instruction set. In the name of
/// whatever is made for that machine and does not lie in this namespace.
template <processor Model>
struct compiled_for {};
using this_machine = compiled_for<compiled_model>;

/// Architectural vector registers.
#if defined(__aarch64__)
inline constexpr int registers = 32;
#else
inline constexpr int registers = lanes<double> == 8 ? 32 : 16;
#endif

/// Native vectors that W lanes fill, of complex T those of real or of imaginary parts.
template <class T, int W>
inline constexpr int vectors_in = W > lanes<T> ? 2 : 1;

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
  else if constexpr (W == 2 * lanes<T>)
    return std::type_identity<wide_vec<T>>{};
  else
    return std::type_identity<typename narrow_vec<T, W* static_cast<int>(sizeof(T))>::type>{};
}
/// W entries of T: a native vector, a narrower one, two native ones, or for W = 1 a plain scalar,
/// so that one text serves all; for complex T two such, the real and the imaginary parts, or one of
/// pairs.
template <class T, int W>
using vec = typename decltype(vec_of<T, W>())::type;

/// Neighbouring entries of T in a native vector.
template <class T>
inline constexpr int neighbours = select::neighbours(lanes<T>, scalar_of<T>);

/// select::narrow_neighbours of native vectors.
template <class T>
constexpr int neighbours_for(index n) {
  return select::narrow_neighbours(n, lanes<T>, scalar_of<T>);
}

/// P neighbouring entries; P is a power of two up to the native lanes.
template <class T, int P>
struct short_vec {
  typedef T type __attribute__((vector_size(P * sizeof(T))));
};

/// The first lanes of V, and the last; by a shuffle, since g++ 12 warns of its own casts, and by
/// reference, since compilers warn of vectors wider than registers that are passed by value.
template <class V, int... I>
[[gnu::always_inline]] inline auto low_half(const V& v, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(v, v, I...);
}

template <class V, int... I>
[[gnu::always_inline]] inline auto high_half(const V& v, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(v, v, (static_cast<int>(sizeof...(I)) + I)...);
}

/// The first L lanes of a vector.
template <int L, class R, class Arch>
[[gnu::always_inline]] inline auto low_lanes(const register_vec<R, Arch>& v) {
  using whole = typename short_vec<R, static_cast<int>(register_vec<R, Arch>::size)>::type;
  vec<R, L> low;
  low.data = (decltype(low.data))low_half((whole)v.data, std::make_integer_sequence<int, L>{});
  return low;
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

template <class R>
[[gnu::always_inline]] inline wide_vec<R> fma(wide_vec<R> a, wide_vec<R> b, wide_vec<R> c) {
  return {fma(a.low, b.low, c.low), fma(a.high, b.high, c.high)};
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

template <class R>
[[gnu::always_inline]] inline void pin(wide_vec<R>& v) {
  pin(v.low);
  pin(v.high);
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
template <class R>
[[gnu::always_inline]] inline void pin(wide_vec<R>& a, wide_vec<R>& b, wide_vec<R>& c,
                                       wide_vec<R>& d) {
  pin(a.low, a.high, b.low, b.high);
  pin(c.low, c.high, d.low, d.high);
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
