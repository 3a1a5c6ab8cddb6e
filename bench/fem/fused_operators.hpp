#pragma once

#include <tenfold/fuse.hpp>

/// The operators of the bake-off problems as fused kernels, for element vectors and for vectors
/// through a map alike. That nodes and points lie symmetrically is said where tables are bound.
///
/// Labels: E block of elements, w element in the block; i j k and l m n nodes; a b f and q r s
/// points; c d directions. X: labels of the components, if there are any.
namespace tenfold::bench {

/// v = B^T D B u
template <class... X, class V, class U, class D, class B>
void fused_mass(V v_, U u_, const D& D_, const B& B_) {
  using labels::E, labels::i, labels::j, labels::k, labels::l, labels::m, labels::n, labels::q,
      labels::r, labels::s, labels::w;
  constexpr input<"u"> u;
  constexpr input<"B"> Bt;
  constexpr input<"D"> Dt;
  constexpr output<"v"> v;
  constexpr auto mass =
      fuse(E)(v(E, X{}..., l, m, n, w) = Bt(q, l) * Bt(r, m) * Bt(s, n) * Dt(E, q, r, s, w) *
                                         Bt(q, i) * Bt(r, j) * Bt(s, k) * u(E, X{}..., i, j, k, w));
  mass(v = v_, u = u_, Dt = D_, Bt = reflection_symmetric(B_));
}

/// v = B^T H^T D H B u, H the gradient from values at the points
template <class... X, class V, class U, class D, class B, class H>
void fused_diffusion(V v_, U u_, const D& D_, const B& B_, const H& H_) {
  using labels::a, labels::b, labels::c, labels::d, labels::E, labels::f, labels::i, labels::j,
      labels::k, labels::l, labels::m, labels::n, labels::q, labels::r, labels::s, labels::w;
  constexpr input<"u"> u;
  constexpr input<"B"> Bt;
  constexpr input<"H"> Ht;
  constexpr input<"I"> I;
  constexpr input<"D"> Dt;
  constexpr local<"value"> value;
  constexpr local<"gradient"> gradient;
  constexpr local<"flux"> flux;
  constexpr local<"residual"> residual;
  constexpr output<"v"> v;
  constexpr auto R = along<0>(Ht, I);
  constexpr auto S = along<1>(Ht, I);
  constexpr auto T = along<2>(Ht, I);
  constexpr auto diffusion = fuse(E)(
      value(E, X{}..., a, b, f, w) = Bt(a, i) * Bt(b, j) * Bt(f, k) * u(E, X{}..., i, j, k, w),
      gradient(E, d, X{}..., q, r, s, w) =
          R(d, q, a) * S(d, r, b) * T(d, s, f) * value(E, X{}..., a, b, f, w),
      flux(E, c, X{}..., q, r, s, w) =
          symmetric(Dt)(E, c, d, q, r, s, w) * gradient(E, d, X{}..., q, r, s, w),
      residual(E, X{}..., a, b, f, w) =
          R(c, q, a) * S(c, r, b) * T(c, s, f) * flux(E, c, X{}..., q, r, s, w),
      v(E, X{}..., l, m, n, w) = Bt(a, l) * Bt(b, m) * Bt(f, n) * residual(E, X{}..., a, b, f, w));
  diffusion(v = v_, u = u_, Dt = D_, Bt = reflection_symmetric(B_),
            Ht = reflection_antisymmetric(H_), I = identity);
}

/// v = H^T D H u, the nodes as points
template <class... X, class V, class U, class D, class H>
void fused_collocated(V v_, U u_, const D& D_, const H& H_) {
  using labels::c, labels::d, labels::E, labels::i, labels::j, labels::k, labels::l, labels::m,
      labels::n, labels::q, labels::r, labels::s, labels::w;
  constexpr input<"u"> u;
  constexpr input<"H"> Ht;
  constexpr input<"I"> I;
  constexpr input<"D"> Dt;
  constexpr local<"gradient"> gradient;
  constexpr local<"flux"> flux;
  constexpr output<"v"> v;
  constexpr auto R = along<0>(Ht, I);
  constexpr auto S = along<1>(Ht, I);
  constexpr auto T = along<2>(Ht, I);
  constexpr auto diffusion =
      fuse(E)(gradient(E, d, X{}..., q, r, s, w) =
                  R(d, q, i) * S(d, r, j) * T(d, s, k) * u(E, X{}..., i, j, k, w),
              flux(E, c, X{}..., q, r, s, w) =
                  symmetric(Dt)(E, c, d, q, r, s, w) * gradient(E, d, X{}..., q, r, s, w),
              v(E, X{}..., l, m, n, w) =
                  R(c, q, l) * S(c, r, m) * T(c, s, n) * flux(E, c, X{}..., q, r, s, w));
  diffusion(v = v_, u = u_, Dt = D_, Ht = reflection_antisymmetric(H_), I = identity);
}

}  // namespace tenfold::bench
