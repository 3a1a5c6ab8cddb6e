// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

/// The element operators, as Einstein expressions. Labels:
///     E        blocks of W elements, w the element in the block
///     i j k    nodes along the three axes of the element; l m n those of the test function
///     q r s    quadrature points along the three axes
///     c d      directions of derivatives
#ifndef TENFOLD_EXAMPLES_FEM_OPERATORS_HPP
#define TENFOLD_EXAMPLES_FEM_OPERATORS_HPP

#include <tenfold/einsum.hpp>

#include "basis.hpp"
#include "blocks.hpp"

namespace fem {

using tenfold::einsum;
using tenfold::into;

/// Numbers at the nodes, and at the quadrature points, of blocks of elements.
template <class T, int N>
using scalar_blocks = view<T, dyn, N, N, N, W>;  // (E, i, j, k; w)
template <class T, int N>
using vector_blocks = view<T, dyn, 3, N, N, N, W>;  // (E, d, i, j, k; w)
template <class T, int N>
using matrix_blocks = view<T, dyn, 3, 3, N, N, N, W>;  // (E, c, d, i, j, k; w)

/// The mass operator:  v = B^T M B u  along each axis,  M = weight det J at the points.
template <int p>
void mass(const basis<p>& b, scalar_blocks<const double, p + 2> M,
          scalar_blocks<const double, p + 1> u, scalar_blocks<double, p + 1> v) {
  einsum<"qi,rj,sk,Eqrsw,ql,rm,sn,Eijkw->Elmnw">(into(v), b.B, b.B, b.B, M, b.B, b.B, b.B, u);
}

/// The diffusion operator:  v = sum_cd (d_c)^T D_cd d_d u,  D = weight det J J^-1 J^-T at the
/// points. `gradient` and `flux` are scratch.
template <int p>
void diffusion(const basis<p>& b, matrix_blocks<const double, p + 2> D,
               scalar_blocks<const double, p + 1> u, vector_blocks<double, p + 2> gradient,
               vector_blocks<double, p + 2> flux, scalar_blocks<double, p + 1> v) {
  einsum<"dqi,drj,dsk,Eijkw->Edqrsw">(into(gradient), b.X, b.Y, b.Z, u);
  einsum<"Ecdqrsw,Edqrsw->Ecqrsw">(into(flux), D, gradient);
  einsum<"cql,crm,csn,Ecqrsw->Elmnw">(into(v), b.X, b.Y, b.Z, flux);
}

/// Its flops on one element, as planned: three directions there and back, each three sweeps along
/// an axis, and the 3x3 matrix at every point.
constexpr double diffusion_flops(int p) {
  const double D1D = p + 1, Q1D = p + 2;
  const double sweeps = 2 * (Q1D * D1D * D1D * D1D + Q1D * Q1D * D1D * D1D + Q1D * Q1D * Q1D * D1D);
  return 6 * sweeps + 18 * Q1D * Q1D * Q1D;
}

/// The diagonal of the diffusion operator, cross terms and all: entry l of the matrix with u and
/// the test function the same. The six tables are X_c X_d, Y_c Y_d and Z_c Z_d, point by point.
template <int p>
void diffusion_diagonal(const basis<p>& b, matrix_blocks<const double, p + 2> D,
                        scalar_blocks<double, p + 1> v) {
  einsum<"cql,dql,crm,drm,csn,dsn,Ecdqrsw->Elmnw">(into(v), b.X, b.X, b.Y, b.Y, b.Z, b.Z, D);
}

/// Values at the quadrature points:  y = B u  along each axis.
template <int p>
void interpolate(const basis<p>& b, scalar_blocks<const double, p + 1> u,
                 scalar_blocks<double, p + 2> y) {
  einsum<"qi,rj,sk,Eijkw->Eqrsw">(into(y), b.B, b.B, b.B, u);
}
template <int p>
void interpolate(const basis<p>& b, vector_blocks<const double, p + 1> x,
                 vector_blocks<double, p + 2> y) {
  einsum<"qi,rj,sk,Ecijkw->Ecqrsw">(into(y), b.B, b.B, b.B, x);
}

/// The Jacobian matrix at the quadrature points:  J_cd = dx_c / dxi_d.
template <int p>
void jacobian(const basis<p>& b, vector_blocks<const double, p + 1> x,
              matrix_blocks<double, p + 2> J) {
  einsum<"dqi,drj,dsk,Ecijkw->Ecdqrsw">(into(J), b.X, b.Y, b.Z, x);
}

/// The same polynomials at other nodes, T(a, i) = l_i(x_a): extents that only the call tells.
using any_blocks = view<double, dyn, dyn, dyn, dyn, dyn, W>;  // (E, c, i, j, k; w)
void change_nodes(const tensor<double, dyn, dyn>& T, any_blocks x, any_blocks y);

}  // namespace fem

#endif  // TENFOLD_EXAMPLES_FEM_OPERATORS_HPP
