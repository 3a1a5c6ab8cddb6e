#pragma once

#include <array>
#include <span>
#include <tenfold/dsel/fuse.hpp>
#include <tenfold/tensor/reflection.hpp>

/// Operands for the tests of fused kernels, and what plain loops make of them. Entries are small
/// integers, so that results are exact in any order of summation.
namespace tenfold {

template <class T>
struct filler {
  unsigned state;
  T operator()() {
    state = state * 1103515245U + 12345U;
    return static_cast<T>(static_cast<float>(static_cast<int>(state >> 16 & 7U) - 3));
  }
};

template <class X>
void fill(X& x, unsigned seed) {
  filler<typename X::value_type> next{seed};
  for (auto& entry : std::span(x.data(), static_cast<std::size_t>(x.size()))) entry = next();
}

/// Makes B(Q-1-q, P-1-i) = s B(q, i).
template <class X>
void reflect(X& B, int s) {
  using T = typename X::value_type;
  const index size = B.size();
  for (index x = 0; 2 * x < size; ++x) B.data()[size - 1 - x] = static_cast<T>(s) * B.data()[x];
  if (size % 2 != 0 && s < 0) B.data()[size / 2] = T(0);
}

template <class X>
bool same(const X& x, const X& y) {
  bool equal = true;
  for (index i = 0; i < x.size(); ++i) equal = equal && x.data()[i] == y.data()[i];
  return equal;
}

/// N where sizes are part of types, dyn where they are told at the call.
template <bool IsStatic>
constexpr index told(index n) {
  return IsStatic ? n : dyn;
}
template <class X, class... N>
X sized(N... n) {
  return X(typename X::extents_type(std::array<index, sizeof...(N)>{n...}));
}

// --- what the kernels below read and write, by name --------------------------------------------

namespace operands {
inline constexpr input<"u"> u;
inline constexpr input<"B"> B;
inline constexpr input<"G"> G;
inline constexpr input<"D"> D;
inline constexpr output<"v"> v;
}  // namespace operands

// --- the mass operator, v = B^T D B u along each axis -----------------------------------------

template <class T, bool IsStatic, int P, int Q>
struct mass_problem {
  static constexpr index p = told<IsStatic>(P), q = told<IsStatic>(Q);
  tensor<T, q, p> B;
  tensor<T, dyn, p, p, p> U, V, W;
  tensor<T, dyn, q, q, q> D;

  explicit mass_problem(index elements)
      : B(sized<tensor<T, q, p>>(index{Q}, index{P})),
        U(sized<tensor<T, dyn, p, p, p>>(elements, index{P}, index{P}, index{P})),
        V(U),
        W(U),
        D(sized<tensor<T, dyn, q, q, q>>(elements, index{Q}, index{Q}, index{Q})) {
    fill(B, 1);
    fill(U, 2);
    fill(V, 3);
    fill(D, 4);
    W = V;
  }

