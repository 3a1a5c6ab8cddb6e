#pragma once

#include <algorithm>
#include <cstddef>

#include "fem/even_odd.hpp"
#include "fem/tables.hpp"

/// The element operators of the bake-off kernels written by hand, W elements at a time in the lanes
/// of vectors, by sum factorization in halves (even_odd.hpp). P nodes and Q points per direction.
///
///   BK1   v = B^T D B u             D [Q][Q][Q]
///   BK3   v = B^T dh^T D dh B u     D [6][Q][Q][Q], the upper triangle; dh the gradient, by the
///                                   polynomials on the points: collocation
///   BK5   v = dh^T D dh u           the same with the nodes as points, Q = P
///
/// Shapes of a block of elements: u and v [P][P][P][W], D [...][W].
namespace tenfold::bench {

/// How many columns a sweep takes at once.
template <class T>
constexpr int columns_of(int m) {
  return std::max(1, std::min(4, (vector_registers - 6) / (m + 2)));
}

/// Vectors from one plane of a scratch to the next: planes of 4 KiB would all lie in one set of L1.
template <class T, int Q>
inline constexpr int plane_step = Q* Q + (Q * Q * lanes<T> * static_cast<int>(sizeof(T)) % 4096 == 0
                                              ? 1
                                              : 0);

/// The gradient of a block in its points, times a symmetric matrix at each, and the transposed
/// gradient back, but for the first axis: that is done line by line by who has the lines at hand.
///   u      [Q][Q][Q]  values; overwritten by the sum over the second and third axis
///   slope  [Q][Q][Q]  derivatives along the first axis, planes plane_step apart; overwritten by
///                     what has to go back
template <class T, int Q>
class plane_gradient {
  static constexpr int W = lanes<T>;
  static constexpr int plane = Q * Q, points = Q * Q * Q;

 public:
  half_table<T, parity::antisymmetric, Q, Q> there, back;

  explicit plane_gradient(const fem_tables& t)
      : there([&](int m, int k) { return t.slope(m, k); }, halved::sums, halved::means),
        back([&](int m, int k) { return t.slope(k, m); }, halved::sums, halved::means) {}

  /// from and to: u, where they differ; their planes are Step vectors apart.
  template <int Step, class Beside>
  [[gnu::always_inline]] void run(const T* from, T* slope, const T* d, T* to,
                                  Beside& beside) const {
    alignas(64) T second[plane * W];
#pragma GCC unroll 1
    for (int q = 0; q < Q; ++q) {
      sweep<Q, columns_of<T>(Q), Q, 1, Q, 1>(there, from, second, beside);
#pragma GCC unroll 1
      for (int r = 0; r < Q; ++r) {
        line(from + r * Q * W, slope + r * Q * W, second + r * Q * W, d + r * Q * W, to + r * Q * W,
             beside);
      }
      sweep<Q, columns_of<T>(Q), Q, 1, Q, 1, true>(back, second, to, beside);
      from += Step * W;
      slope += plane_step<T, Q> * W;
      d += plane * W;
      to += Step * W;
    }
  }

 private:
  /// The points of a line along the third axis, one after the other in pairs of the reflection: the
  /// derivative along it is made and used in registers.
  template <class Beside>
  [[gnu::always_inline]] void line(const T* from, T* slope, T* second, const T* d, T* to,
                                   Beside& beside) const {
    halves<T, Q, 1> third, image;
    contract_halves<false, 1>(
        there, third, beside, [&](int k, vec<T>* even, vec<T>* odd) __attribute__((always_inline)) {
          split<Q, 1>(
              k, even, odd, [&](int i, int) __attribute__((always_inline)) {
                return vec<T>::load_aligned(from + i * W);
              });
        });
    contract_halves<false, 1>(
        back, image, beside, [&](int k, vec<T>* even, vec<T>* odd) __attribute__((always_inline)) {
          if (2 * k == Q - 1) {
            even[0] = at_point(k, third.even[k][0], slope, second, d);
            return;
          }
          const vec<T> x = at_point(k, third.even[k][0] + third.odd[k][0], slope, second, d);
          const vec<T> y =
              at_point(Q - 1 - k, third.even[k][0] - third.odd[k][0], slope, second, d);
          even[0] = x + y;
          odd[0] = x - y;
        });
    join(
        image, [&](int m, int, vec<T> entry)
                   __attribute__((always_inline)) { entry.store_aligned(to + m * W); });
  }

