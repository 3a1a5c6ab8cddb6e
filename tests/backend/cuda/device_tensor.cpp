#include <tenfold/backend/cuda/device_tensor.hpp>

#include <doctest/doctest.h>

#include <batches.hpp>
#include <copy_there.hpp>
#include <emulated_device.hpp>
#include <operands.hpp>
#include <tenfold/backend/device_batched_blas.hpp>
#include <tenfold/backend/reference/gemm.hpp>
#include <thrown.hpp>

#include "tested_machine.hpp"

// Tensors in a device's memory, and batched BLAS with them.

namespace tenfold::testing {
namespace {

template <class T, index... E>
void fill_exact(tensor<T, E...>& x, unsigned seed) {
  generator g(seed);
  fill(x.data(), x.size(), g, entries_kind::exact);
}

static_assert(operand_traits<device_tensor<double, dyn, 3, 4>>::space == device::cuda);
static_assert(operand_traits<const device_tensor<double, dyn, 3>>::is_writable == false);
static_assert(operand_traits<device_view<device::cuda, view<double, 3>>>::static_extents[0] == 3);
static_assert(tensor_like<device_view<device::cuda, interleaved_view<double, 8, 3, 4>>>);
static_assert(!std::is_copy_constructible_v<device_tensor<double, 3>>);

}  // namespace

TEST_CASE("entries go to a device and come back") {
  emulation::emulated_device machine;
  tensor<double, dyn, 3, 4> there(5), back(5);
  fill_exact(there, 1);
  device_tensor<double, dyn, 3, 4> x(on(machine), 5);
  x.copy_from(there);
  device_tensor<double, dyn, 3, 4> y = std::move(x);
  CHECK(x.data() == nullptr);
  y.copy_to(back);
  CHECK(std::equal(there.data(), there.data() + there.size(), back.data()));
  CHECK(y.extent(0) == 5);
  CHECK(y.size() == 60);
}

TEST_CASE("a copy of other extents, or of entries that are not side by side, is an error") {
  emulation::emulated_device machine;
  device_tensor<double, dyn, 3> x(on(machine), 5);
  tensor<double, dyn, 3> shorter(4);
  CHECK(thrown_by<shape_error>([&] { x.copy_from(shorter); }) ==
        "tenfold: a copy between a device_tensor and a tensor of the host: axis 0 has 5 and 4 "
        "entries");
  double entries[30] = {};
  const strided_view<const double, dyn, 3> apart(entries, {5, 3}, {6, 1});
  CHECK(
      thrown_by<shape_error>([&] { x.copy_from(apart); }) ==
      "tenfold: a copy between a device_tensor and a tensor of the host: axis 0 of the latter has "
      "the stride 6, not the row-major one, 3");
}

TEST_CASE("a copy of entries without an address, or to a tensor without memory, is an error") {
  emulation::emulated_device machine;
  device_tensor<double, dyn, 3> x(on(machine), 5), none(on(machine), 0);
  const view<double, dyn, 3> nowhere(nullptr, 5), nothing(nullptr, 0);
  const std::string null = "the tensor of the host has entries, but its address is null";
  CHECK(thrown_by<shape_error>([&] { x.copy_from(nowhere); }) == "tenfold: copy_from: " + null);
  CHECK(thrown_by<shape_error>([&] { x.copy_to(nowhere); }) == "tenfold: copy_to: " + null);
  CHECK_NOTHROW(none.copy_from(nothing));
  CHECK_NOTHROW(none.copy_to(nothing));
  device_tensor<double, dyn, 3> y = std::move(x);
  tensor<double, dyn, 3> there(5);
  pinned_tensor<double, dyn, 3> pinned(on(machine), 5);
  const std::string moved = "the device_tensor was moved from and has no memory";
  CHECK(thrown_by<shape_error>([&] { x.copy_from(there); }) == "tenfold: copy_from: " + moved);
  CHECK(thrown_by<shape_error>([&] { x.copy_to(there); }) == "tenfold: copy_to: " + moved);
  CHECK(thrown_by<shape_error>([&] { x.start_copy_to(pinned); }) ==
        "tenfold: start_copy_to: " + moved);
}

TEST_CASE("entries in memory that does not move go and come while the host goes on") {
  emulation::emulated_device machine;
  const auto where = on(machine);
  pinned_tensor<double, dyn, 3> from(where, 5), back(where, 5);
  for (index i = 0; i < 5; ++i)
    for (index j = 0; j < 3; ++j) from(i, j) = static_cast<double>(10 * i + j);
  device_tensor<double, dyn, 3> x(where, 5);
  x.copy_from(from);
  x.start_copy_to(back);
  where.wait();
  CHECK(std::equal(from.data(), from.data() + from.size(), back.data()));
  pinned_tensor<double, dyn, 3> moved = std::move(back);
  CHECK(back.data() == nullptr);
  CHECK(moved(4, 2) == 42);
  static_assert(tensor_like<pinned_tensor<double, dyn, 3>>);
  static_assert(operand_traits<pinned_tensor<double, dyn, 3>>::space == device::cpu);
}

TEST_CASE("memory of a machine has one owner, who may be given its own") {
  emulation::emulated_device machine;
  using cuda::machine_memory;
  machine_memory<double> x(machine, 3), y(machine, 5), none(machine, 0);
  double* const first = x.data();
  machine_memory<double>& same = x;
  x = std::move(same);
  CHECK(x.data() == first);
  y = std::move(x);
  CHECK(y.data() == first);
  CHECK(y.bytes() == 24);
  CHECK(x.data() == nullptr);
  CHECK(x.bytes() == 0);
  CHECK(none.data() == nullptr);
  CHECK_THROWS_AS((device_tensor<double, dyn>(on(machine), index{1} << 61)), std::bad_alloc);
}

TEST_CASE("a copy of an operand keeps what its type tells") {
  emulation::emulated_device machine;
  const auto where = on(machine);
  tensor<double, dyn, 3> from(5), back(5);
  fill_exact(from, 1);
  const auto x = copied(where, from);
  static_assert(std::is_same_v<decltype(x), const device_tensor<double, dyn, 3>>);
  x.copy_to(back);
  CHECK(std::equal(from.data(), from.data() + from.size(), back.data()));
  const double list[2][2] = {{1, 2}, {3, 4}};
  double again[2][2] = {};
  copied(where, list).copy_to(again);
  CHECK(again[1][0] == 3);
}

TEST_SUITE_BEGIN("device");

TEST_CASE("a gemm on a device gives what the host's gives") {
  tested_machine machine;
  const auto check = [&]<class T>(T) {
    tensor<T, dyn, 5, 7> a(20);
    tensor<T, dyn, 6, 5> b(20);
    tensor<T, dyn, 7, 6> c(20), got(20);
    fill_exact(a, 1);
    fill_exact(b, 2);
    fill_exact(c, 3);
    device_tensor<T, dyn, 5, 7> x(on(machine), 20);
    device_tensor<T, dyn, 6, 5> y(on(machine), 20);
    device_tensor<T, dyn, 7, 6> z(on(machine), 20);
    x.copy_from(a);
    y.copy_from(b);
    z.copy_from(c);
    constexpr op other = is_complex_type<T> ? op::conjugate_transpose : op::transpose;
    gemm<other, op::transpose>(T(2), a, b, T(-1), c);
    gemm<other, op::transpose>(on(machine), T(2), x, y, T(-1), z);
    z.copy_to(got);
    CHECK(std::equal(c.data(), c.data() + c.size(), got.data()));
  };
  machine.for_each_scalar(check);
}

TEST_CASE("a gemm on a device takes one matrix for all, views, and lists of addresses") {
  tested_machine machine;
  tensor<double, 4, 4> a;
  tensor<double, dyn, 4, 4> b(9), c(9), got(9);
  fill_exact(a, 1);
  fill_exact(b, 2);
  device_tensor<double, 4, 4> x(on(machine));
  device_tensor<double, dyn, 4, 4> y(on(machine), 9), z(on(machine), 9);
  x.copy_from(a);
  y.copy_from(b);
  gemm(1.0, a, b, 0.0, c);
  gemm(on(machine), 1.0, x, y.view_of(), 0.0, z);
  z.copy_to(got);
  CHECK(std::equal(c.data(), c.data() + c.size(), got.data()));

  std::vector<const double*> list;
  for (index p = 0; p < 9; ++p) list.push_back(y.data() + 16 * (8 - p));
  const copy_there<const double*> there(machine, list);
  gemm(on(machine), 1.0, x,
       in_memory_of<device::cuda>(pointers<const double, 4, 4>(there.data(), 9)), 0.0, z);
  z.copy_to(got);
  for (index p = 0; p < 9; ++p) CHECK(got(p, 1, 2) == c(8 - p, 1, 2));
}

TEST_SUITE_END();

TEST_CASE("a gemm on a device checks extents and overlap before anything is started") {
  emulation::emulated_device machine;
  device_tensor<double, dyn, 3, 4> x(on(machine), 5);
  device_tensor<double, dyn, 4, 3> y(on(machine), 6);
  device_tensor<double, dyn, 3, 3> z(on(machine), 5);
  CHECK(thrown_by<shape_error>([&] { gemm(on(machine), 1.0, x, y, 0.0, z); }) ==
        "tenfold: gemm: B holds 6 problems, but C holds 5");
  device_tensor<double, dyn, 4, 4> w(on(machine), 5);
  CHECK(thrown_by<overlap_error>([&] { gemm(on(machine), 1.0, w, w, 0.0, w); }) ==
        "tenfold: gemm: C overlaps A");
  CHECK(machine.compiled() == 0);
}

TEST_CASE("a gemm of a tensor of another device is an error that names it and the devices") {
  emulation::emulated_device here, other;
  const device_tensor<double, dyn, 3, 3> a(on(here), 5), b(on(here), 5), far(on(other), 5);
  device_tensor<double, dyn, 3, 3> c(on(here), 5), far_c(on(other), 5);
  const auto sentence = [](const char* name) {
    return "tenfold: gemm: " + std::string(name) +
           " lies in the memory of another device (an emulation) than that of the call (an "
           "emulation)";
  };
  const auto told = [&](const auto& x, const auto& y, auto& z) {
    return thrown_by<backend_error>([&] { gemm(on(here), 1.0, x, y, 0.0, z); });
  };
  CHECK(told(far, b, c) == sentence("A"));
  CHECK(told(a, far, c) == sentence("B"));
  CHECK(told(a, b, far_c) == sentence("C"));
  CHECK(here.compiled() == 0);
  // A view does not know.
  CHECK_NOTHROW(gemm(on(here), 1.0, far.view_of(), b, 0.0, c));
}

TEST_CASE("a place that no device is, is an error") {
  CHECK(thrown_by<backend_error>([] { on(device::cpu); }) ==
        "tenfold: on(...) takes device::cuda, device::emulated, or a machine");
}

}  // namespace tenfold::testing