  /// W = or += M U.
  void expect(bool adds) {
    for (index e = 0; e < U.extent(0); ++e) {
      T points[Q][Q][Q] = {};
      for (int a = 0; a < Q * Q * Q * P * P * P; ++a) {
        const int k = a % P, j = a / P % P, i = a / P / P % P, rest = a / P / P / P;
        const int s = rest % Q, r = rest / Q % Q, q1 = rest / Q / Q;
        points[q1][r][s] += B(q1, i) * B(r, j) * B(s, k) * U(e, i, j, k);
      }
      for (int a = 0; a < P * P * P; ++a) {
        const int n = a % P, m = a / P % P, l = a / P / P;
        T sum = adds ? W(e, l, m, n) : T(0);
        for (int b = 0; b < Q * Q * Q; ++b) {
          const int s = b % Q, r = b / Q % Q, q1 = b / Q / Q;
          sum += B(q1, l) * B(r, m) * B(s, n) * D(e, q1, r, s) * points[q1][r][s];
        }
        W(e, l, m, n) = sum;
      }
    }
  }
};

constexpr auto mass_kernel() {
  using namespace operands;
  using labels::e, labels::q, labels::r, labels::s, labels::i, labels::j, labels::k, labels::l,
      labels::m, labels::n;
  return fuse(e)(v(e, l, m, n) = B(q, l) * B(r, m) * B(s, n) * D(e, q, r, s) * B(q, i) * B(r, j) *
                                 B(s, k) * u(e, i, j, k));
}
/// The same in two statements, added to v.
constexpr auto adding_mass_kernel() {
  using namespace operands;
  using labels::e, labels::q, labels::r, labels::s, labels::i, labels::j, labels::k, labels::l,
      labels::m, labels::n;
  constexpr local<"g"> g;
  return fuse(e)(g(e, q, r, s) = B(q, i) * B(r, j) * B(s, k) * u(e, i, j, k),
                 v(e, l, m, n) += B(q, l) * B(r, m) * B(s, n) * D(e, q, r, s) * g(e, q, r, s));
}

// --- the diffusion operator ---------------------------------------------------------------------

constexpr int triangle[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

template <class T, bool IsStatic, int P, int Q>
struct diffusion_problem {
  static constexpr index p = told<IsStatic>(P), q = told<IsStatic>(Q);
  tensor<T, q, p> B, G;
  tensor<T, dyn, p, p, p> U, V, W;
  tensor<T, dyn, told<IsStatic>(6), q, q, q> D;                      // upper triangle
  tensor<T, dyn, told<IsStatic>(3), told<IsStatic>(3), q, q, q> D9;  // the same matrices, whole

  explicit diffusion_problem(index elements)
      : B(sized<tensor<T, q, p>>(index{Q}, index{P})),
        G(B),
        U(sized<tensor<T, dyn, p, p, p>>(elements, index{P}, index{P}, index{P})),
        V(U),
        W(U),
        D(sized<decltype(D)>(elements, index{6}, index{Q}, index{Q}, index{Q})),
        D9(sized<decltype(D9)>(elements, index{3}, index{3}, index{Q}, index{Q}, index{Q})) {
    fill(B, 1);
    fill(G, 7);
    fill(U, 2);
    fill(V, 3);
    fill(D, 4);
    W = V;
    const index points = Q * Q * Q;
    for (index a = 0; a < elements * 9 * points; ++a) {
      const index at = a % points, c = a / points / 3 % 3, d = a / points % 3, e = a / points / 9;
      D9.data()[a] = D.data()[(e * 6 + triangle[c][d]) * points + at];
    }
  }

  T slope(int d, int at, int q1, int i) const { return d == at ? G(q1, i) : B(q1, i); }

  /// W = or += A U.
  void expect(bool adds) {
    for (index e = 0; e < U.extent(0); ++e) {
      T gradient[3][Q][Q][Q] = {};
      for (int a = 0; a < 3 * Q * Q * Q * P * P * P; ++a) {
        const int k = a % P, j = a / P % P, i = a / P / P % P, rest = a / P / P / P;
        const int s = rest % Q, r = rest / Q % Q, q1 = rest / Q / Q % Q, d = rest / Q / Q / Q;
        gradient[d][q1][r][s] +=
            slope(d, 0, q1, i) * slope(d, 1, r, j) * slope(d, 2, s, k) * U(e, i, j, k);
      }
      for (int a = 0; a < P * P * P; ++a) {
        const int n = a % P, m = a / P % P, l = a / P / P;
        T sum = adds ? W(e, l, m, n) : T(0);
        for (int b = 0; b < 9 * Q * Q * Q; ++b) {
          const int s = b % Q, r = b / Q % Q, q1 = b / Q / Q % Q, cd = b / Q / Q / Q;
          const int c = cd / 3, d = cd % 3;
          sum += slope(c, 0, q1, l) * slope(c, 1, r, m) * slope(c, 2, s, n) *
                 D9(e, c, d, q1, r, s) * gradient[d][q1][r][s];
        }
        W(e, l, m, n) = sum;
      }
    }
  }
};

/// v = or += G^T D G u, D symmetric.
template <bool Adds>
constexpr auto diffusion_kernel() {
  using namespace operands;
  using labels::c, labels::d, labels::e, labels::q, labels::r, labels::s, labels::i, labels::j,
      labels::k, labels::l, labels::m, labels::n;
  constexpr local<"g"> g;
  constexpr local<"w"> w;
  constexpr auto X = along<0>(G, B);
  constexpr auto Y = along<1>(G, B);
  constexpr auto Z = along<2>(G, B);
  const auto gradient = g(e, d, q, r, s) = X(d, q, i) * Y(d, r, j) * Z(d, s, k) * u(e, i, j, k);
  const auto flux = w(e, c, q, r, s) = symmetric(D)(e, c, d, q, r, s) * g(e, d, q, r, s);
  const auto back = X(c, q, l) * Y(c, r, m) * Z(c, s, n) * w(e, c, q, r, s);
  if constexpr (Adds) {
    return fuse(e)(gradient, flux, v(e, l, m, n) += back);
  } else {
    return fuse(e)(gradient, flux, v(e, l, m, n) = back);
  }
}

/// The same run on tables that are symmetric under reflection, and are said to be; whether it is
/// right.
template <bool Adds, class Problem>
bool diffuses_in_halves(Problem x) {
  using namespace operands;
  reflect(x.B, 1);
  reflect(x.G, -1);
  constexpr auto kernel = diffusion_kernel<Adds>();
  kernel(v = x.V, u = x.U, B = reflection_symmetric(x.B), G = reflection_antisymmetric(x.G),
         D = x.D);
  x.expect(Adds);
  return same(x.V, x.W);
}

}  // namespace tenfold