  /// The symmetric matrix times the gradient at point s of a line; the third entry is returned.
  [[gnu::always_inline]] static vec<T> at_point(int s, vec<T> third, T* slope, T* second,
                                                const T* d) {
    const auto entry = [&](int i) __attribute__((always_inline)) {
      return vec<T>::load_aligned(d + (i * points + s) * W);
    };
    const vec<T> x = vec<T>::load_aligned(slope + s * W), y = vec<T>::load_aligned(second + s * W);
    const vec<T> d01 = entry(1), d02 = entry(2), d12 = entry(4);
    multiply_add(entry(0), x, multiply_add(d01, y, d02 * third)).store_aligned(slope + s * W);
    multiply_add(d01, x, multiply_add(entry(3), y, d12 * third)).store_aligned(second + s * W);
    return multiply_add(d02, x, multiply_add(d12, y, entry(5) * third));
  }
};

template <class T, int P, int Q>
class hand_mass_operator {
  static constexpr int W = lanes<T>, plane = Q * Q;
  half_table<T, parity::symmetric, Q, P> there;
  half_table<T, parity::symmetric, P, Q> back;

 public:
  static constexpr int nodes = P * P * P, points = Q * Q * Q, entries = points;
  /// How often `beside` is called for each column of a block.
  static constexpr int steps = (P * (P + Q) + Q * Q) * ((P + 1) / 2 + (Q + 1) / 2);

  explicit hand_mass_operator(const fem_tables& t)
      : there([&](int q, int i) { return t.value(q, i); }, halved::sums, halved::means),
        back([&](int i, int q) { return t.value(q, i); }, halved::sums, halved::means) {}

  /// One block of elements.
  template <class Beside>
  void operator()(const T* u, const T* d, T* v, Beside& beside) const {
    alignas(64) T t[P * plane * W];
    alignas(64) T s[P * Q * W];
#pragma GCC unroll 1
    for (int i = 0; i < P; ++i) {
      sweep<P, columns_of<T>(Q), 1, P, 1, Q>(there, u + i * P * P * W, s, beside);
      sweep<Q, columns_of<T>(Q), Q, 1, Q, 1>(there, s, t + i * plane * W, beside);
    }
#pragma GCC unroll 1
    for (int n = 0; n < Q * Q; ++n) {
      line(t + n * W, d + n * W, beside);
    }
#pragma GCC unroll 1
    for (int l = 0; l < P; ++l) {
      sweep<Q, columns_of<T>(Q), Q, 1, Q, 1>(back, t + l * plane * W, s, beside);
      sweep<P, columns_of<T>(Q), 1, Q, 1, P>(back, s, v + l * P * P * W, beside);
    }
  }

 private:
  /// A line along the first axis: interpolated, scaled by d and projected in registers.
  template <class Beside>
  [[gnu::always_inline]] void line(T* t, const T* d, Beside& beside) const {
    constexpr int step = plane * W;
    halves<T, Q, 1> point;
    halves<T, P, 1> node;
    contract_halves<false, 1>(
        there, point, beside, [&](int k, vec<T>* even, vec<T>* odd) __attribute__((always_inline)) {
          split<P, 1>(
              k, even, odd, [&](int i, int) __attribute__((always_inline)) {
                return vec<T>::load_aligned(t + i * step);
              });
        });
    contract_halves<false, 1>(
        back, node, beside, [&](int k, vec<T>* even, vec<T>* odd) __attribute__((always_inline)) {
          if (2 * k == Q - 1) {
            even[0] = point.even[k][0] * vec<T>::load_aligned(d + k * Q * Q * W);
            return;
          }
          const vec<T> x =
              (point.even[k][0] + point.odd[k][0]) * vec<T>::load_aligned(d + k * Q * Q * W);
          const vec<T> y = (point.even[k][0] - point.odd[k][0]) *
                           vec<T>::load_aligned(d + (Q - 1 - k) * Q * Q * W);
          even[0] = x + y;
          odd[0] = x - y;
        });
    join(
        node, [&](int m, int, vec<T> entry)
                  __attribute__((always_inline)) { entry.store_aligned(t + m * step); });
  }
};

template <class T, int P, int Q>
class hand_diffusion_operator {
  static constexpr int W = lanes<T>, plane = plane_step<T, Q>;
  half_table<T, parity::symmetric, Q, P> there;
  half_table<T, parity::antisymmetric, Q, Q> slope_of_means, back_to_sums;
  half_table<T, parity::symmetric, P, Q> back;
  plane_gradient<T, Q> gradient;

 public:
  static constexpr int nodes = P * P * P, points = Q * Q * Q, entries = 6 * points;
  static constexpr int steps =
      (P * (P + Q) + Q * Q) * ((P + 1) / 2 + (Q + 1) / 2) + 6 * Q * Q * ((Q + 1) / 2);

  explicit hand_diffusion_operator(const fem_tables& t)
      : there([&](int q, int i) { return t.value(q, i); }, halved::sums, halved::means),
        slope_of_means([&](int m, int k) { return t.slope(m, k); }, halved::means, halved::means),
        back_to_sums([&](int m, int k) { return t.slope(k, m); }, halved::sums, halved::sums),
        back([&](int i, int q) { return t.value(q, i); }, halved::sums, halved::means),
        gradient(t) {}

