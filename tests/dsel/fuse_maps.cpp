#include <algorithm>
#include <cstdint>
#include <limits>
#include <tenfold/backend/cpu/parallel.hpp>
#include <tenfold/tensor/gathered.hpp>
#include <tenfold/tensor/scatter_order.hpp>
#include <thrown.hpp>
#include <tiny_caches.hpp>
#include <vector>

#include <doctest/doctest.h>

#include <fuse_problems.hpp>

// Fused kernels that gather what they read, and add what they write, through a map.

namespace tenfold {
namespace {

/// A grid of 3 x 3 x 13 elements with P nodes along each axis, neighbours sharing theirs; nodes at
/// x = 0 and at both ends of z are not there (-1). Some vectors of elements lie side by side along
/// z, some go on in the next row.
template <class I, int P>
struct node_map {
  static constexpr int N = 3, Z = 13, elements = N * N * Z;
  static constexpr int along = N * (P - 1) + 1, along_z = Z * (P - 1) + 1;
  index nodes = index{along} * along * along_z;
  std::vector<I> numbers;

  static I number(int e, int i, int j, int k) {
    const int x = e / Z / N * (P - 1) + i, y = e / Z % N * (P - 1) + j, z = e % Z * (P - 1) + k;
    return static_cast<I>(x == 0 || z == 0 || z == along_z - 1 ? -1
                                                               : (x * along + y) * along_z + z);
  }
  node_map() {
    for (int a = 0; a < elements * P * P * P; ++a) {
      const int k = a % P, j = a / P % P, i = a / P / P % P, e = a / P / P / P;
      numbers.push_back(number(e, i, j, k));
    }
  }
};

/// V = or += sum over elements e of R_e^T M R_e U, M the mass operator.
template <class T, class I, bool IsStatic, int P, int Q>
void check_restricted_mass(bool adds, bool ordered, index part = 64) {
  using labels::e, labels::q, labels::r, labels::s, labels::i, labels::j, labels::k, labels::l,
      labels::m, labels::n;
  constexpr input<"u"> u;
  constexpr input<"B"> B;
  constexpr input<"D"> D;
  constexpr output<"v"> v;
  constexpr index p = told<IsStatic>(P);
  CAPTURE(adds);
  CAPTURE(ordered);
  const node_map<I, P> nodes;
  const index elements = nodes.elements;
  mass_problem<T, IsStatic, P, Q> x(elements);
  tensor<T, dyn> global(nodes.nodes), sum(nodes.nodes), expected(nodes.nodes);
  fill(global, 9);
  fill(sum, 8);
  expected = sum;
  for (index a = 0; a < x.U.size(); ++a) {
    const I at = nodes.numbers[static_cast<std::size_t>(a)];
    x.U.data()[a] = at < 0 ? T(0) : global.data()[at];
    if (at >= 0 && !adds) expected.data()[at] = T(0);
  }
  x.expect(false);
  for (index a = 0; a < x.U.size(); ++a) {
    const I at = nodes.numbers[static_cast<std::size_t>(a)];
    if (at >= 0) expected.data()[at] += x.W.data()[a];
  }

  const index_map<I> map(nodes.numbers.data(), elements, P * P * P, nodes.nodes);
  const scatter_order order(map, part);
  CHECK(order.part() == part);
  const auto told_sizes = [&](auto make) {
    if constexpr (IsStatic) {
      return make();
    } else {
      return make(index{P}, index{P}, index{P});
    }
  };
  const auto U = told_sizes(
      [&](auto... sizes) { return gathered<const T, p, p, p>(global.data(), map, sizes...); });
  const auto V = told_sizes([&](auto... sizes) {
    return ordered ? gathered<T, p, p, p>(sum.data(), map, order, sizes...)
                   : gathered<T, p, p, p>(sum.data(), map, sizes...);
  });
  if (adds) {
    const auto mass = fuse(e)(v(e, l, m, n) += B(q, l) * B(r, m) * B(s, n) * D(e, q, r, s) *
                                               B(q, i) * B(r, j) * B(s, k) * u(e, i, j, k));
    mass(v = V, u = U, B = x.B, D = x.D);
  } else {
    const auto mass = fuse(e)(v(e, l, m, n) = B(q, l) * B(r, m) * B(s, n) * D(e, q, r, s) *
                                              B(q, i) * B(r, j) * B(s, k) * u(e, i, j, k));
    mass(v = V, u = U, B = x.B, D = x.D);
  }
  CHECK(same(sum, expected));
}

TEST_CASE("a fused kernel gathers what it reads and adds what it writes through a map") {
  for (const bool adds : {false, true}) {
    for (const bool ordered : {false, true}) {
      check_restricted_mass<double, std::int32_t, true, 3, 4>(adds, ordered);
      check_restricted_mass<float, std::int64_t, true, 2, 3>(adds, ordered);
      check_restricted_mass<double, std::int64_t, false, 3, 3>(adds, ordered);
      check_restricted_mass<std::complex<double>, std::int32_t, false, 2, 2>(adds, ordered);
    }
  }
}

TEST_CASE("each entry is begun by one part, the first that adds to it") {
  const node_map<std::int32_t, 3> nodes;
  const index_map<std::int32_t> map(nodes.numbers.data(), nodes.elements, 27, nodes.nodes);
  for (const index part : {1, 4, 50, 1000}) {
    CAPTURE(part);
    const scatter_order order(map, part);
    // The part that the entries of the map are due to, in the order in which parts run.
    std::vector<index> first(static_cast<std::size_t>(nodes.nodes), -1), begun = first;
    for (int colour = 0; colour < order.colours(); ++colour) {
      for (const index k : order.parts(colour)) {
        const index from = k * part * 27, to = std::min((k + 1) * part, map.batch()) * 27;
        for (index a = from; a < to; ++a) {
          const std::int32_t number = nodes.numbers[static_cast<std::size_t>(a)];
          if (number < 0) continue;
          index& of = first[static_cast<std::size_t>(number)];
          if (of < 0) of = k;
        }
      }
    }
    bool once = true, rising = true;
    for (index k = 0; k < order.part_count(); ++k) {
      index last = -1;
      for (const scatter_order::range& r : order.begun_by(k)) {
        rising = rising && last < r.begin && r.begin < r.end;
        last = r.end;  // ranges that touch are one
        for (index entry = r.begin; entry < r.end; ++entry) {
          index& of = begun[static_cast<std::size_t>(entry)];
          once = once && of < 0;
          of = k;
        }
      }
    }
    CHECK(once);
    CHECK(rising);
    CHECK(begun == first);
  }
}

TEST_CASE("parts may be smaller than a vector, or have room for any batch") {
  for (const bool adds : {false, true}) {
    check_restricted_mass<double, std::int32_t, true, 3, 4>(adds, true, 16);
    check_restricted_mass<double, std::int32_t, true, 3, 4>(adds, true, 3);
    check_restricted_mass<double, std::int32_t, false, 3, 4>(adds, true, 1);
    for (const index all : {index{1} << 61, std::numeric_limits<index>::max()}) {
      check_restricted_mass<double, std::int32_t, true, 3, 4>(adds, true, all);
      check_restricted_mass<double, std::int32_t, false, 3, 4>(adds, true, all);
    }
  }
  const std::int32_t none = -1;
  const index_map<std::int32_t> map(&none, 1, 1, 0);
  CHECK(testing::thrown_by<shape_error>([&] { scatter_order(map, 0); }) ==
        "tenfold: the parts of a scatter_order hold 0 problems; they need at least one");
  const std::int32_t there[4] = {0, 1, 2, 3};
  const scatter_order order(index_map(there, 1, 4, 5));
  CHECK(testing::thrown_by<shape_error>(
            [&] { gathered<double, 2>(nullptr, index_map(there, 1, 2, 5), order); }) ==
        "tenfold: the map has 1 problems of 2 entries in an array of 5, the order in which they "
        "are added is one of 1 problems of 4 entries in an array of 5");
}

/// How often the program of a kernel gathers in a tile, for operands of the types X..., in the
/// order of the text.
template <class Kernel>
struct gathers_in;
template <class Batch, class... Statement>
struct gathers_in<const fused_kernel<Batch, Statement...>> {
  template <class... X>
  static constexpr int of = [] {
    using planned = fusing::kernel_over<fusing::kernel_text<Batch, Statement...>, X...>;
    int count = 0;
    for (const program_step& step : planned::value.steps) {
      count += step.kind == step_kind::pack && step.a.mapped;
    }
    return count;
  }();
};

TEST_CASE("what is read under several labels is gathered once") {
  using labels::e, labels::q, labels::r, labels::i, labels::j;
  constexpr input<"u"> u;
  constexpr input<"G"> G;
  constexpr output<"v"> v;
  std::vector<std::int32_t> numbers;
  for (int a = 0; a < 9 * 16; ++a) numbers.push_back(a * 7 % 50);
  const index_map<std::int32_t> map(numbers.data(), 9, 16, 50);
  tensor<double, dyn> global(50);
  tensor<double, 4, 4> Gt;
  tensor<double, dyn, 4, 4> V(9), W(9);
  fill(global, 1);
  fill(Gt, 2);
  for (index k = 0; k < 9; ++k) {
    for (int a = 0; a < 16; ++a) {
      W(k, a / 4, a % 4) = 0;
      for (int b = 0; b < 4; ++b) {
        const int along_x = b * 4 + a % 4, along_y = a / 4 * 4 + b;
        W(k, a / 4, a % 4) +=
            Gt(a / 4, b) * global(numbers[static_cast<std::size_t>(k * 16 + along_x)]) +
            Gt(a % 4, b) * global(numbers[static_cast<std::size_t>(k * 16 + along_y)]);
      }
    }
  }
  const gathered<const double, 4, 4> U(global.data(), map);
  const auto kernel = fuse(e)(v(e, q, r) = G(q, i) * u(e, i, r) + G(r, j) * u(e, q, j));
  kernel(v = V, u = U, G = Gt);
  CHECK(same(V, W));
  static_assert(gathers_in<decltype(kernel)>::of<decltype(V), const decltype(Gt), decltype(U)> ==
                1);
}

TEST_CASE("what is fetched ahead changes nothing") {
  const testing::tiny_caches here;
  check_restricted_mass<double, std::int32_t, true, 3, 4>(true, true);
  check_restricted_mass<double, std::int64_t, true, 4, 6>(true, true);
  check_restricted_mass<float, std::int32_t, true, 3, 4>(false, false);
  check_restricted_mass<double, std::int32_t, false, 3, 4>(true, true);
}

TEST_CASE("scattered sums have the same bits on any number of threads") {
  using labels::e, labels::l, labels::m, labels::n, labels::i, labels::j, labels::k;
  constexpr input<"u"> u;
  constexpr input<"A"> A;
  constexpr output<"v"> v;
  const node_map<std::int32_t, 4> nodes;
  const index elements = nodes.elements;
  const index_map<std::int32_t> map(nodes.numbers.data(), elements, 64, nodes.nodes);
  const scatter_order order(map);
  CHECK(order.colours() > 1);
  tensor<double, dyn> global(nodes.nodes), once(nodes.nodes), again(nodes.nodes);
  tensor<double, 4, 4> M;
  for (index x = 0; x < nodes.nodes; ++x) global(x) = 1.0 / static_cast<double>(3 + x % 101);
  for (index x = 0; x < 16; ++x) M.data()[x] = 1.0 / static_cast<double>(7 + x);
  const auto kernel = fuse(e)(v(e, l, m, n) = A(l, i) * A(m, j) * A(n, k) * u(e, i, j, k));
  const gathered<const double, 4, 4, 4> U(global.data(), map);
  for (index x = 0; x < nodes.nodes; ++x) once(x) = again(x) = static_cast<double>(x);
  cpu::run_on_threads(
      1, [&] { kernel(v = gathered<double, 4, 4, 4>(once.data(), map, order), u = U, A = M); });
  for (int run = 0; run < 20; ++run) {
    cpu::run_on_threads(
        4, [&] { kernel(v = gathered<double, 4, 4, 4>(again.data(), map, order), u = U, A = M); });
    CHECK(same(once, again));
  }
}

/// v = sum over e of R_e^T A d_e, entries of d side by side along e, so that vectors of them are
/// read in place and what is left behind the last whole one is a phase of its own.
template <index Batch>
void check_remainder(index part) {
  using labels::e, labels::i, labels::j;
  constexpr input<"A"> A;
  constexpr input<"D"> D;
  constexpr output<"v"> v;
  constexpr index elements = 117;
  CAPTURE(part);
  std::vector<std::int32_t> numbers;
  for (index a = 0; a < 7 * elements; ++a)
    numbers.push_back(a % 11 == 5 ? -1 : static_cast<std::int32_t>(a / 7 * 6 + a % 7));
  const index size = 6 * elements + 2;  // the last one is of no element
  const index_map<std::int32_t> map(numbers.data(), elements, 7, size);
  const scatter_order order(map, part);
  tensor<double, 7, 5> M;
  tensor<double, dyn> d(5 * elements), sum(size), expected(size);
  fill(M, 3);
  fill(d, 4);
  fill(sum, 5);
  expected = sum;
  for (const std::int32_t number : numbers)
    if (number >= 0) expected(number) = 0;
  for (index a = 0; a < 7 * elements; ++a) {
    const std::int32_t number = numbers[static_cast<std::size_t>(a)];
    if (number < 0) continue;
    for (int k = 0; k < 5; ++k) expected(number) += M(a % 7, k) * d(k * elements + a / 7);
  }
  const auto kernel = fuse(e)(v(e, i) = A(i, j) * D(e, j));
  const basic_view<const double, extents<Batch, 5>, layout_left> columns = [&] {
    if constexpr (Batch == dyn)
      return basic_view<const double, extents<Batch, 5>, layout_left>(d.data(), elements);
    else
      return basic_view<const double, extents<Batch, 5>, layout_left>(d.data());
  }();
  kernel(v = gathered<double, 7>(sum.data(), map, order), A = M, D = columns);
  CHECK(same(sum, expected));
}

TEST_CASE("what is behind the last vector adds to what the parts before it began") {
  for (const index part : {64, 16, 5}) {
    check_remainder<dyn>(part);
    check_remainder<117>(part);
  }
}

TEST_CASE("more parts meet in an entry than there are colours") {
  using labels::e, labels::i;
  constexpr input<"u"> u;
  constexpr output<"v"> v;
  constexpr index elements = 100;
  std::vector<std::int32_t> numbers;
  for (index a = 0; a < elements; ++a) {
    numbers.push_back(0);
    numbers.push_back(static_cast<std::int32_t>(a + 1));
  }
  const index_map<std::int32_t> map(numbers.data(), elements, 2, elements + 1);
  const scatter_order order(map, 1);
  CHECK(order.is_serial(order.colours() - 1));
  tensor<double, dyn, 2> U(elements);
  tensor<double, dyn> sum(elements + 1), expected(elements + 1);
  fill(U, 1);
  fill(sum, 2);
  for (index a = 0; a <= elements; ++a) expected(a) = 0;
  for (index a = 0; a < elements; ++a) {
    expected(0) += U(a, 0);
    expected(a + 1) += U(a, 1);
  }
  fuse(e)(v(e, i) = u(e, i))(v = gathered<double, 2>(sum.data(), map, order), u = U);
  CHECK(same(sum, expected));
}

TEST_CASE("a map may be one of blocks of elements") {
  using labels::e, labels::l, labels::i, labels::w;
  constexpr input<"u"> u;
  constexpr input<"A"> A;
  constexpr output<"v"> v;
  // Elements in a row with two nodes each, in blocks of 8, the last elements not there.
  std::vector<std::int32_t> numbers;
  for (int a = 0; a < 2 * 9 * 8; ++a) {
    const int lane = a % 8, node = a / 8 % 2, element = a / 16 * 8 + lane;
    numbers.push_back(element < 70 ? element + node : -1);
  }
  const index_map<std::int32_t> map(numbers.data(), 9, 16, 71);
  const scatter_order order(map);
  tensor<double, dyn> global(71), sum(71), expected(71);
  tensor<double, 2, 2> M;
  fill(global, 1);
  fill(M, 2);
  for (index x = 0; x < 71; ++x) expected(x) = sum(x) = 0;
  for (index x = 0; x < 70; ++x) {
    for (int a = 0; a < 4; ++a) expected(x + a / 2) += M(a / 2, a % 2) * global(x + a % 2);
  }
  const auto kernel = fuse(e)(v(e, l, w) = A(l, i) * u(e, i, w));
  kernel(v = gathered<double, 2, 8>(sum.data(), map, order),
         u = gathered<const double, 2, 8>(global.data(), map), A = M);
  CHECK(same(sum, expected));
}

}  // namespace
}  // namespace tenfold
