#pragma once

#include <tenfold/tensor/extents.hpp>
#include <type_traits>
#include <xsimd/xsimd.hpp>

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
#else
#define TENFOLD_ISA generic
#define TENFOLD_ARCH xsimd::default_arch
#endif

namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// One native vector of T.
template <class T>
using native_vec = xsimd::batch<T, TENFOLD_ARCH>;

#undef TENFOLD_ARCH

/// Entries of T in one native vector.
template <class T>
inline constexpr int lanes = static_cast<int>(native_vec<T>::size);

/// Architectural vector registers.
#if defined(__aarch64__)
inline constexpr int registers = 32;
#else
inline constexpr int registers = lanes<double> == 8 ? 32 : 16;
#endif

/// W entries of T: a native vector, or for W = 1 a plain scalar, so that one text serves both.
template <class T, int W>
using vec = std::conditional_t<W == 1, T, native_vec<T>>;

template <class T, int W>
[[gnu::always_inline]] inline vec<T, W> load(const T* p) {
  static_assert(W == 1 || W == lanes<T>);
  if constexpr (W == 1)
    return *p;
  else
    return native_vec<T>::load_unaligned(p);
}

template <class T, int W>
[[gnu::always_inline]] inline void store(T* p, vec<T, W> v) {
  if constexpr (W == 1)
    *p = v;
  else
    v.store_unaligned(p);
}

template <class T, int W>
[[gnu::always_inline]] inline vec<T, W> broadcast(T x) {
  return vec<T, W>(x);
}

/// a b + c, rounded once where the instruction set can. Spelled out because xsimd 8.1 has no fused
/// form for AVX-512 and leaves it to -ffp-contract, on which no result may depend.
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
[[gnu::always_inline]] inline native_vec<double> fma(native_vec<double> a, native_vec<double> b,
                                                     native_vec<double> c) {
#if defined(__AVX512F__)
  if constexpr (sizeof(a) == 64) return _mm512_fmadd_pd(a.data, b.data, c.data);
#endif
  return xsimd::fma(a, b, c);
}
[[gnu::always_inline]] inline native_vec<float> fma(native_vec<float> a, native_vec<float> b,
                                                    native_vec<float> c) {
#if defined(__AVX512F__)
  if constexpr (sizeof(a) == 64) return _mm512_fmadd_ps(a.data, b.data, c.data);
#endif
  return xsimd::fma(a, b, c);
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

/// The same address, but the compiler forgets what it knows of it: loads through it are not hoisted
/// out of the loop around (hoisted broadcasts spill: 57 instead of 100 to 132 GFLOP/s). Volatile,
/// or clang hoists the asm itself.
template <class T>
[[gnu::always_inline]] inline T* launder(T* p) {
  asm volatile("" : "+r"(p));
  return p;
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
