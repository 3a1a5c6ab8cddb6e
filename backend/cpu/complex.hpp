#pragma once

#include <tenfold/backend/cpu/simd.hpp>
#include <utility>

/// Vectors of complex numbers: as two of real ones, or as pairs in the order of memory.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

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

/// The first L lanes of a factor.
template <int L, class R, int W>
[[gnu::always_inline]] inline auto low_lanes(const pair_factor<R, W>& f) {
  return pair_factor<R, L>{low_lanes<2 * L>(f.re), low_lanes<2 * L>(f.im)};
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

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
