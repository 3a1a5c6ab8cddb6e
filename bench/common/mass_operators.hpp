#pragma once

#include <tenfold/einsum.hpp>

#include "common/hand_mass.hpp"
#include "common/mass.hpp"

/// The definitions behind mass.hpp; each scalar is compiled in a file of its own.
namespace tenfold::bench {

/// One function per degree, in the order of the degrees: f.operator()<P>() gives that of P nodes.
template <class T, class F>
mass_operator<T> of_degree(int p, F f) {
  return [&]<int... I>(std::integer_sequence<int, I...>) {
    const mass_operator<T> operators[] = {f.template operator()<first_mass_degree + 1 + I>()...};
    return operators[p - first_mass_degree];
  }
  (count<last_mass_degree - first_mass_degree + 1>{});
}

// --- hand ---

template <class T, int P, bool Streaming>
void hand_interleaved(const T* b, const T* u, const T* d, T* v, std::ptrdiff_t elements) {
  hand_mass<T, P, P + 1>::template interleaved<Streaming>(b, u, d, v, elements / lanes<T>);
}

template <class T>
mass_operator<T> hand_mass_operator(int p, mass_layout layout, bool streaming) {
  return of_degree<T>(p, [&]<int P>() -> mass_operator<T> {
    using hand = hand_mass<T, P, P + 1>;
    if (layout == mass_layout::interleaved) {
      return streaming ? hand_interleaved<T, P, true> : hand_interleaved<T, P, false>;
    }
    return streaming ? hand::template element_major<true> : hand::template element_major<false>;
  });
}

// --- loops ---

/// W = 1: element by element. Otherwise blocks of W elements, innermost.
template <class T, int P, int W>
void plain_mass(const T* b, const T* u, const T* d, T* v, std::ptrdiff_t elements) {
  constexpr int Q = P + 1;
  const auto B = reinterpret_cast<const T(*)[P]>(b);
  for (std::ptrdiff_t e = 0; e < elements / W; ++e) {
    const auto U = reinterpret_cast<const T(*)[P][P][W]>(u + e * P * P * P * W);
    const auto D = reinterpret_cast<const T(*)[Q][Q][W]>(d + e * Q * Q * Q * W);
    const auto V = reinterpret_cast<T(*)[P][P][W]>(v + e * P * P * P * W);
    T x[Q][P][P][W] = {}, y[Q][Q][P][W] = {}, z[Q][Q][Q][W] = {};
    for (int q = 0; q < Q; ++q)
      for (int i = 0; i < P; ++i)
        for (int j = 0; j < P; ++j)
          for (int k = 0; k < P; ++k)
            for (int w = 0; w < W; ++w) x[q][j][k][w] += B[q][i] * U[i][j][k][w];
    for (int q = 0; q < Q; ++q)
      for (int r = 0; r < Q; ++r)
        for (int j = 0; j < P; ++j)
          for (int k = 0; k < P; ++k)
            for (int w = 0; w < W; ++w) y[q][r][k][w] += B[r][j] * x[q][j][k][w];
    for (int q = 0; q < Q; ++q)
      for (int r = 0; r < Q; ++r)
        for (int s = 0; s < Q; ++s) {
          for (int k = 0; k < P; ++k)
            for (int w = 0; w < W; ++w) z[q][r][s][w] += B[s][k] * y[q][r][k][w];
          for (int w = 0; w < W; ++w) z[q][r][s][w] *= D[q][r][s][w];
        }
    for (int q = 0; q < Q; ++q)
      for (int r = 0; r < Q; ++r)
        for (int n = 0; n < P; ++n) {
          for (int w = 0; w < W; ++w) y[q][r][n][w] = 0;
          for (int s = 0; s < Q; ++s)
            for (int w = 0; w < W; ++w) y[q][r][n][w] += B[s][n] * z[q][r][s][w];
        }
    for (int q = 0; q < Q; ++q)
      for (int m = 0; m < P; ++m)
        for (int n = 0; n < P; ++n) {
          for (int w = 0; w < W; ++w) x[q][m][n][w] = 0;
          for (int r = 0; r < Q; ++r)
            for (int w = 0; w < W; ++w) x[q][m][n][w] += B[r][m] * y[q][r][n][w];
        }
    for (int l = 0; l < P; ++l)
      for (int m = 0; m < P; ++m)
        for (int n = 0; n < P; ++n) {
          for (int w = 0; w < W; ++w) V[l][m][n][w] = 0;
          for (int q = 0; q < Q; ++q)
            for (int w = 0; w < W; ++w) V[l][m][n][w] += B[q][l] * x[q][m][n][w];
        }
  }
}

template <class T>
mass_operator<T> plain_mass_operator(int p, mass_layout layout) {
  return of_degree<T>(p, [&]<int P>() -> mass_operator<T> {
    return layout == mass_layout::interleaved ? plain_mass<T, P, lanes<T>> : plain_mass<T, P, 1>;
  });
}

// --- tenfold ---

template <class T, int P>
void tenfold_strided(const T* b, const T* u, const T* d, T* v, std::ptrdiff_t elements) {
  constexpr int Q = P + 1;
  const view<const T, Q, P> B(b);
  const view<const T, dyn, P, P, P> U(u, elements);
  const view<const T, dyn, Q, Q, Q> D(d, elements);
  const view<T, dyn, P, P, P> V(v, elements);
  einsum<"qi,rj,sk,eqrs,ql,rm,sn,eijk->elmn">(into(V), B, B, B, D, B, B, B, U);
}

template <class T, int P>
void tenfold_interleaved(const T* b, const T* u, const T* d, T* v, std::ptrdiff_t elements) {
  constexpr int Q = P + 1;
  constexpr int W = lanes<T>;
  const view<const T, Q, P> B(b);
  const view<const T, dyn, P, P, P, W> U(u, elements / W);
  const view<const T, dyn, Q, Q, Q, W> D(d, elements / W);
  const view<T, dyn, P, P, P, W> V(v, elements / W);
  einsum<"qi,rj,sk,Eqrsw,ql,rm,sn,Eijkw->Elmnw">(into(V), B, B, B, D, B, B, B, U);
}

template <class T>
mass_operator<T> tenfold_mass_operator(int p, mass_layout layout) {
  return of_degree<T>(p, [&]<int P>() -> mass_operator<T> {
    return layout == mass_layout::interleaved ? tenfold_interleaved<T, P> : tenfold_strided<T, P>;
  });
}

}  // namespace tenfold::bench
