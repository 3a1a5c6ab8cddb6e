#pragma once

#include <cstdint>
#include <tenfold/backend/cpu/load_store.hpp>

/// Lanes of a vector in an order, and of a set, that only numbers tell.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Whether vectors of W real entries T are put in any order by one instruction.
template <class T, int W>
inline constexpr bool permutes =
#if defined(__AVX2__) && defined(__FMA__)
    !is_complex_type<T> && W * static_cast<int>(sizeof(T)) >= 32;
#else
    false;
#endif

/// From which lane each lane comes.
template <class T, int W>
class lane_order;
/// The lanes that are kept; others become zero.
template <class T, int W>
class lane_set;

#if defined(__AVX2__) && defined(__FMA__)

template <class T, int W>
class lane_order {
  static_assert(permutes<T, W>);

 public:
  /// Lane i comes from lane from(i).
  template <class F>
  void set(F from) {
    for (int i = 0; i < W; ++i)
      for (int part = 0; part < parts; ++part) of_[i * parts + part] = from(i) * parts + part;
  }

  /// (Masked by all ones, since g++ 12 warns of its own header otherwise.)
  [[gnu::always_inline]] vec<T, W> permuted(vec<T, W> v) const {
#if defined(__AVX512F__) && defined(__AVX512VL__)
    constexpr bool wide = std::is_same_v<T, double>;
    if constexpr (bytes == 64 && wide)
      return _mm512_maskz_permutexvar_pd(0xff, numbers<__m512i>(), v.data);
    else if constexpr (bytes == 64)
      return _mm512_maskz_permutexvar_ps(0xffff, numbers<__m512i>(), v.data);
    else if constexpr (wide)
      return _mm256_maskz_permutexvar_pd(0xff, numbers<__m256i>(), v.data);
    else
      return _mm256_maskz_permutexvar_ps(0xff, numbers<__m256i>(), v.data);
#else
    return (decltype(v.data))_mm256_permutevar8x32_ps((__m256)v.data, numbers<__m256i>());
#endif
  }

 private:
  static constexpr auto bytes = W * sizeof(T);
#if defined(__AVX512F__) && defined(__AVX512VL__)
  using number = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
#else
  using number = std::int32_t;  // AVX2 has an instruction for these alone
#endif
  static constexpr int parts = static_cast<int>(sizeof(T) / sizeof(number));

  template <class V>
  [[gnu::always_inline]] V numbers() const {
    V v;
    std::memcpy(&v, of_, sizeof v);
    return v;
  }

  alignas(bytes) number of_[W * parts];
};

template <class T, int W>
class lane_set {
  static_assert(permutes<T, W>);

 public:
  /// Lane i is kept if keeps(i).
  template <class F>
  void set(F keeps) {
#if defined(__AVX512F__) && defined(__AVX512VL__)
    mask_ = 0;
    for (int i = 0; i < W; ++i) mask_ |= static_cast<unsigned>(keeps(i)) << i;
#else
    std::int32_t mask[bytes / 4];
    for (int i = 0; i < static_cast<int>(bytes / 4); ++i)
      mask[i] = keeps(i * 4 / static_cast<int>(sizeof(T))) ? -1 : 0;
    std::memcpy(&mask_, mask, bytes);
#endif
  }

  [[gnu::always_inline]] vec<T, W> kept(vec<T, W> v) const {
#if defined(__AVX512F__) && defined(__AVX512VL__)
    constexpr bool wide = std::is_same_v<T, double>;
    if constexpr (bytes == 64 && wide)
      return _mm512_maskz_mov_pd(static_cast<__mmask8>(mask_), v.data);
    else if constexpr (bytes == 64)
      return _mm512_maskz_mov_ps(static_cast<__mmask16>(mask_), v.data);
    else if constexpr (wide)
      return _mm256_maskz_mov_pd(static_cast<__mmask8>(mask_), v.data);
    else
      return _mm256_maskz_mov_ps(static_cast<__mmask8>(mask_), v.data);
#else
    return (decltype(v.data))_mm256_and_ps((__m256)v.data, mask_);
#endif
  }

 private:
  static constexpr auto bytes = W * sizeof(T);
#if defined(__AVX512F__) && defined(__AVX512VL__)
  unsigned mask_;
#else
  __m256 mask_;
#endif
};

/// The lanes of two vectors of which one has a zero, of all bits, wherever the other has a number.
template <class R, class Arch>
[[gnu::always_inline]] inline register_vec<R, Arch> both(register_vec<R, Arch> a,
                                                         register_vec<R, Arch> b) {
  using bits = std::conditional_t<sizeof(R) == 8, std::int64_t, std::int32_t>;
  using V = typename short_vec<bits, static_cast<int>(register_vec<R, Arch>::size)>::type;
  return (decltype(a.data))((V)a.data | (V)b.data);
}

#endif

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
