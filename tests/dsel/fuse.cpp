#include <complex>
#include <cstdint>
#include <golden.hpp>
#include <tenfold/tensor/gathered.hpp>
#include <vector>

#include <doctest/doctest.h>

#include <fuse_problems.hpp>

// Fused kernels against plain loops.

namespace tenfold {
namespace {

// --- the mass operator ------------------------------------------------------------------------

template <class T, bool IsStatic, int P, int Q>
void check_mass(index elements) {
  using namespace operands;
  CAPTURE(elements);
  mass_problem<T, IsStatic, P, Q> x(elements);
  const auto one = mass_kernel();
  one(v = x.V, u = x.U, B = x.B, D = x.D);
  x.expect(false);
  CHECK(same(x.V, x.W));
  // Planned once, run for other entries.
  const auto planned = one.plan(v = x.V, u = x.U, B = x.B, D = x.D);
  x.V = x.U;
  planned(v = x.V, u = x.U, B = x.B, D = x.D);
  CHECK(same(x.V, x.W));
  auto moved_from = planned;
  const auto moved_to = std::move(moved_from);
  for (const auto& plan : {moved_from, moved_to}) {
    x.V = x.U;
    plan(v = x.V, u = x.U, B = x.B, D = x.D);
    CHECK(same(x.V, x.W));
  }
  adding_mass_kernel()(D = x.D, B = x.B, u = x.U, v = into(x.V));
  x.expect(true);
  CHECK(same(x.V, x.W));
}

TEST_CASE("a fused kernel applies the mass operator in one statement and in two") {
  for (const index elements : {0, 1, 7, 8, 9, 19, 64}) check_mass<double, true, 3, 4>(elements);
  for (const index elements : {0, 1, 15, 16, 17, 40}) check_mass<float, true, 2, 3>(elements);
}

TEST_CASE("a fused kernel of run-time sizes does the same") {
  for (const index elements : {0, 1, 8, 19}) check_mass<double, false, 3, 4>(elements);
  check_mass<float, false, 4, 5>(33);
  check_mass<std::complex<double>, false, 2, 3>(9);
}

// --- the diffusion operator ---------------------------------------------------------------------

template <class T, bool IsStatic, int P, int Q>
void check_diffusion(index elements) {
  using namespace operands;
  using labels::c, labels::d, labels::e, labels::q, labels::r, labels::s, labels::i, labels::j,
      labels::k, labels::l, labels::m, labels::n;
  constexpr local<"g"> g;
  constexpr auto X = along<0>(G, B);
  constexpr auto Y = along<1>(G, B);
  constexpr auto Z = along<2>(G, B);
  CAPTURE(elements);
  diffusion_problem<T, IsStatic, P, Q> x(elements);
  diffusion_kernel<false>()(v = x.V, u = x.U, B = x.B, G = x.G, D = x.D);
  x.expect(false);
  CHECK(same(x.V, x.W));
  // The same with all nine entries of D, added to V.
  const auto adding =
      fuse(e)(g(e, d, q, r, s) = X(d, q, i) * Y(d, r, j) * Z(d, s, k) * u(e, i, j, k),
              v(e, l, m, n) +=
              X(c, q, l) * Y(c, r, m) * Z(c, s, n) * D(e, c, d, q, r, s) * g(e, d, q, r, s));
  adding(v = x.V, u = x.U, B = x.B, G = x.G, D = x.D9);
  x.expect(true);
  CHECK(same(x.V, x.W));
}

TEST_CASE("a fused kernel applies the diffusion operator, D symmetric or whole") {
  for (const index elements : {1, 8, 19}) check_diffusion<double, true, 3, 4>(elements);
  check_diffusion<float, true, 2, 3>(17);
}

TEST_CASE("a fused diffusion operator of run-time sizes does the same") {
  for (const index elements : {0, 1, 8, 19}) check_diffusion<double, false, 3, 4>(elements);
  check_diffusion<float, false, 4, 4>(17);
}

// --- sums, +=, interleaved elements, vectors, numbers ------------------------------------------

TEST_CASE("locals and the output are added to by += and -=, and terms have signs") {
  using labels::e, labels::i, labels::j;
  constexpr input<"a"> a;
  constexpr input<"A"> A;
  constexpr input<"c"> c;
  constexpr local<"g"> g;
  constexpr local<"h"> h;
  constexpr output<"v"> v;
  tensor<double, 3, 3> M;
  tensor<double, dyn, 3> U(11), V(11), W(11);
  fill(M, 1);
  fill(U, 2);
  fill(V, 3);
  W = V;
  const auto both = fuse(e)(g(e, i) = A(i, j) * a(e, j) - a(e, i),  //
                            h(e, i) = -g(e, i) * g(e, i),           //
                            g(e, i) += c() * a(e, i),               //
                            v(e, i) -= g(e, i) + h(e, i),           //
                            v(e, i) += A(j, i) * g(e, j));
  both(v = V, a = U, A = M, c = 5.0);
  for (index x = 0; x < 11; ++x) {
    double first[3] = {}, second[3] = {};
    for (int y = 0; y < 3; ++y) {
      first[y] = -U(x, y);
      for (int z = 0; z < 3; ++z) first[y] += M(y, z) * U(x, z);
      second[y] = first[y] + 5 * U(x, y);
    }
    for (int y = 0; y < 3; ++y) {
      W(x, y) -= second[y] - first[y] * first[y];
      for (int z = 0; z < 3; ++z) W(x, y) += M(z, y) * second[z];
    }
  }
  CHECK(same(V, W));
}

TEST_CASE("products at each point may add to a contraction") {
  using labels::e, labels::i, labels::j;
  constexpr input<"u"> u;
  constexpr input<"A"> A;
  constexpr input<"D"> D;
  constexpr local<"g"> g;
  constexpr local<"h"> h;
  constexpr output<"v"> v;
  tensor<double, 4, 4> M;
  tensor<double, dyn, 4> U(20), Dt(20), V(20), W(20);
  fill(M, 1);
  fill(U, 2);
  fill(Dt, 3);
  const auto kernel = fuse(e)(g(e, i) = A(i, j) * u(e, j) + D(e, i) * u(e, i) - u(e, i) * u(e, i),
                              h(e, i) = D(e, i) * D(e, i) - D(e, i) * u(e, i),
                              v(e, i) = A(i, j) * g(e, j) + A(j, i) * h(e, j));
  kernel(v = V, u = U, A = M, D = Dt);
  for (index x = 0; x < 20; ++x) {
    double first[4] = {}, second[4] = {};
    for (int y = 0; y < 4; ++y) {
      first[y] = (Dt(x, y) - U(x, y)) * U(x, y);
      second[y] = (Dt(x, y) - U(x, y)) * Dt(x, y);
      for (int z = 0; z < 4; ++z) first[y] += M(y, z) * U(x, z);
    }
    for (int y = 0; y < 4; ++y) {
      W(x, y) = 0;
      for (int z = 0; z < 4; ++z) W(x, y) += M(y, z) * first[z] + M(z, y) * second[z];
    }
  }
  CHECK(same(V, W));
}

template <bool IsStatic>
void check_places_of_operands() {
  using labels::e, labels::i, labels::j;
  constexpr index n = told<IsStatic>(5);
  constexpr input<"u"> u;
  constexpr input<"A"> A;
  constexpr input<"D"> D;
  constexpr local<"g"> g;
  constexpr local<"h"> h;
  constexpr local<"k"> k;
  constexpr output<"v"> v;
  auto M = sized<tensor<double, n, n>>(index{5}, index{5});
  auto U = sized<tensor<double, dyn, n>>(index{20}, index{5}), Dt = U, V = U, W = U;
  fill(M, 1);
  fill(U, 2);
  fill(Dt, 3);
  const auto kernel =
      fuse(e)(g(e, i) = A(i, j) * u(e, j), h(e, i) = g(e, i) * g(e, i) + D(e, i) * g(e, i),
              k(e, i) = D(e, i) * g(e, i) - g(e, i) * g(e, i) + D(e, i) * D(e, i),
              v(e, i) = A(i, j) * h(e, j) + A(j, i) * k(e, j));
  kernel(v = V, u = U, A = M, D = Dt);
  for (index x = 0; x < 20; ++x) {
    double first[5] = {}, second[5] = {};
    for (int y = 0; y < 5; ++y) {
      double at = 0;
      for (int z = 0; z < 5; ++z) at += M(y, z) * U(x, z);
      first[y] = at * at + Dt(x, y) * at;
      second[y] = Dt(x, y) * at - at * at + Dt(x, y) * Dt(x, y);
    }
    for (int y = 0; y < 5; ++y) {
      W(x, y) = 0;
      for (int z = 0; z < 5; ++z) W(x, y) += M(y, z) * first[z] + M(z, y) * second[z];
    }
  }
  CHECK(same(V, W));
}

TEST_CASE("results of products at each point may take the places of their operands") {
  check_places_of_operands<true>();
  check_places_of_operands<false>();
}

TEST_CASE("the batch may be blocks of elements, and fields may have components") {
  using labels::e, labels::q, labels::r, labels::i, labels::j, labels::k, labels::l, labels::m,
      labels::x, labels::w;
  constexpr input<"u"> u;
  constexpr input<"B"> B;
  constexpr input<"D"> D;
  constexpr local<"g"> g;
  constexpr output<"v"> v;
  tensor<double, 4, 3> Bt;
  tensor<double, dyn, 2, 3, 3, 8> U(5), V(5), W(5);  // (E, x, i, j; w)
  tensor<double, dyn, 4, 4, 8> Dt(5);
  fill(Bt, 1);
  fill(U, 2);
  fill(Dt, 3);
  const auto mass =
      fuse(e)(g(e, x, q, r, w) = B(q, i) * B(r, j) * u(e, x, i, j, w),
              v(e, x, l, m, w) = B(q, l) * B(r, m) * D(e, q, r, w) * g(e, x, q, r, w));
  mass(v = V, u = U, B = Bt, D = Dt);
  for (index a = 0; a < U.size(); ++a) {
    const index lane = a % 8, column = a / 8 % 3, row = a / 24 % 3, part = a / 72 % 2, E = a / 144;
    double sum = 0;
    for (int b = 0; b < 16 * 9; ++b) {
      const int r1 = b % 4, q1 = b / 4 % 4, j1 = b / 16 % 3, i1 = b / 48;
      sum += Bt(q1, row) * Bt(r1, column) * Dt(E, q1, r1, lane) * Bt(q1, i1) * Bt(r1, j1) *
             U(E, part, i1, j1, lane);
    }
    W.data()[a] = sum;
  }
  CHECK(same(V, W));
}

TEST_CASE("a factor may stand in a product several times") {
  using labels::e, labels::i;
  constexpr input<"u"> u;
  constexpr local<"g"> g;
  constexpr output<"v"> v;
  tensor<double, dyn, 4> U(9), V(9), W(9);
  fill(U, 1);
  const auto check = [&](const auto& kernel, auto expected) {
    kernel(v = V, u = U);
    for (index a = 0; a < U.size(); ++a) W.data()[a] = expected(U.data()[a]);
    CHECK(same(V, W));
  };
  check(fuse(e)(v(e, i) = u(e, i) * u(e, i) * u(e, i) * u(e, i)),
        [](double x) { return x * x * x * x; });
  check(fuse(e)(g(e, i) = u(e, i) * u(e, i) * u(e, i),
                v(e, i) = g(e, i) * g(e, i) * g(e, i) - g(e, i) * u(e, i)),
        [](double x) { return std::pow(x, 9) - std::pow(x, 4); });
}

TEST_CASE("a sum whose terms have no entries is left out wherever it is a factor") {
  using labels::e, labels::i, labels::q;
  constexpr input<"u"> u;
  constexpr input<"A"> A;
  constexpr input<"B"> B;
  constexpr input<"D"> D;
  constexpr local<"w"> w;
  constexpr local<"z"> z;
  constexpr output<"v"> v;
  const auto kernel = fuse(e)(w(e, q) = B(q, i) * u(e, i) - u(e, i) * B(q, i),
                              z(e, q) = D(q) * w(e, q), v(e, q) = A(e, q) + D(q) * z(e, q));
  const auto check = [&](const auto& Bt, const auto& U) {
    tensor<double, dyn, 4> At(7), V(7);
    tensor<double, 4> Dt;
    fill(At, 1);
    fill(Dt, 2);
    V.fill(3);
    kernel(v = V, u = U, A = At, B = Bt, D = Dt);
    CHECK(same(V, At));
  };
  check(tensor<double, dyn, dyn>(4, 0), tensor<double, dyn, dyn>(7, 0));
  check(tensor<double, 4, 0>(), tensor<double, dyn, 0>(7));
}

// --- explain ------------------------------------------------------------------------------------

TEST_CASE("explain shows a fused kernel, for one element") {
  using labels::c, labels::d, labels::e, labels::q, labels::r, labels::i, labels::j, labels::l,
      labels::m;
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
  tensor<double, 6, 5> Bt;
  tensor<double, dyn, 5, 5> V(1000);
  tensor<double, dyn, 3, 6, 6> Dt(1000);
  std::vector<std::int32_t> numbers(25000, 0);
  const index_map<std::int32_t> map(numbers.data(), 1000, 25, 1);
  const double one = 1;
  const auto told = diffusion.explain(avx512_capabilities, v = V, B = Bt, G = Bt, D = Dt,
                                      u = gathered<const double, 5, 5>(&one, map));
  // Two sweeps for each direction and way, the first one shared where it is the same, 3 values at
  // each point.
  const double sweeps = 2 * (2 * 6 * 25 + 2 * 36 * 5);
  CHECK(told.flops.factor_of(told.flops.unknown()) == 2 * sweeps + 36 * (2 + 4));
  testing::check_golden("diffusion_2d_p4.txt", to_string(told));
}

TEST_CASE("explain names the labels under which a local is read") {
  using labels::e, labels::i, labels::k, labels::q, labels::r;
  constexpr input<"A"> A;
  constexpr input<"u"> u;
  constexpr local<"g"> g;
  constexpr output<"v"> v;
  const tensor<double, 6, 6> a{};
  const tensor<double, dyn, 6> U(10);
  const tensor<double, dyn, 6, 6> W(10);
  tensor<double, dyn, 6, 6> V(10);
  const auto twice = fuse(e)(g(e, i) = A(i, k) * u(e, k), v(e, q, r) = g(e, q) * g(e, r));
  testing::check_golden("local_under_other_labels.txt",
                        to_string(twice.explain(avx512_capabilities, v = V, A = a, u = U)));
  const auto turned = fuse(e)(g(e, q, r) = A(q, k) * u(e, k, r), v(e, q, r) = A(r, k) * g(e, k, q));
  const auto told = turned.explain(avx512_capabilities, v = V, A = a, u = W);
  const explained_step& last = told.steps[told.step_count - 1];
  CHECK(last.m_extent == 6);
  CHECK(last.n_extent.factor == 6);  // for each value of e
  CHECK(last.k_extent == 6);
}

}  // namespace
}  // namespace tenfold
