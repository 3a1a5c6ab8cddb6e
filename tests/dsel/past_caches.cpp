#include <tenfold/dsel/einsum.hpp>
#include <tenfold/dsel/run_time.hpp>
#include <tenfold/tensor/view.hpp>
#include <type_traits>

#include <doctest/doctest.h>

#include <fuse_problems.hpp>
#include <tiny_caches.hpp>

// What tiles do beside their work when their data come from memory: they fetch what the next one
// reads, and their results go past the caches. It changes nothing.

namespace tenfold {
namespace {

using testing::tiny_caches;

template <class T, int P, int Q>
void check_mass(index elements) {
  using namespace operands;
  CAPTURE(elements);
  const tiny_caches here;
  mass_problem<T, true, P, Q> x(elements);
  constexpr auto kernel = mass_kernel();
  kernel(v = x.V, u = x.U, B = x.B, D = x.D);
  x.expect(false);
  CHECK(same(x.V, x.W));
  constexpr auto adding = adding_mass_kernel();
  adding(v = x.V, u = x.U, B = x.B, D = x.D);
  x.expect(true);
  CHECK(same(x.V, x.W));
}

// The piece of a tile is at most 4 KiB, and with 512 entries an element at least 8.
TEST_CASE("results of tiles past the caches") {
  for (const index elements : {1, 16, 37, 64}) check_mass<double, 4, 5>(elements);
  check_mass<double, 8, 9>(37);
  check_mass<double, 3, 4>(65);  // with SSE2 no whole lines
  check_mass<float, 4, 4>(65);
}

TEST_CASE("several terms of a result, symmetric tables, slabs") {
  const tiny_caches here;
  CHECK(diffuses_in_halves<false>(diffusion_problem<double, true, 4, 5>(37)));
  CHECK(diffuses_in_halves<false>(diffusion_problem<double, true, 7, 8>(19)));
}

// 37 elements of 27 nodes are an odd number of entries: with a loop around that does not go on
// where they end, pieces of whole lines begin anywhere.
TEST_CASE("pieces that are whole lines, but do not begin with one") {
  const tiny_caches here;
  tensor<double, 4, 3> B;
  tensor<double, 37, 3, 3, 3, 3> U;
  tensor<double, 3, 37, 3, 3, 3> V, W;
  tensor<double, 3, 37, 4, 4, 4> D;
  fill(B, 1);
  fill(U, 2);
  fill(D, 3);
  einsum<"qi,rj,sk,feqrs,ql,rm,sn,efijk->felmn">(into(V), B, B, B, D, B, B, B, U);
  einsum("qi,rj,sk,feqrs,ql,rm,sn,efijk->felmn", into(W), B, B, B, D, B, B, B, U);
  CHECK(same(V, W));
}

template <class T, int P, int Q>
struct interleaved_mass {
  static constexpr int W = 8;
  tensor<T, Q, P> B;
  tensor<T, dyn, P, P, P, W> U;
  tensor<T, dyn, Q, Q, Q, W> D;

