#include <complex>
#include <copy_there.hpp>
#include <cstdint>
#include <tenfold/backend/cuda/device_map.hpp>
#include <tenfold/backend/cuda/device_tensor.hpp>
#include <tenfold/tensor/device_view.hpp>
#include <tenfold/tensor/gathered.hpp>
#include <tenfold/tensor/reflection.hpp>
#include <test_device.hpp>
#include <vector>

#include <doctest/doctest.h>

#include <fuse_problems.hpp>

// Fused kernels by generated texts on a device, against plain loops.

namespace tenfold {
namespace {

template <class T, bool IsStatic, int P, int Q>
void check_mass(testing::test_device& machine, index elements) {
  using namespace operands;
  CAPTURE(elements);
  mass_problem<T, IsStatic, P, Q> x(elements);
  const device_queue where = on(machine);
  auto V = copied(where, x.V);
  const auto U = copied(where, x.U);
  const auto At = copied(where, x.B);
  const auto M = copied(where, x.D);
  mass_kernel()(where, v = V, u = U, B = At, D = M);
  V.copy_to(x.V);
  x.expect(false);
  CHECK(same(x.V, x.W));
  adding_mass_kernel()(where, D = M, B = At, u = U, v = into(V));
  V.copy_to(x.V);
  x.expect(true);
  CHECK(same(x.V, x.W));
}

template <class T, bool IsStatic, int P, int Q>
void check_diffusion(testing::test_device& machine, index elements) {
  using namespace operands;
  CAPTURE(elements);
  diffusion_problem<T, IsStatic, P, Q> x(elements);
  const device_queue where = on(machine);
  auto V = copied(where, x.V);
  const auto U = copied(where, x.U);
  const auto At = copied(where, x.B);
  const auto Slopes = copied(where, x.G);
  const auto M = copied(where, x.D);
  diffusion_kernel<false>()(where, v = V, u = U, B = At, G = Slopes, D = M);
  V.copy_to(x.V);
  x.expect(false);
  CHECK(same(x.V, x.W));
}

/// The same on tables that are symmetric under reflection, and are said to be.
template <class T, int P, int Q>
void check_in_halves(testing::test_device& machine, index elements) {
  using namespace operands;
  CAPTURE(P);
  CAPTURE(Q);
  const device_queue where = on(machine);
  diffusion_problem<T, true, P, Q> x(elements);
  reflect(x.B, 1);
  reflect(x.G, -1);
  auto V = copied(where, x.V);
  const auto U = copied(where, x.U);
  const auto At = copied(where, x.B);
  const auto Slopes = copied(where, x.G);
  const auto M = copied(where, x.D);
  diffusion_kernel<false>()(where, v = V, u = U, B = reflection_symmetric(At),
                            G = reflection_antisymmetric(Slopes), D = M);
  V.copy_to(x.V);
  x.expect(false);
  CHECK(same(x.V, x.W));
  CHECK(machine.has_text_with(".halves = tenfold::reflection::even"));
  CHECK(machine.has_text_with(".halves = tenfold::reflection::odd"));
  // Added to what is there.
  diffusion_kernel<true>()(where, v = V, u = U, B = reflection_symmetric(At),
                           G = reflection_antisymmetric(Slopes), D = M);
  V.copy_to(x.V);
  x.expect(true);
  CHECK(same(x.V, x.W));
}

/// The nodes of a row of elements with P x P nodes each, neighbours sharing those between them; the
/// first ones are not there.
template <class I>
std::vector<I> row_of_elements(int elements, int p) {
  std::vector<I> numbers;
  for (int e = 0; e < elements; ++e) {
    for (int i = 0; i < p * p; ++i) {
      const int column = e * (p - 1) + i / p;
      numbers.push_back(static_cast<I>(column == 0 ? -1 : column * p + i % p));
    }
  }
  return numbers;
}

template <class T, class I>
void check_restricted(testing::test_device& machine, bool adds) {
  using labels::e, labels::q, labels::r, labels::i, labels::j;
  constexpr input<"u"> u;
  constexpr input<"A"> A;
  constexpr output<"v"> v;
  constexpr int elements = 9, p = 3, nodes = (elements * (p - 1) + 1) * p;
  const std::vector<I> numbers = row_of_elements<I>(elements, p);
  tensor<T, dyn> from(nodes), to(nodes), expected(nodes);
  tensor<T, p, p> M;
  fill(from, 1);
  fill(to, 2);
  fill(M, 3);
  expected = to;
  for (const I at : numbers)
    if (at >= 0 && !adds) expected(at) = T(0);
  for (int x = 0; x < elements; ++x) {
    const auto at = [&](int y, int z) {
      return numbers[static_cast<std::size_t>((x * p + y) * p + z)];
    };
    for (int a = 0; a < p * p * p * p; ++a) {
      const int y = a % p, z = a / p % p, y2 = a / p / p % p, z2 = a / p / p / p;
      if (at(y, z) >= 0 && at(y2, z2) >= 0)
        expected(at(y, z)) += M(y, y2) * M(z, z2) * from(at(y2, z2));
    }
  }
  const device_queue where = on(machine);
  const testing::copy_there<I> map_there(machine, numbers);
  const auto map = index_map<I>::unchecked(map_there.data(), elements, p * p, nodes);
  const auto all_from = copied(where, from);
  const auto table = copied(where, M);
  auto all_to = copied(where, to);
  const auto U = in_memory_of<device::cuda>(gathered<const T, p, p>(all_from.data(), map));
  const auto V = in_memory_of<device::cuda>(gathered<T, p, p>(all_to.data(), map));
  if (adds)
    fuse(e)(v(e, q, r) += A(q, i) * A(r, j) * u(e, i, j))(where, v = V, u = U, A = table);
  else
    fuse(e)(v(e, q, r) = A(q, i) * A(r, j) * u(e, i, j))(where, v = V, u = U, A = table);
  all_to.copy_to(to);
  CHECK(same(to, expected));
}

}  // namespace

TEST_SUITE_BEGIN("device");

TEST_CASE("a fused mass operator runs on a device in one launch") {
  testing::test_device machine;
  check_mass<double, true, 3, 4>(machine, 0);
  CHECK(machine.compiled() == 0);
  check_mass<double, true, 3, 4>(machine, 1);
  const int compiled = machine.compiled();
  for (const index elements : {7, 19, 40}) check_mass<double, true, 3, 4>(machine, elements);
  CHECK(machine.compiled() == compiled);
  check_mass<float, false, 2, 3>(machine, 5);
  check_mass<std::complex<double>, false, 2, 3>(machine, 4);
}

TEST_CASE("a fused diffusion operator runs on a device") {
  testing::test_device machine;
  check_diffusion<double, true, 3, 4>(machine, 5);
  check_diffusion<float, false, 2, 3>(machine, 6);
}

TEST_CASE("tables that are symmetric under reflection are applied in halves on a device") {
  testing::test_device machine;
  check_in_halves<double, 5, 6>(machine, 4);
  check_in_halves<double, 6, 5>(machine, 3);
  check_in_halves<float, 7, 7>(machine, 2);
  // Warps leave the passes of which they have no line.
  check_in_halves<double, 8, 9>(machine, 3);
  CHECK(machine.has_text_with("bool skips = true"));
}

TEST_CASE("a table that is read whole somewhere stays whole on a device") {
  using labels::e, labels::q, labels::i, labels::j;
  constexpr input<"u"> u;
  constexpr input<"A"> A;
  constexpr output<"v"> v;
  constexpr auto kernel = fuse(e)(v(e, q, j) = A(q, i) * u(e, i, j) * A(q, j));
  testing::test_device machine;
  const device_queue where = on(machine);
  constexpr index n = 6;
  tensor<double, dyn, n, n> U(5), got(5), want(5);
  fill(U, 1);
  tensor<double, n, n> M;
  fill(M, 2);
  reflect(M, 1);
  for (index x = 0; x < 5; ++x)
    for (index a = 0; a < n; ++a)
      for (index c = 0; c < n; ++c) {
        want(x, a, c) = 0;
        for (index b = 0; b < n; ++b) want(x, a, c) += M(a, b) * U(x, b, c) * M(a, c);
      }
  const auto from = copied(where, U);
  const auto table = copied(where, M);
  device_tensor<double, dyn, n, n> to(where, 5);
  kernel(where, v = to, u = from, A = reflection_symmetric(table));
  to.copy_to(got);
  CHECK(same(got, want));
}

TEST_CASE(
    "a fused kernel on a device gathers what it reads and adds what it writes through a map") {
  testing::test_device machine;
  for (const bool adds : {false, true}) {
    check_restricted<double, std::int32_t>(machine, adds);
    check_restricted<float, std::int64_t>(machine, adds);
    check_restricted<std::complex<double>, std::int32_t>(machine, adds);
  }
}

TEST_CASE("what a step leaves is read by others as it lies and turned") {
  using labels::e, labels::i, labels::j, labels::k, labels::l;
  constexpr input<"u"> u;
  constexpr input<"A"> A;
  constexpr input<"D"> D;
  constexpr local<"t"> t;
  constexpr output<"v"> v;
  constexpr auto kernel =
      fuse(e)(t(e, i, j, k) = A(i, l) * u(e, l, j, k),
              v(e, i, j, k) = D(e, i, j, k) * t(e, i, k, j) + D(e, i, j, k) * t(e, i, j, k));
  constexpr index n = 3, elements = 50;
  testing::test_device machine;
  const device_queue where = on(machine);
  tensor<double, dyn, n, n, n> U(elements), M(elements), got(elements), want(elements);
  fill(U, 1);
  fill(M, 2);
  tensor<double, n, n> table;
  fill(table, 3);
  for (index x = 0; x < elements; ++x)
    for (index a = 0; a < n; ++a)
      for (index b = 0; b < n; ++b)
        for (index c = 0; c < n; ++c) {
          double sum = 0;
          for (index s = 0; s < n; ++s) sum += table(a, s) * (U(x, s, c, b) + U(x, s, b, c));
          want(x, a, b, c) = M(x, a, b, c) * sum;
        }
  const auto from = copied(where, U), factor = copied(where, M);
  const auto small = copied(where, table);
  device_tensor<double, dyn, n, n, n> to(where, elements);
  kernel(where, v = to, u = from, A = small, D = factor);
  to.copy_to(got);
  CHECK(same(got, want));
}

TEST_CASE(
    "a result lies in the place of what is read along its lines, not of what is read across") {
  // t along k by lines j, then w along k by lines i of what lies turned, then v again along lines
  // j; all extents are alike, and threads take their lines in any order.
  using labels::e, labels::i, labels::j, labels::k;
  constexpr input<"u"> u;
  constexpr input<"A"> A;
  constexpr local<"t"> t;
  constexpr local<"w"> w;
  constexpr output<"v"> v;
  constexpr auto kernel =
      fuse(e)(t(e, i, j) = A(i, k) * u(e, k, j), w(e, i, j) = A(i, k) * t(e, j, k),
              v(e, i, j) = A(j, k) * w(e, k, i) + A(i, k) * w(e, k, j));
  constexpr index n = 5, elements = 40;
  testing::test_device machine;
  const device_queue where = on(machine);
  tensor<double, dyn, n, n> U(elements), got(elements), want(elements);
  tensor<double, n, n> table;
  fill(U, 1);
  fill(table, 3);
  for (index x = 0; x < elements; ++x) {
    double T[n][n] = {}, W[n][n] = {};
    for (index a = 0; a < n; ++a)
      for (index b = 0; b < n; ++b)
        for (index c = 0; c < n; ++c) T[a][b] += table(a, c) * U(x, c, b);
    for (index a = 0; a < n; ++a)
      for (index b = 0; b < n; ++b)
        for (index c = 0; c < n; ++c) W[a][b] += table(a, c) * T[b][c];
    for (index a = 0; a < n; ++a)
      for (index b = 0; b < n; ++b) {
        want(x, a, b) = 0;
        for (index c = 0; c < n; ++c)
          want(x, a, b) += table(b, c) * W[c][a] + table(a, c) * W[c][b];
      }
  }
  const auto from = copied(where, U);
  const auto small = copied(where, table);
  device_tensor<double, dyn, n, n> to(where, elements);
  kernel(where, v = to, u = from, A = small);
  to.copy_to(got);
  CHECK(same(got, want));
}

TEST_CASE("kernels that differ in the axis of a compact matrix alone are two") {
  using labels::c, labels::d, labels::e, labels::q;
  constexpr input<"u"> u;
  constexpr input<"D"> D;
  constexpr output<"v"> v;
  constexpr auto first = fuse(e)(v(e) = diagonal<0>(D)(c, d, q) * u(e, c, d, q));
  constexpr auto second = fuse(e)(v(e) = diagonal(D)(c, d, q) * u(e, c, d, q));
  testing::test_device machine;
  const device_queue where = on(machine);
  tensor<double, 3, 3> M;
  tensor<double, dyn, 3, 3, 3> U(2);
  fill(M, 1);
  fill(U, 2);
  const auto table = copied(where, M);
  const auto from = copied(where, U);
  device_tensor<double, dyn> to(where, 2);
  tensor<double, dyn> got(2), want(2);
  const auto check = [&](const auto& kernel, auto entry) {
    for (index x = 0; x < 2; ++x) {
      want(x) = 0;
      for (index a = 0; a < 3; ++a)
        for (index b = 0; b < 3; ++b) want(x) += M(a, b) * entry(x, a, b);
    }
    kernel(where, v = to, u = from, D = table);
    to.copy_to(got);
    CHECK(same(got, want));
  };
  check(first, [&](index x, index a, index b) { return U(x, a, a, b); });
  check(second, [&](index x, index a, index b) { return U(x, a, b, b); });
}

TEST_CASE("an empty sum through a map adds nothing, or leaves 0, as on the host") {
  using labels::e, labels::i, labels::q;
  constexpr input<"u"> u;
  constexpr input<"B"> B;
  constexpr output<"v"> v;
  constexpr auto adds = fuse(e)(v(e, i) += B(q, i) * u(e, q));
  constexpr auto overwrites = fuse(e)(v(e, i) = B(q, i) * u(e, q));
  testing::test_device machine;
  const device_queue where = on(machine);
  const std::int32_t numbers[] = {0, 1, 1, 2, -1, 3};
  const index_map<std::int32_t> map(numbers, 3, 2, 5);
  for (const index sums : {0, 2}) {
    for (const bool is_kept : {true, false}) {
      CAPTURE(sums);
      CAPTURE(is_kept);
      tensor<double, dyn, 2> M(sums);
      tensor<double, dyn, dyn> U(3, sums);
      tensor<double, 5> here, got;
      fill(M, 1);
      fill(U, 2);
      here.fill(7);
      const auto table = copied(where, M);
      const auto from = copied(where, U);
      auto there = copied(where, here);
      gathered<double, 2> result(here.data(), map);
      const device_map<std::int32_t> map_there(where, map);
      auto result_there =
          in_memory_of<device::cuda>(gathered<double, 2>(there.data(), map_there.there()));
      if (is_kept) {
        adds(v = result, u = U, B = M);
        adds(where, v = result_there, u = from, B = table);
      } else {
        overwrites(v = result, u = U, B = M);
        overwrites(where, v = result_there, u = from, B = table);
      }
      there.copy_to(got);
      CHECK(same(got, here));
    }
  }
}

TEST_CASE("what is declared of an operand is legal on a device") {
  using labels::e, labels::q, labels::r, labels::i, labels::j;
  constexpr input<"u"> u;
  constexpr input<"A"> A;
  constexpr input<"B"> B;
  constexpr output<"v"> v;
  constexpr auto kernel = fuse(e)(v(e, q, r) = A(q, i) * B(r, j) * u(e, i, j));
  testing::test_device machine;
  const device_queue where = on(machine);
  tensor<double, dyn, 3, 3> U(5), got(5), want(5);
  fill(U, 1);
  tensor<double, 3, 3> M;
  for (index a = 0; a < 3; ++a)
    for (index b = 0; b < 3; ++b) M(a, b) = static_cast<double>(a == b ? 2 : a + b == 2 ? 3 : 1);
  for (index x = 0; x < 5; ++x)
    for (index a = 0; a < 3; ++a)
      for (index c = 0; c < 3; ++c) {
        want(x, a, c) = 0;
        for (index b = 0; b < 3; ++b) want(x, a, c) += M(a, b) * U(x, b, c);
      }
  const auto from = copied(where, U);
  const auto table = copied(where, M);
  device_tensor<double, dyn, 3, 3> to(where, 5);
  kernel(where, v = to, u = from, A = reflection_symmetric(table), B = identity);
  to.copy_to(got);
  CHECK(same(got, want));
}

TEST_SUITE_END();

}  // namespace tenfold
