#include <algorithm>
#include <complex>
#include <cstdint>
#include <emulated_device.hpp>
#include <tenfold/backend/interface/select/device_programs.hpp>
#include <tenfold/dsel/explain_on_device.hpp>
#include <tenfold/tensor/gathered.hpp>
#include <test_device.hpp>
#include <vector>

#include <doctest/doctest.h>

#include <copy_there.hpp>
#include <fuse_problems.hpp>

// Fused kernels whose elements do not fit into shared memory, and whose workspace is that of a slab
// of elements.

namespace tenfold {
namespace {

constexpr device_capabilities small_device() {
  device_capabilities d = h100_capabilities;
  d.multiprocessors = 1;
  d.shared_bytes = 2048;
  d.shared_bytes_block = 1024;
  d.reserved_bytes = 0;
  return d;
}

/// That the launches of a call run for so many slabs, `once` of them once for all, which leave
/// `table_bytes`.
void check_slabs(const explained_device& told, index slabs, int once, index table_bytes = 0) {
  CHECK(told.workspace_bytes > table_bytes);
  CHECK(told.workspace_bytes <= select::device_slab_bytes(small_device()) + table_bytes);
  CHECK(std::count_if(told.launches.begin(), told.launches.end(),
                      [](const explained_launch& x) { return x.times == 1; }) == once);
  for (const explained_launch& x : told.launches) CHECK((x.times == 1 || x.times == slabs));
}

}  // namespace

TEST_SUITE_BEGIN("device");

TEST_CASE("a mass operator runs slab by slab where its elements do not fit into shared memory") {
  using namespace operands;
  testing::test_device machine(small_device());
  const device_queue where = on(machine);
  int compiled = 0;
  for (const index elements : {103, 58}) {
    CAPTURE(elements);
    mass_problem<double, true, 4, 5> x(elements);
    auto V = copied(where, x.V);
    const auto U = copied(where, x.U);
    const auto At = copied(where, x.B);
    const auto M = copied(where, x.D);
    const auto told = mass_kernel().explain(where, v = V, u = U, B = At, D = M);
    check_slabs(told.device, elements == 103 ? 7 : 4, 0);
    CHECK(std::any_of(told.device.launches.begin(), told.device.launches.end(),
                      [](const explained_launch& l) { return l.kind == launch_kind::product; }));
    CHECK(to_string(told).find("times, for one slab of elements after another") !=
          std::string::npos);
    mass_kernel()(where, v = V, u = U, B = At, D = M);
    V.copy_to(x.V);
    x.expect(false);
    CHECK(same(x.V, x.W));
    adding_mass_kernel()(where, v = into(V), u = U, B = At, D = M);
    V.copy_to(x.V);
    x.expect(true);
    CHECK(same(x.V, x.W));
    if (compiled == 0) compiled = machine.compiled();
    CHECK(machine.compiled() == compiled);  // another number of elements
  }
  // Few enough for one.
  const device_tensor<double, dyn, 4, 4, 4> u_few(where, 4);
  device_tensor<double, dyn, 4, 4, 4> v_few(where, 4);
  const device_tensor<double, dyn, 5, 5, 5> d_few(where, 4);
  const device_tensor<double, 5, 4> At(where);
  for (const explained_launch& x :
       mass_kernel().explain(where, v = v_few, u = u_few, B = At, D = d_few).device.launches)
    CHECK(x.times == 1);
}

TEST_SUITE_END();

TEST_CASE("a diffusion operator runs slab by slab, in each scalar") {
  const auto check = [](auto one) {
    using namespace operands;
    using T = decltype(one);
    emulation::emulated_device machine(small_device());
    const device_queue where = on(machine);
    diffusion_problem<T, true, 3, 4> x(61);
    auto V = copied(where, x.V);
    const auto U = copied(where, x.U);
    const auto At = copied(where, x.B);
    const auto Slopes = copied(where, x.G);
    const auto M = copied(where, x.D);
    const auto told =
        diffusion_kernel<false>().explain(where, v = V, u = U, B = At, G = Slopes, D = M).device;
    CHECK(told.workspace_bytes <= select::device_slab_bytes(small_device()));
    CHECK(told.launches[0].times > 1);
    diffusion_kernel<false>()(where, v = V, u = U, B = At, G = Slopes, D = M);
    V.copy_to(x.V);
    x.expect(false);
    CHECK(same(x.V, x.W));
    diffusion_kernel<true>()(where, v = V, u = U, B = At, G = Slopes, D = M);
    V.copy_to(x.V);
    x.expect(true);
    CHECK(same(x.V, x.W));
  };
  check(float{});
  check(double{});
  check(std::complex<float>{});
  check(std::complex<double>{});
}

TEST_CASE("what slabs read through maps, and add through them, is that of their elements") {
  using namespace operands;
  // Elements share nodes with their neighbours.
  constexpr index elements = 75, p = 4, of_element = p * p * p, further = of_element - p * p,
                  nodes = elements * further + p * p;
  std::vector<std::int32_t> numbers;
  for (index x = 0; x < elements; ++x)
    for (index a = 0; a < of_element; ++a)
      numbers.push_back(static_cast<std::int32_t>(x * further + a));
  numbers[5] = -1;
  const mass_problem<double, true, p, 5> x(elements);
  tensor<double, dyn> from(nodes), want(nodes), got(nodes);
  fill(from, 1);
  fill(want, 2);
  got = want;
  emulation::emulated_device machine(small_device());
  const device_queue where = on(machine);
  const testing::copy_there<std::int32_t> there(machine, numbers);
  const auto map = index_map<std::int32_t>::unchecked(numbers.data(), elements, of_element, nodes);
  const auto map_there =
      index_map<std::int32_t>::unchecked(there.data(), elements, of_element, nodes);
  const auto all_from = copied(where, from);
  const auto At = copied(where, x.B);
  const auto M = copied(where, x.D);
  auto all_to = copied(where, got);
  const auto U =
      in_memory_of<device::cuda>(gathered<const double, p, p, p>(all_from.data(), map_there));
  const auto V = in_memory_of<device::cuda>(gathered<double, p, p, p>(all_to.data(), map_there));
  const auto check = [&](const auto& kernel, int once) {
    check_slabs(kernel.explain(where, v = V, u = U, B = At, D = M).device, 5, once);
    kernel(where, v = V, u = U, B = At, D = M);
    all_to.copy_to(got);
    kernel(v = gathered<double, p, p, p>(want.data(), map),
           u = gathered<const double, p, p, p>(from.data(), map), B = x.B, D = x.D);
    CHECK(same(got, want));
  };
  check(mass_kernel(), 1);  // 0 at all nodes first
  check(adding_mass_kernel(), 0);
}

TEST_CASE("what all slabs read is computed once, and sums that warps share are those of a slab") {
  using labels::e, labels::q, labels::r, labels::i;
  constexpr input<"u"> u;
  constexpr input<"w"> w;
  constexpr input<"A"> A;
  constexpr input<"B"> B;
  constexpr output<"v"> v;
  constexpr local<"g"> g;
  constexpr index elements = 50, n = 300;
  constexpr auto kernel =
      fuse(e)(g(e, i) = w(e, i) * u(e, i), v(e, q) = A(q, r) * B(r, i) * g(e, i));
  tensor<double, dyn, n> U(elements), W(elements);
  tensor<double, 3, 4> a;
  tensor<double, 4, n> b;
  tensor<double, dyn, 3> want(elements), got(elements);
  fill(U, 1);
  fill(W, 2);
  fill(a, 3);
  fill(b, 4);
  kernel(v = want, u = U, w = W, A = a, B = b);
  emulation::emulated_device machine(small_device());
  const device_queue where = on(machine);
  const auto U_there = copied(where, U), W_there = copied(where, W);
  const auto a_there = copied(where, a);
  const auto b_there = copied(where, b);
  device_tensor<double, dyn, 3> there(where, elements);
  const auto told =
      kernel.explain(where, v = there, u = U_there, w = W_there, A = a_there, B = b_there).device;
  check_slabs(told, 5, 1, 3 * n * 8);
  CHECK(std::any_of(told.launches.begin(), told.launches.end(),
                    [](const explained_launch& x) { return x.lanes == 32; }));
  kernel(where, v = there, u = U_there, w = W_there, A = a_there, B = b_there);
  there.copy_to(got);
  CHECK(same(got, want));
}

}  // namespace tenfold
