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

}  // namespace
}  // namespace tenfold
