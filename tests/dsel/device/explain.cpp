#include <golden.hpp>
#include <tenfold/dsel/explain_on_device.hpp>
#include <test_device.hpp>
#include <thrown.hpp>

#include <doctest/doctest.h>

#include <fuse_problems.hpp>

// What calls on a device say of themselves. The emulated device is cut like an H100 and has no
// registers.

namespace tenfold {
namespace {

/// Whether registers are not counted, so that a table is the same everywhere.
bool is_emulated(const explained_device& d) {
  return d.launches[0].registers == 0 && d.machine == h100_capabilities;
}

template <class X>
void check_table(const char* name, const X& told) {
  if (is_emulated(told.device))
    testing::check_golden(name, to_string(told));
  else
    MESSAGE("skipped: on a GPU registers are counted, which depend on its compiler");
}

}  // namespace

TEST_SUITE_BEGIN("device");

TEST_CASE("an expression on a device tells its plan and its launches") {
  testing::test_device machine;
  const device_queue where = on(machine);
  const device_tensor<double, 5, 4> B(where);
  const device_tensor<double, dyn, 5, 5, 5> D(where, 1000);
  const device_tensor<double, dyn, 4, 4, 4> u(where, 1000);
  const auto told = explain<"qi,rj,sk,eqrs,ql,rm,sn,eijk->elmn">(where, B, B, B, D, B, B, B, u);
  check_table("device_explain_mass.txt", told);
  REQUIRE(told.device.launches.size() == 1);
  const explained_launch& x = told.device.launches[0];
  CHECK(x.kind == launch_kind::elements);
  CHECK(x.batch == 1000);
  CHECK(x.plan_steps == (1u << told.plan.step_count) - 1);
  CHECK(x.blocks == (1000 + x.at_once - 1) / x.at_once);
  CHECK(x.flops == told.plan.flops);
  CHECK(x.bytes == 8.0 * (20 + 1000 * (125 + 64 + 64)));
  CHECK(told.device.workspace_bytes == 0);
}

TEST_CASE("products, and sums that warps share, tell how they are cut") {
  testing::test_device machine;
  const device_queue where = on(machine);
  const device_tensor<float, dyn, dyn> A(where, 300, 400), B(where, 400, 500), C(where, 500, 60);
  device_tensor<float, dyn, dyn> Y(where, 300, 60);
  const auto chain = explain("ij,jk,kl->il", where, into(Y), A, B, C);
  check_table("device_explain_chain.txt", chain);
  CHECK(chain.device.launches.size() == 2);
  CHECK(chain.device.launches[1].kind == launch_kind::product);
  CHECK(chain.device.workspace_bytes == 4 * 400 * 60);

  const device_tensor<double, dyn> x(where, 1000000);
  const auto sum = explain<"i,i->">(where, x, x);
  check_table("device_explain_sum.txt", sum);
  CHECK(sum.device.launches[0].lanes == 32);
  CHECK(sum.device.launches[0].flops == 2e6);
}

TEST_CASE("a large contraction goes to the library of a device, and says so") {
  testing::test_device machine;
  machine.library = true;
  const device_queue where = on(machine);
  const device_tensor<double, dyn, dyn, dyn, dyn> A(where, 9, 8, 7, 6), B(where, 7, 6, 10, 11);
  device_tensor<double, dyn, dyn, dyn, dyn> C(where, 9, 8, 10, 11);
  const auto told = explain("abij,ijcd->abcd", where, into(C), A, B);
  if (machine.capabilities() == h100_capabilities)
    testing::check_golden("device_explain_library.txt", to_string(told));
  REQUIRE(told.device.launches.size() == 1);
  CHECK(told.device.launches[0].kind == launch_kind::library);
  CHECK(machine.multiplied.empty());

  einsum("abij,ijcd->abcd", where, into(C), A, B);
  REQUIRE(machine.multiplied.size() == 1);
  const library_product& p = machine.multiplied[0];
  CHECK(p.transposed);  // rows lie side by side
  CHECK(p.m == 10 * 11);
  CHECK(p.n == 9 * 8);
  CHECK(p.k == 7 * 6);
  CHECK(machine.compiled() == 0);
}

TEST_CASE("a fused kernel on a device tells its launches, maps and all") {
  using namespace operands;
  testing::test_device machine;
  const device_queue where = on(machine);
  const device_tensor<double, 5, 4> At(where);
  const device_tensor<double, dyn, 6, 5, 5, 5> M(where, 100);
  const device_tensor<double, dyn, 4, 4, 4> U(where, 100);
  device_tensor<double, dyn, 4, 4, 4> V(where, 100);
  const auto told = diffusion_kernel<false>().explain(where, v = V, u = U, B = At, G = At, D = M);
  check_table("device_explain_diffusion.txt", told);
  REQUIRE(told.device.launches.size() == 1);
  CHECK(told.device.launches[0].bytes == 8.0 * (2 * 20 + 100 * (6 * 125 + 64 + 64)));
}

TEST_CASE("what is wrong with a call on a device is told by explain, too") {
  testing::test_device machine;
  const device_queue where = on(machine);
  const device_tensor<double, dyn, dyn> A(where, 4, 5), B(where, 6, 7);
  CHECK(testing::thrown_by<shape_error>([&] { explain<"ij,jk->ik">(where, A, B); }) ==
        testing::thrown_by<shape_error>([&] { einsum<"ij,jk->ik">(where, A, B); }));
  device_tensor<double, dyn, dyn> C(where, 4, 5);
  CHECK(testing::thrown_by<subscript_error>([&] { explain("ij->iz", where, into(C), A); }) != "");
  CHECK(machine.compiled() == 0);
}

TEST_SUITE_END();

}  // namespace tenfold
