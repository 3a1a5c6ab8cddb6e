#pragma once

/// The element operators. Each is one fused kernel: a few Einstein statements that run on some
/// elements before they turn to the next; gathering from vectors and adding to them is part of it.
/// Labels:
///     E w      block of elements, element in the block
///     i j k    nodes along the three axes of the element; l m n those of the test function
///     q r s    quadrature points along the three axes, and so x y z
///     a        component of a field, if it has any
///     c d      directions of derivatives

#include <functional>
#include <tenfold/fuse.hpp>

#include "basis.hpp"
#include "restriction.hpp"

namespace fem {

/// Numbers at the points of blocks of elements; of symmetric matrices the upper triangle.
using scalars_at_points = tensor<double, dyn, dyn, dyn, dyn, W>;         // (E, q, r, s, w)
using matrices_at_points = tensor<double, dyn, 3, 3, dyn, dyn, dyn, W>;  // (E, d, a, q, r, s, w)
using vectors_at_points = tensor<double, dyn, 3, dyn, dyn, dyn, W>;      // (E, a, q, r, s, w)
using symmetric_at_points = tensor<double, dyn, 6, dyn, dyn, dyn, W>;    // (E, cd, q, r, s, w)

namespace on_element {

using namespace tenfold::labels;
using tenfold::along, tenfold::fuse, tenfold::symmetric;

inline constexpr tenfold::input<"u"> U;    // at nodes
inline constexpr tenfold::output<"v"> V;   // at nodes, or at points
inline constexpr tenfold::input<"B"> B;    // values of polynomials at points; see basis.hpp
inline constexpr tenfold::input<"H"> H;    // slopes at points of polynomials given at points
inline constexpr tenfold::input<"1"> One;  // the unit matrix
inline constexpr tenfold::input<"M"> M;    // weight det J
inline constexpr tenfold::input<"D"> D;    // weight det J J^-1 J^-T

/// The mass operator:  v += B^T M B u  along each axis. mass<> is for scalar fields, mass<3> for
/// those of 3 components.
template <index... Components>
inline constexpr auto mass = [](auto... component) {
  return fuse(E)(V(E, w, component..., l, m, n) +=
                 B(q, l) * B(r, m) * B(s, n) * M(E, q, r, s, w) *  //
                 B(q, i) * B(r, j) * B(s, k) * U(E, w, component..., i, j, k));
}((static_cast<void>(Components), a)...);

/// The diffusion operator:  v += sum_cd (d_c)^T D_cd d_d u.  The gradient is taken of what u is at
/// the points: polynomials of degree p < Q lose nothing there, and H costs less than B and G.
inline constexpr tenfold::local<"at"> At;
inline constexpr tenfold::local<"grad"> Grad;
inline constexpr tenfold::local<"flux"> Flux;
inline constexpr tenfold::local<"div"> Div;
inline constexpr auto X = along<0>(H, One);
inline constexpr auto Y = along<1>(H, One);
inline constexpr auto Z = along<2>(H, One);
template <index... Components>
inline constexpr auto diffusion = [](auto... component) {
  return fuse(E)(At(E, component..., x, y, z, w) =
                     B(x, i) * B(y, j) * B(z, k) * U(E, w, component..., i, j, k),
                 Grad(E, component..., d, q, r, s, w) =
                     X(d, q, x) * Y(d, r, y) * Z(d, s, z) * At(E, component..., x, y, z, w),
                 Flux(E, component..., c, q, r, s, w) =
                     symmetric(D)(E, c, d, q, r, s, w) * Grad(E, component..., d, q, r, s, w),
                 Div(E, component..., x, y, z, w) =
                     X(c, q, x) * Y(c, r, y) * Z(c, s, z) * Flux(E, component..., c, q, r, s, w),
                 V(E, w, component..., l, m, n) +=
                 B(x, l) * B(y, m) * B(z, n) * Div(E, component..., x, y, z, w));
}((static_cast<void>(Components), a)...);

/// Linear elasticity:  v += integral of lambda div u div v + 2 mu sym(grad u) : sym(grad v),  for
/// fields of 3 components a. K is J^-1, M has mu as a factor, and Ratio is lambda / mu; b is an
/// axis of space.
inline constexpr tenfold::input<"K"> K;
inline constexpr tenfold::input<"ratio"> Ratio;
inline constexpr tenfold::input<"unit"> Unit;  // the unit matrix, as numbers
inline constexpr tenfold::local<"slope"> Slope;
inline constexpr tenfold::local<"trace"> Trace;
inline constexpr tenfold::local<"stress"> Stress;
inline constexpr auto elasticity = fuse(E)(
    At(E, a, x, y, z, w) = B(x, i) * B(y, j) * B(z, k) * U(E, w, a, i, j, k),
    Slope(E, a, d, q, r, s, w) = X(d, q, x) * Y(d, r, y) * Z(d, s, z) * At(E, a, x, y, z, w),
    Grad(E, a, b, q, r, s, w) = Slope(E, a, d, q, r, s, w) * K(E, d, b, q, r, s, w),
    Trace(E, q, r, s, w) = Unit(a, b) * Grad(E, a, b, q, r, s, w),
    Stress(E, a, b, q, r, s, w) = M(E, q, r, s, w) * Grad(E, a, b, q, r, s, w) +
                                  M(E, q, r, s, w) * Grad(E, b, a, q, r, s, w) +
                                  Ratio() * M(E, q, r, s, w) * Unit(a, b) * Trace(E, q, r, s, w),
    Flux(E, a, c, q, r, s, w) = K(E, c, b, q, r, s, w) * Stress(E, a, b, q, r, s, w),
    Div(E, a, x, y, z, w) = X(c, q, x) * Y(c, r, y) * Z(c, s, z) * Flux(E, a, c, q, r, s, w),
    V(E, w, a, l, m, n) += B(x, l) * B(y, m) * B(z, n) * Div(E, a, x, y, z, w));

/// The diagonal of the diffusion operator, cross terms and all: entry l of the matrix with u and
/// the test function the same. For each of the six entries cd of D, XX holds the products of the
/// derivatives c and d along the first axis, YY and ZZ those along the others.
inline constexpr tenfold::input<"XX"> XX;
inline constexpr tenfold::input<"YY"> YY;
inline constexpr tenfold::input<"ZZ"> ZZ;
inline constexpr auto diffusion_diagonal =
    fuse(E)(V(E, w, l, m, n) += XX(t, q, l) * YY(t, r, m) * ZZ(t, s, n) * D(E, t, q, r, s, w));

/// A field at points, or its derivatives: v = A B C u, a table for each axis.
inline constexpr tenfold::input<"A"> A;
inline constexpr tenfold::input<"C"> C;
template <index... Components>
inline constexpr auto at_points = [](auto... component) {
  return fuse(E)(V(E, component..., q, r, s, w) =
                     A(q, i) * B(r, j) * C(s, k) * U(E, w, component..., i, j, k));
}((static_cast<void>(Components), a)...);

/// From the nodes of one basis to those of another:  v += T u  along each axis.
inline constexpr tenfold::input<"T"> T;
inline constexpr auto transfer =
    fuse(E)(V(E, w, l, m, n) += T(l, i) * T(m, j) * T(n, k) * U(E, w, i, j, k));

}  // namespace on_element

/// An element operator A_e that has been planned: by the compiler for the degrees 1 to 8 where
/// points are as usual, p + 2 or the nodes, else when it is made.
struct element_operator {
  /// y += sum_e R_e^T A_e R_e x over the elements of a slab, whose numbers at points, M or D, are
  /// at `at_points`.
  std::function<void(const slab&, const double* at_points, const double* x, double* y)> add;
  double flops = 0;  ///< of one block, as planned
};

/// Of scalar fields, for the elements of `all`, slab by slab; for diffusion the points are not the
/// nodes. They refer to the tables. Others are in bake_off_operators.hpp.
element_operator mass_operator(const basis& tables, const restriction& all);
element_operator diffusion_operator(const basis& tables, const restriction& all);

}  // namespace fem
