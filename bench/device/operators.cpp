#include "device/operators.hpp"

#include <tenfold/fuse.hpp>

// Labels: e element; i j k and l m n nodes; a b f and q r s points; c d directions.
namespace tenfold::bench {
namespace {

using labels::a, labels::b, labels::c, labels::d, labels::e, labels::f, labels::i, labels::j,
    labels::k, labels::l, labels::m, labels::n, labels::q, labels::r, labels::s;

constexpr input<"u"> u;
constexpr input<"B"> B;
constexpr input<"H"> H;
constexpr input<"I"> I;
constexpr input<"D"> D;
constexpr local<"value"> value;
constexpr local<"gradient"> gradient;
constexpr local<"flux"> flux;
constexpr local<"residual"> residual;
constexpr output<"v"> v;

/// Slopes along one direction, values along the others.
constexpr auto X = along<0>(H, I);
constexpr auto Y = along<1>(H, I);
constexpr auto Z = along<2>(H, I);

/// v = B^T D B u
constexpr auto mass = fuse(e)(v(e, l, m, n) = B(q, l) * B(r, m) * B(s, n) * D(e, q, r, s) *
                                              B(q, i) * B(r, j) * B(s, k) * u(e, i, j, k));

/// v = B^T H^T D H B u, H the gradient from values at the points
constexpr auto diffusion =
    fuse(e)(value(e, a, b, f) = B(a, i) * B(b, j) * B(f, k) * u(e, i, j, k),
            gradient(e, d, q, r, s) = X(d, q, a) * Y(d, r, b) * Z(d, s, f) * value(e, a, b, f),
            flux(e, c, q, r, s) = symmetric(D)(e, c, d, q, r, s) * gradient(e, d, q, r, s),
            residual(e, a, b, f) = X(c, q, a) * Y(c, r, b) * Z(c, s, f) * flux(e, c, q, r, s),
            v(e, l, m, n) = B(a, l) * B(b, m) * B(f, n) * residual(e, a, b, f));

/// v = H^T D H u, the nodes as points
constexpr auto collocated =
    fuse(e)(gradient(e, d, q, r, s) = X(d, q, i) * Y(d, r, j) * Z(d, s, k) * u(e, i, j, k),
            flux(e, c, q, r, s) = symmetric(D)(e, c, d, q, r, s) * gradient(e, d, q, r, s),
            v(e, l, m, n) = X(c, q, l) * Y(c, r, m) * Z(c, s, n) * flux(e, c, q, r, s));

template <index... E, class T, class... N>
auto there(T* first, N... extents) {
  return in_memory_of<device::cuda>(view<T, E...>(first, extents...));
}

}  // namespace

void apply(const device_queue& where, const device_elements& x) {
  const index P = x.p + 1, Q = points_of(x.kind, x.p), E = x.elements;
  const auto u_ = there<dyn, dyn, dyn, dyn>(x.u, E, P, P, P);
  const auto v_ = there<dyn, dyn, dyn, dyn>(x.v, E, P, P, P);
  const auto B_ = reflection_symmetric(there<dyn, dyn>(x.B, Q, P));
  const auto H_ = reflection_antisymmetric(there<dyn, dyn>(x.H, Q, Q));
  if (x.kind == operator_kind::mass) {
    mass(where, v = v_, u = u_, D = there<dyn, dyn, dyn, dyn>(x.d, E, Q, Q, Q), B = B_);
    return;
  }
  const auto D_ = there<dyn, 6, dyn, dyn, dyn>(x.d, E, Q, Q, Q);
  if (x.kind == operator_kind::diffusion) {
    diffusion(where, v = v_, u = u_, D = D_, B = B_, H = H_, I = identity);
  } else {
    collocated(where, v = v_, u = u_, D = D_, H = H_, I = identity);
  }
}

}  // namespace tenfold::bench