  explicit interleaved_mass(index blocks) : U(blocks), D(blocks) {
    fill(B, 1);
    fill(U, 2);
    fill(D, 3);
  }
  template <class Y>
  void operator()(Y&& y) const {
    einsum<"qi,rj,sk,eqrsw,ql,rm,sn,eijkw->elmnw">(into(y), B, B, B, D, B, B, B, U);
  }
};

/// Results that begin anywhere: what lies before and behind them stays as it is.
template <class T, int P, int Q>
void check_interleaved(index blocks) {
  CAPTURE(blocks);
  const interleaved_mass<T, P, Q> mass(blocks);
  tensor<T, dyn, P, P, P, 8> expected(blocks);
  mass(expected);
  constexpr index margin = 16;
  for (const index offset : {index{0}, index{1}, index{8}}) {
    CAPTURE(offset);
    tensor<T, dyn> room(expected.size() + 2 * margin);
    room.fill(T(77));
    T* const first = room.data() + margin + offset;
    const tiny_caches here;
    mass(view<T, dyn, P, P, P, 8>(first, blocks));
    bool equal = true, kept = true;
    for (index i = 0; i < room.size(); ++i) {
      const index at = i - margin - offset;
      const bool inside = at >= 0 && at < expected.size();
      if (inside)
        equal = equal && room(i) == expected.data()[at];
      else
        kept = kept && room(i) == T(77);
    }
    CHECK(equal);
    CHECK(kept);
  }
}

TEST_CASE_TEMPLATE("interleaved results past the caches, wherever they begin", T, float, double) {
  for (const index blocks : {1, 2, 9}) check_interleaved<T, 4, 5>(blocks);
  if constexpr (std::is_same_v<T, double>) check_interleaved<T, 8, 9>(5);
}

/// Diffusion with the nodes as points: its result is written slab by slab, and what goes along the
/// slabs is added at the end.
template <int P>
void diffuse_at_nodes(const tensor<double, P, P>& H_, const tensor<double, dyn, P, P, P, 8>& U,
                      const tensor<double, dyn, 6, P, P, P, 8>& D_, double* to) {
  using namespace labels;
  constexpr input<"u"> u;
  constexpr input<"H"> H;
  constexpr input<"I"> I;
  constexpr input<"D"> D;
  constexpr local<"gradient"> gradient;
  constexpr local<"flux"> flux;
  constexpr output<"v"> v;
  constexpr auto R = along<0>(H, I);
  constexpr auto S = along<1>(H, I);
  constexpr auto T = along<2>(H, I);
  constexpr auto kernel = fuse(E)(
      gradient(E, d, q, r, s, w) = R(d, q, i) * S(d, r, j) * T(d, s, k) * u(E, i, j, k, w),
      flux(E, c, q, r, s, w) = symmetric(D)(E, c, d, q, r, s, w) * gradient(E, d, q, r, s, w),
      v(E, l, m, n, w) = R(c, q, l) * S(c, r, m) * T(c, s, n) * flux(E, c, q, r, s, w));
  kernel(v = view<double, dyn, P, P, P, 8>(to, U.extent(0)), u = U, D = D_,
         H = reflection_antisymmetric(H_), I = identity);
}

TEST_CASE("results of slabs that are added to behind them") {
  constexpr int P = 7;
  constexpr index blocks = 5, margin = 16;
  tensor<double, P, P> H;
  tensor<double, dyn, P, P, P, 8> U(blocks), expected(blocks);
  tensor<double, dyn, 6, P, P, P, 8> D(blocks);
  fill(H, 1);
  reflect(H, -1);
  fill(U, 2);
  fill(D, 3);
  diffuse_at_nodes<P>(H, U, D, expected.data());
  for (const index offset : {0, 1, 8}) {
    CAPTURE(offset);
    tensor<double, dyn> room(expected.size() + 2 * margin);
    room.fill(77);
    const tiny_caches here;
    diffuse_at_nodes<P>(H, U, D, room.data() + margin + offset);
    bool right = true;
    for (index i = 0; i < room.size(); ++i) {
      const index at = i - margin - offset;
      right = right && room(i) == (at >= 0 && at < expected.size() ? expected.data()[at] : 77.0);
    }
    CHECK(right);
  }
}

TEST_CASE("results that are read as well") {
  const tiny_caches here;
  const interleaved_mass<double, 4, 5> mass(7);
  tensor<double, dyn, 4, 4, 4, 8> once(7), twice(7);
  mass(once);
  fill(twice, 5);
  const tensor<double, dyn, 4, 4, 4, 8> before = twice;
  einsum<"qi,rj,sk,eqrsw,ql,rm,sn,eijkw->elmnw">(into(twice), mass.B, mass.B, mass.B, mass.D,
                                                 mass.B, mass.B, mass.B, mass.U, alpha(2.0),
                                                 beta(-1.0));
  bool equal = true;
  for (index i = 0; i < once.size(); ++i)
    equal = equal && twice.data()[i] == 2 * once.data()[i] - before.data()[i];
  CHECK(equal);
}

}  // namespace
}  // namespace tenfold
