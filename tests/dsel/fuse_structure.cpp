#include <golden.hpp>
#include <string>
#include <tenfold/tensor/reflection.hpp>

#include <doctest/doctest.h>

#include <fuse_problems.hpp>

// What is declared of the operands of fused kernels.

namespace tenfold {
namespace {

// --- symmetric under reflection ---------------------------------------------------------------

template <class T, bool IsStatic, int P, int Q>
void check_mass_in_halves(index elements) {
  using labels::e, labels::q, labels::r, labels::s, labels::i, labels::j, labels::k, labels::l,
      labels::m, labels::n;
  constexpr input<"u"> u;
  constexpr input<"B"> B;
  constexpr input<"D"> D;
  constexpr output<"v"> v;
  CAPTURE(elements);
  CAPTURE(P);
  CAPTURE(Q);
  mass_problem<T, IsStatic, P, Q> x(elements);
  reflect(x.B, 1);
  const auto mass = fuse(e)(v(e, l, m, n) = B(q, l) * B(r, m) * B(s, n) * D(e, q, r, s) * B(q, i) *
                                            B(r, j) * B(s, k) * u(e, i, j, k));
  mass(v = x.V, u = x.U, B = reflection_symmetric(x.B), D = x.D);
  x.expect(false);
  CHECK(same(x.V, x.W));
  const auto planned = mass.plan(v = x.V, u = x.U, B = reflection_symmetric(x.B), D = x.D);
  x.V.fill(T(0));
  planned(v = x.V, u = x.U, B = reflection_symmetric(x.B), D = x.D);
  CHECK(same(x.V, x.W));
}

TEST_CASE("a mass operator whose matrix is symmetric under reflection") {
  for (const index elements : {0, 1, 8, 19}) {
    check_mass_in_halves<double, true, 3, 4>(elements);
    check_mass_in_halves<double, true, 4, 5>(elements);
    check_mass_in_halves<double, false, 5, 5>(elements);
  }
  check_mass_in_halves<float, true, 4, 6>(17);
  check_mass_in_halves<float, false, 3, 4>(17);
}

TEST_CASE("matrices too large for the sandwich, or for one tile of rows") {
  check_mass_in_halves<double, true, 3, 14>(9);
  check_mass_in_halves<double, false, 3, 15>(9);
}

template <class T, bool IsStatic, int P, int Q>
void check_diffusion_in_halves(index elements) {
  using namespace operands;
  CAPTURE(elements);
  diffusion_problem<T, IsStatic, P, Q> x(elements);
  reflect(x.B, 1);
  reflect(x.G, -1);
  diffusion_kernel<true>()(v = x.V, u = x.U, B = reflection_symmetric(x.B),
                           G = reflection_antisymmetric(x.G), D = x.D);
  x.expect(true);
  CHECK(same(x.V, x.W));
}

TEST_CASE("a diffusion operator whose matrices are symmetric and antisymmetric") {
  for (const index elements : {1, 8, 19}) check_diffusion_in_halves<double, true, 4, 5>(elements);
  check_diffusion_in_halves<double, false, 3, 4>(9);
  check_diffusion_in_halves<float, true, 3, 3>(17);
}

TEST_CASE("explain tells of halves, and counts their flops") {
  using labels::e, labels::q, labels::i;
  constexpr input<"u"> u;
  constexpr input<"B"> B;
  constexpr input<"D"> D;
  constexpr output<"v"> v;
  constexpr label<'l'> l;
  tensor<double, 6, 5> Bt;
  Bt.fill(1);
  tensor<double, dyn, 5> U(1000), V(1000);
  tensor<double, dyn, 6> Dt(1000);
  const auto mass = fuse(e)(v(e, l) = B(q, l) * D(e, q) * B(q, i) * u(e, i));
  const auto told =
      mass.explain(avx512_capabilities, v = V, u = U, D = Dt, B = reflection_symmetric(Bt));
  // 3 x 3 and 3 x 2 products and 2 + 3 sums there, as many back, 6 between.
  CHECK(told.flops.factor_of(told.flops.unknown()) == 2 * (2 * 15 + 2 * 5) + 6);
  testing::check_golden("mass_1d_in_halves.txt", to_string(told));
}

#ifndef NDEBUG
TEST_CASE("a false declaration is refused before anything runs") {
  using labels::e, labels::q, labels::i;
  constexpr input<"u"> u;
  constexpr input<"B"> B;
  constexpr output<"v"> v;
  tensor<double, 3, 3> Bt;
  fill(Bt, 1);
  tensor<double, dyn, 3> U(4), V(4);
  fill(U, 2);
  V.fill(7);
  const auto kernel = fuse(e)(v(e, q) = B(q, i) * u(e, i));
  CHECK_THROWS_AS(kernel(v = V, u = U, B = reflection_symmetric(Bt)), structure_error);
  CHECK(V(0, 0) == 7);
}
#endif

// --- the unit matrix ----------------------------------------------------------------------------

template <bool IsStatic>
void check_collocation() {
  using labels::c, labels::d, labels::e, labels::q, labels::r, labels::i, labels::j, labels::l,
      labels::m;
  constexpr index n = told<IsStatic>(4);
  constexpr input<"u"> u;
  constexpr input<"B"> B;
  constexpr input<"G"> G;
  constexpr input<"D"> D;
  constexpr local<"g"> g;
  constexpr local<"w"> w;
  constexpr output<"v"> v;
  constexpr auto X = along<0>(G, B);
  constexpr auto Y = along<1>(G, B);
  const auto diffusion = fuse(e)(g(e, d, q, r) = X(d, q, i) * Y(d, r, j) * u(e, i, j),
                                 w(e, c, q, r) = symmetric(D)(e, c, d, q, r) * g(e, d, q, r),
                                 v(e, l, m) = X(c, q, l) * Y(c, r, m) * w(e, c, q, r));
  auto Gt = sized<tensor<double, n, n>>(index{4}, index{4}), unit = Gt;
  auto U = sized<tensor<double, dyn, n, n>>(index{13}, index{4}, index{4}), V = U, W = U;
  auto Dt =
      sized<tensor<double, dyn, told<IsStatic>(3), n, n>>(index{13}, index{3}, index{4}, index{4});
  fill(Gt, 1);
  fill(U, 2);
  fill(Dt, 3);
  for (index x = 0; x < 16; ++x) unit.data()[x] = x % 5 == 0 ? 1 : 0;
  diffusion(v = W, u = U, B = unit, G = Gt, D = Dt);
  diffusion(v = V, u = U, B = identity, G = Gt, D = Dt);
  CHECK(same(V, W));
  const auto planned = diffusion.plan(v = V, u = U, B = identity, G = Gt, D = Dt);
  V.fill(0);
  planned(v = V, u = U, B = identity, G = Gt, D = Dt);
  CHECK(same(V, W));
  // One sweep for each direction and way.
  const auto told_of = diffusion.explain(v = V, u = U, B = identity, G = Gt, D = Dt);
  CHECK(told_of.flops.factor_of(told_of.flops.unknown()) == 4 * 2 * 64 + 16 * (2 + 4));
}

TEST_CASE("an input that is the unit matrix costs nothing") {
  check_collocation<true>();
  check_collocation<false>();
}

// --- diagonal matrices --------------------------------------------------------------------------

/// Diffusion on a grid along the axes: two numbers per point, beside the triangle of three that
/// says the same.
template <bool IsStatic>
void check_diagonal_coefficients() {
  using labels::c, labels::d, labels::e, labels::q, labels::r, labels::i, labels::j, labels::l,
      labels::m;
  constexpr index n = told<IsStatic>(4);
  constexpr input<"u"> u;
  constexpr input<"B"> B;
  constexpr input<"G"> G;
  constexpr input<"D"> D;
  constexpr local<"g"> g;
  constexpr local<"w"> w;
  constexpr output<"v"> v;
  constexpr auto X = along<0>(G, B);
  constexpr auto Y = along<1>(G, B);
  const auto of = [&](auto matrix) {
    return fuse(e)(g(e, d, q, r) = X(d, q, i) * Y(d, r, j) * u(e, i, j),
                   w(e, c, q, r) = matrix(e, c, d, q, r) * g(e, d, q, r),
                   v(e, l, m) = X(c, q, l) * Y(c, r, m) * w(e, c, q, r));
  };
  auto Gt = sized<tensor<double, n, n>>(index{4}, index{4}), Bt = Gt;
  auto U = sized<tensor<double, dyn, n, n>>(index{13}, index{4}, index{4}), V = U, W = U;
  auto two =
      sized<tensor<double, dyn, told<IsStatic>(2), n, n>>(index{13}, index{2}, index{4}, index{4});
  auto three =
      sized<tensor<double, dyn, told<IsStatic>(3), n, n>>(index{13}, index{3}, index{4}, index{4});
  fill(Gt, 1);
  fill(Bt, 4);
  fill(U, 2);
  fill(two, 3);
  three.fill(0);
  for (index x = 0; x < 13; ++x)
    for (index y = 0; y < 16; ++y)
      for (index entry : {0, 1}) three(x, 2 * entry, y / 4, y % 4) = two(x, entry, y / 4, y % 4);
  of(symmetric(D))(v = W, u = U, B = Bt, G = Gt, D = three);
  const auto lean = of(diagonal(D));
  lean(v = V, u = U, B = Bt, G = Gt, D = two);
  CHECK(same(V, W));
  const auto planned = lean.plan(v = V, u = U, B = Bt, G = Gt, D = two);
  W = V;
  V.fill(0);
  planned(v = V, u = U, B = Bt, G = Gt, D = two);
  CHECK(same(V, W));
  // Two sweeps for each direction and way, a product with each entry of D; the sum of both is taken on the way.
  const auto told_of = lean.explain(v = V, u = U, B = Bt, G = Gt, D = two);
  CHECK(told_of.flops.factor_of(told_of.flops.unknown()) == 8 * 2 * 64 + 2 * 16);
}

TEST_CASE("coefficients that are diagonal") {
  check_diagonal_coefficients<true>();
  check_diagonal_coefficients<false>();
}

TEST_CASE("the labels of a diagonal matrix become one") {
  using labels::a, labels::b, labels::e, labels::i, labels::l;
  constexpr input<"u"> u;
  constexpr input<"S"> S;
  constexpr input<"L"> L;
  constexpr output<"v"> v;
  tensor<double, 5, 4> St;
  tensor<double, 5> Lt;
  tensor<double, dyn, 4> U(19), V(19), W(19);
  fill(St, 1);
  fill(Lt, 2);
  fill(U, 3);
  const auto kernel = fuse(e)(v(e, l) = S(a, l) * diagonal<0>(L)(a, b) * S(b, i) * u(e, i));
  const auto plain = fuse(e)(v(e, l) = S(a, l) * L(a) * S(a, i) * u(e, i));
  kernel(v = V, u = U, S = St, L = Lt);
  plain(v = W, u = U, S = St, L = Lt);
  CHECK(same(V, W));
  // And where it is read along its diagonal.
  const auto along_it = fuse(e)(v(e, l) = S(a, l) * diagonal<0>(L)(a, a) * S(a, i) * u(e, i));
  V.fill(0);
  along_it(v = V, u = U, S = St, L = Lt);
  CHECK(same(V, W));
}

TEST_CASE("terms off a diagonal, and what is made of nothing else, are left out") {
  using labels::c, labels::d, labels::e, labels::q, labels::i;
  constexpr label<'f'> f;
  constexpr input<"u"> u;
  constexpr input<"B"> B;
  constexpr input<"G"> G;
  constexpr input<"D"> D;
  constexpr input<"I"> I;
  constexpr local<"g"> g;
  constexpr local<"k"> k;
  constexpr local<"h"> h;
  constexpr output<"v"> v;
  constexpr auto X = along<0>(G, B);
  tensor<double, 4, 3> Bt, Gt;
  tensor<double, dyn, 3> U(17), V(17), W(17);
  tensor<double, dyn, 2> Dt(17);
  fill(Bt, 1);
  fill(Gt, 2);
  fill(U, 3);
  fill(Dt, 4);
  // k has slices that are zero, and I is the unit matrix between labels that are unrolled.
  const auto kernel =
      fuse(e)(g(e, d, q) = X(d, q, i) * u(e, i), k(e, c, d) = diagonal(D)(e, c, d),
              h(e, c, q) = k(e, c, d) * I(d, f) * g(e, f, q), v(e, i) = X(c, q, i) * h(e, c, q));
  const auto plain = fuse(e)(g(e, d, q) = X(d, q, i) * u(e, i), h(e, c, q) = D(e, c) * g(e, c, q),
                             v(e, i) = X(c, q, i) * h(e, c, q));
  kernel(v = V, u = U, B = Bt, G = Gt, D = Dt, I = identity);
  plain(v = W, u = U, B = Bt, G = Gt, D = Dt);
  CHECK(same(V, W));
}

TEST_CASE("a diagonal has the extent of both its labels") {
  using labels::c, labels::d, labels::e;
  constexpr input<"u"> u;
  constexpr input<"D"> D;
  constexpr output<"v"> v;
  const tensor<double, dyn, dyn> Dt(3, 2), U(3, 3);
  tensor<double, dyn, dyn> V(3, 2);
  V.fill(7);
  const auto product = fuse(e)(v(e, c) = diagonal(D)(e, c, d) * u(e, d));
  CHECK_THROWS_AS(product(v = V, u = U, D = Dt), shape_error);
  CHECK(V(0, 0) == 7);
}

TEST_CASE("a kernel whose extents only the call tells is planned once for each of them") {
  using labels::c, labels::e, labels::i;
  constexpr input<"u"> u;
  constexpr input<"B"> B;
  constexpr output<"v"> v;
  const auto kernel = fuse(e)(v(e, c) = B(c, i) * u(e, i));
  // More shapes than a thread remembers, twice, and one with an operand that overlaps.
  for (int pass = 0; pass < 2; ++pass) {
    for (index n = 1; n <= 20; ++n) {
      tensor<double, dyn, dyn> Bt(n, n), U(5, n), V(5, n);
      fill(Bt, static_cast<unsigned>(n));
      fill(U, 3);
      V.fill(-1);
      kernel(v = V, u = U, B = Bt);
      for (index x = 0; x < 5; ++x)
        for (index y = 0; y < n; ++y) {
          double sum = 0;
          for (index z = 0; z < n; ++z) sum += Bt(y, z) * U(x, z);
          CHECK(V(x, y) == sum);
        }
      kernel(v = V, u = U, B = Bt);
      CHECK_THROWS_AS(kernel(v = U, u = U, B = Bt), overlap_error);
    }
  }
}

}  // namespace
}  // namespace tenfold
