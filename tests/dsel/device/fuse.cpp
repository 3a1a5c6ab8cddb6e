#include <complex>
#include <cstdint>
#include <emulated_device.hpp>
#include <tenfold/backend/cuda/device_tensor.hpp>
#include <tenfold/tensor/gathered.hpp>
#include <vector>

#include <doctest/doctest.h>

#include <fuse_problems.hpp>

// Fused kernels by generated texts on an emulated device, against plain loops.

namespace tenfold {
namespace {

/// The same tensor in the memory of a device, which here is that of the host.
template <class T, index... E>
auto there(tensor<T, E...>& x) {
  return in_memory_of<device::cuda>(view<T, E...>(x));
}
template <class T, index... E>
auto there(const tensor<T, E...>& x) {
  return in_memory_of<device::cuda>(view<const T, E...>(x));
}

template <class T, bool IsStatic, int P, int Q>
void check_mass(emulation::emulated_device& machine, index elements) {
  using namespace operands;
  CAPTURE(elements);
  mass_problem<T, IsStatic, P, Q> x(elements);
  mass_kernel()(on(machine), v = there(x.V), u = there(x.U), B = there(x.B), D = there(x.D));
  x.expect(false);
  CHECK(same(x.V, x.W));
  adding_mass_kernel()(on(machine), D = there(x.D), B = there(x.B), u = there(x.U),
                       v = into(there(x.V)));
  x.expect(true);
  CHECK(same(x.V, x.W));
}

template <class T, bool IsStatic, int P, int Q>
void check_diffusion(emulation::emulated_device& machine, index elements) {
  using namespace operands;
  CAPTURE(elements);
  diffusion_problem<T, IsStatic, P, Q> x(elements);
  diffusion_kernel<false>()(on(machine), v = there(x.V), u = there(x.U), B = there(x.B),
                            G = there(x.G), D = there(x.D));
  x.expect(false);
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
void check_restricted(emulation::emulated_device& machine, bool adds) {
  using labels::e, labels::q, labels::r, labels::i, labels::j;
  constexpr input<"u"> u;
  constexpr input<"A"> A;
  constexpr output<"v"> v;
  constexpr int elements = 9, p = 3, nodes = (elements * (p - 1) + 1) * p;
  const std::vector<I> numbers = row_of_elements<I>(elements, p);
  const auto map = index_map<I>::unchecked(numbers.data(), elements, p * p, nodes);
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
  const auto U = in_memory_of<device::cuda>(gathered<const T, p, p>(from.data(), map));
  const auto V = in_memory_of<device::cuda>(gathered<T, p, p>(to.data(), map));
  if (adds)
    fuse(e)(v(e, q, r) += A(q, i) * A(r, j) * u(e, i, j))(on(machine), v = V, u = U, A = there(M));
  else
    fuse(e)(v(e, q, r) = A(q, i) * A(r, j) * u(e, i, j))(on(machine), v = V, u = U, A = there(M));
  CHECK(same(to, expected));
}

}  // namespace

TEST_CASE("a fused mass operator runs on a device in one launch") {
  emulation::emulated_device machine;
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
  emulation::emulated_device machine;
  check_diffusion<double, true, 3, 4>(machine, 5);
  check_diffusion<float, false, 2, 3>(machine, 6);
}

TEST_CASE(
    "a fused kernel on a device gathers what it reads and adds what it writes through a map") {
  emulation::emulated_device machine;
  for (const bool adds : {false, true}) {
    check_restricted<double, std::int32_t>(machine, adds);
    check_restricted<float, std::int64_t>(machine, adds);
    check_restricted<std::complex<double>, std::int32_t>(machine, adds);
  }
}

}  // namespace tenfold