  /// One block of elements.
  template <class Beside>
  void operator()(const T* u, const T* d, T* v, Beside& beside) const {
    alignas(64) T t[P * plane * W];
    alignas(64) T s[P * Q * W];
    alignas(64) T value[Q * plane * W];
    alignas(64) T slope[Q * plane * W];
#pragma GCC unroll 1
    for (int i = 0; i < P; ++i) {
      sweep<P, columns_of<T>(Q), 1, P, 1, Q>(there, u + i * P * P * W, s, beside);
      sweep<Q, columns_of<T>(Q), Q, 1, Q, 1>(there, s, t + i * plane * W, beside);
    }
#pragma GCC unroll 1
    for (int n = 0; n < Q * Q; ++n) rise(t + n * W, value + n * W, slope + n * W, beside);
    gradient.template run<plane>(value, slope, d, value, beside);
#pragma GCC unroll 1
    for (int n = 0; n < Q * Q; ++n) fall(value + n * W, slope + n * W, t + n * W, beside);
#pragma GCC unroll 1
    for (int l = 0; l < P; ++l) {
      sweep<Q, columns_of<T>(Q), Q, 1, Q, 1>(back, t + l * plane * W, s, beside);
      sweep<P, columns_of<T>(Q), 1, Q, 1, P>(back, s, v + l * P * P * W, beside);
    }
  }

 private:
  static constexpr int step = plane * W;

  /// A line along the first axis: values at its points, and derivatives from them.
  template <class Beside>
  [[gnu::always_inline]] void rise(const T* t, T* value, T* slope, Beside& beside) const {
    halves<T, Q, 1> point, derivative;
    contract_halves<false, 1>(
        there, point, beside, [&](int k, vec<T>* even, vec<T>* odd) __attribute__((always_inline)) {
          split<P, 1>(
              k, even, odd, [&](int i, int) __attribute__((always_inline)) {
                return vec<T>::load_aligned(t + i * step);
              });
        });
    join(
        point, [&](int m, int, vec<T> entry)
                   __attribute__((always_inline)) { entry.store_aligned(value + m * step); });
    contract_halves<false, 1>(
        slope_of_means, derivative,
        beside, [&](int k, vec<T>* even, vec<T>* odd) __attribute__((always_inline)) {
          even[0] = point.even[k][0];
          if (k < Q / 2) odd[0] = point.odd[k][0];
        });
    join(
        derivative, [&](int m, int, vec<T> entry)
                        __attribute__((always_inline)) { entry.store_aligned(slope + m * step); });
  }

  /// The way back: slopes go to their values, all of it to the nodes.
  template <class Beside>
  [[gnu::always_inline]] void fall(const T* value, const T* slope, T* t, Beside& beside) const {
    halves<T, Q, 1> point;
    halves<T, P, 1> node;
#pragma GCC unroll 16
    for (int k = 0; k < (Q + 1) / 2; ++k) {
      split<Q, 1>(
          k, point.even[k], point.odd[k], [&](int i, int) __attribute__((always_inline)) {
            return vec<T>::load_aligned(value + i * step);
          });
    }
    contract_halves<true, 1>(
        back_to_sums, point,
        beside, [&](int k, vec<T>* even, vec<T>* odd) __attribute__((always_inline)) {
          split<Q, 1>(
              k, even, odd, [&](int i, int) __attribute__((always_inline)) {
                return vec<T>::load_aligned(slope + i * step);
              });
        });
    contract_halves<false, 1>(
        back, node, beside, [&](int k, vec<T>* even, vec<T>* odd) __attribute__((always_inline)) {
          even[0] = point.even[k][0];
          if (k < Q / 2) odd[0] = point.odd[k][0];
        });
    join(
        node, [&](int m, int, vec<T> entry)
                  __attribute__((always_inline)) { entry.store_aligned(t + m * step); });
  }
};

template <class T, int P>
class hand_collocated_operator {
  static constexpr int W = lanes<T>, plane = plane_step<T, P>;
  plane_gradient<T, P> gradient;

 public:
  static constexpr int nodes = P * P * P, points = nodes, entries = 6 * points;
  static constexpr int steps = 6 * P * P * ((P + 1) / 2);

  explicit hand_collocated_operator(const fem_tables& t) : gradient(t) {}

  /// One block of elements.
  template <class Beside>
  void operator()(const T* u, const T* d, T* v, Beside& beside) const {
    constexpr int R = columns_of<T>(P);
    alignas(64) T slope[P * plane * W];
    sweep<P * P, R, P * P, 1, plane, 1>(gradient.there, u, slope, beside);
    gradient.template run<P * P>(u, slope, d, v, beside);
    sweep<P * P, R, plane, 1, P * P, 1, true>(gradient.back, slope, v, beside);
  }
};

}  // namespace tenfold::bench
