#include <tenfold/dsel/on_device.hpp>
#include <test_device.hpp>
#include <thrown.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <emulated_device.hpp>
#include <fuse_problems.hpp>
#include <tenfold/dsel/explain_on_device.hpp>
#include <tenfold/tensor/conjugated.hpp>

// What people write, with tensors in the memory of a device.

namespace tenfold {
namespace {

struct three_matrices {
  tensor<double, 4, 5> A;
  tensor<double, dyn, dyn> B{5, 6};
  tensor<double, 4, 6> want, got;

  three_matrices() {
    fill(A, 1);
    fill(B, 2);
    for (index i = 0; i < 4; ++i) {
      for (index k = 0; k < 6; ++k) {
        want(i, k) = 0;
        for (index j = 0; j < 5; ++j) want(i, k) += A(i, j) * B(j, k);
      }
    }
  }
};

}  // namespace

TEST_SUITE_BEGIN("device");

TEST_CASE("a literal on a device gives a device_tensor, static extents staying static") {
  testing::test_device machine;
  const auto where = on(machine);
  three_matrices x;
  const auto A = copied(where, x.A);
  const auto B = copied(where, x.B);
  static_assert(std::is_same_v<decltype(A), const device_tensor<double, 4, 5>>);
  auto C = einsum<"ij,jk->ik">(where, A, B);
  static_assert(std::is_same_v<decltype(C), device_tensor<double, 4, dyn>>);
  C.copy_to(x.got);
  CHECK(same(x.got, x.want));
  // Again: nothing is compiled.
  const int compiled = machine.compiled();
  einsum<"ij,jk->ik">(where, A, B).copy_to(x.got);
  CHECK(machine.compiled() == compiled);
}

TEST_CASE("a literal and a string write into a device_tensor, with alpha and beta") {
  testing::test_device machine;
  const auto where = on(machine);
  three_matrices x;
  const auto A = copied(where, x.A);
  const auto B = copied(where, x.B);
  device_tensor<double, 4, 6> C(where);
  einsum<"ij,jk->ik">(where, into(C), A, B);
  C.copy_to(x.got);
  CHECK(same(x.got, x.want));
  einsum<"ij,jk->ik">(where, into(C), A, B, alpha(2), beta(-1));
  C.copy_to(x.got);
  CHECK(same(x.got, x.want));
  einsum("ij,jk->ik", where, into(C), A, B, beta(-1), alpha(2));
  C.copy_to(x.got);
  CHECK(same(x.got, x.want));
}

TEST_CASE("a copy of an operand is read conjugated where that is asked of the copy") {
  testing::test_device machine;
  const auto where = on(machine);
  using complex = std::complex<double>;
  tensor<complex, dyn, 3> A(4);
  tensor<complex, 3, 2> B;
  tensor<complex, dyn, 2> want(4), got(4);
  for (index n = 0; n < A.size(); ++n) A.data()[n] = {1.0 + static_cast<double>(n), 2};
  for (index n = 0; n < B.size(); ++n) B.data()[n] = {3, static_cast<double>(n) - 2};
  einsum<"ij,jk->ik">(into(want), conj(A), B);
  einsum<"ij,jk->ik">(where, conj(copied(where, A)), copied(where, B)).copy_to(got);
  for (index n = 0; n < want.size(); ++n) CHECK(got.data()[n] == want.data()[n]);
}

TEST_CASE("what is wrong with a call on a device is told as on the host, before anything runs") {
  testing::test_device machine;
  const auto where = on(machine);
  device_tensor<double, dyn, dyn> A(where, 4, 5), B(where, 6, 7), C(where, 4, 7);
  using testing::thrown_by;
  CHECK(thrown_by<shape_error>([&] { einsum<"ij,jk->ik">(where, into(C), A, B); }) ==
        thrown_by<shape_error>([&] {
          tensor<double, dyn, dyn> a(4, 5), b(6, 7), c(4, 7);
          einsum<"ij,jk->ik">(into(c), a, b);
        }));
  CHECK(thrown_by<shape_error>([&] { einsum("ij,jk->ik", where, into(C), A, B); }) != "");
  CHECK(thrown_by<overlap_error>([&] { einsum("ij->ij", where, into(A), A); }) != "");
  CHECK(thrown_by<subscript_error>([&] { einsum("ij->ik", where, into(C), A); }) != "");
  CHECK(machine.compiled() == 0);
}

TEST_SUITE_END();

TEST_CASE("a tensor of another device is an error that names it and the devices") {
  emulation::emulated_device here, other;
  const auto where = on(here);
  const device_tensor<double, 4, 4> A(where), far(on(other));
  device_tensor<double, 4, 4> C(where), far_C(on(other));
  const auto told = [](const auto& call) { return testing::thrown_by<backend_error>(call); };
  const std::string elsewhere =
      " lies in the memory of another device (an emulation) than that of the call (an emulation)";
  const std::string operand_1 = "tenfold: \"ij,jk->ik\": operand 1" + elsewhere,
                    output = "tenfold: \"ij,jk->ik\": the output" + elsewhere;
  CHECK(told([&] { einsum<"ij,jk->ik">(where, A, far); }) == operand_1);
  CHECK(told([&] { einsum<"ij,jk->ik">(where, A, conj(far)); }) == operand_1);
  CHECK(told([&] { einsum<"ij,jk->ik">(where, into(C), A, far, alpha(2)); }) == operand_1);
  CHECK(told([&] { einsum<"ij,jk->ik">(where, into(far_C), A, A); }) == output);
  CHECK(told([&] { einsum("ij,jk->ik", where, into(C), A, far, beta(1)); }) == operand_1);
  CHECK(told([&] { einsum("ij,jk->ik", where, into(far_C), A, A); }) == output);
  CHECK(told([&] { explain<"ij,jk->ik">(where, A, far); }) == operand_1);
  CHECK(told([&] { explain<"ij,jk->ik">(where, into(far_C), A, A); }) == output);
  CHECK(told([&] { explain("ij,jk->ik", where, into(C), A, far); }) == operand_1);
  CHECK(told([&] { explain("ij,jk->ik", where, into(far_C), A, A); }) == output);
  CHECK(here.compiled() == 0);
  // A view does not know.
  CHECK_NOTHROW(einsum<"ij,jk->ik">(where, into(C), A, far.view_of()));
}

TEST_CASE("a tensor of another device in a fused kernel is an error that names it") {
  using labels::e, labels::i, labels::j;
  constexpr input<"u"> u;
  constexpr input<"A"> A;
  constexpr output<"v"> v;
  constexpr auto kernel = fuse(e)(v(e, i) = A(i, j) * u(e, j));
  emulation::emulated_device here, other;
  const auto where = on(here);
  const device_tensor<double, 4, 4> table(where), far_table(on(other));
  const device_tensor<double, dyn, 4> U(where, 9);
  device_tensor<double, dyn, 4> V(where, 9), far_V(on(other), 9);
  const auto told = [](const auto& call) { return testing::thrown_by<backend_error>(call); };
  const auto sentence = [](const char* what) {
    return std::string("tenfold: \"v(e,i) = A(i,j) * u(e,j)\": ") + what +
           " lies in the memory of another device (an emulation) than that of the call (an "
           "emulation)";
  };
  CHECK(told([&] { kernel(where, v = V, u = U, A = far_table); }) == sentence("'A' at position 9"));
  CHECK(told([&] { kernel(where, v = V, u = U, A = reflection_symmetric(far_table)); }) ==
        sentence("'A' at position 9"));
  CHECK(told([&] { kernel(where, v = far_V, u = U, A = table); }) == sentence("'v' at position 0"));
  CHECK(told([&] { kernel.explain(where, v = V, u = U, A = far_table); }) ==
        sentence("'A' at position 9"));
  CHECK(here.compiled() == 0);
}

TEST_CASE("on(device::emulated) is a place where calls run") {
  const auto where = on(device::emulated);
  three_matrices x;
  einsum<"ij,jk->ik">(where, copied(where, x.A), copied(where, x.B)).copy_to(x.got);
  CHECK(same(x.got, x.want));
  CHECK(on(device::emulated).machine == where.machine);
}

}  // namespace tenfold
