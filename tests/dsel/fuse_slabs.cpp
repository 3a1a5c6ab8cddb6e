#include <compiled.hpp>
#include <golden.hpp>
#include <tenfold/tensor/reflection.hpp>

#include <doctest/doctest.h>

#include <fuse_problems.hpp>

// Fused kernels whose values outgrow the L1 cache: neighbouring steps run slab by slab.

namespace tenfold {
namespace {

template <class T, int P, int Q, bool IsStatic = true>
void check_mass(index elements) {
  using namespace operands;
  CAPTURE(elements);
  mass_problem<T, IsStatic, P, Q> x(elements);
  reflect(x.B, 1);
  constexpr auto kernel = mass_kernel();
  kernel(v = x.V, u = x.U, B = reflection_symmetric(x.B), D = x.D);
  x.expect(false);
  CHECK(same(x.V, x.W));
  constexpr auto adding = adding_mass_kernel();
  adding(v = x.V, u = x.U, B = reflection_symmetric(x.B), D = x.D);
  x.expect(true);
  CHECK(same(x.V, x.W));
}

// With SSE2 a tile has two elements, and 12 x 12 x 12 of them are 27 KiB.
TEST_CASE("a mass operator of high degree") {
  for (const index elements : {1, 3}) check_mass<double, 12, 12>(elements);
  check_mass<double, 8, 9>(9);
}

TEST_CASE("a diffusion operator of high degree") {
  CHECK(diffuses_in_halves<false>(diffusion_problem<double, true, 7, 8>(9)));
  CHECK(diffuses_in_halves<true>(diffusion_problem<double, true, 7, 8>(3)));
}

// Of run-time extents only what outgrows L2 does.
TEST_CASE("operators of high degree, run-time extents") {
  check_mass<double, 15, 16, false>(9);
  CHECK(diffuses_in_halves<false>(diffusion_problem<double, false, 12, 13>(9)));
}

TEST_CASE("explain names the steps that run slab by slab") {
  using namespace operands;
  mass_problem<double, true, 8, 9> x(64);
  reflect(x.B, 1);
  constexpr auto kernel = mass_kernel();
  const auto told = kernel.explain(testing::compiled(avx512_capabilities), v = x.V, u = x.U,
                                   B = reflection_symmetric(x.B), D = x.D);
  testing::check_golden("mass_in_slabs.txt", to_string(told));
}

}  // namespace
}  // namespace tenfold
