#include <tenfold/dsel/index_notation.hpp>
#include <tenfold/dsel/on_device.hpp>
#include <test_device.hpp>
#include <thrown.hpp>

#include <doctest/doctest.h>

#include <emulated_device.hpp>
#include <fuse_problems.hpp>

#include "second_call.hpp"

// Index notation with tensors in the memory of a device: the calls that it stands for.

namespace tenfold {
namespace {

struct batch_of_matrices {
  tensor<double, dyn, 3, 4> A{7};
  tensor<double, dyn, 4> u{7};
  tensor<double, dyn, 3> f{7}, y{7}, want{7};

  batch_of_matrices() {
    fill(A, 1);
    fill(u, 2);
    fill(f, 3);
    fill(y, 4);
  }
};

}  // namespace

TEST_SUITE_BEGIN("device");

TEST_CASE("statements on device tensors run where these lie") {
  using labels::e, labels::i, labels::j;
  testing::test_device machine;
  const auto where = on(machine);
  batch_of_matrices x;
  const auto A = copied(where, x.A);
  const auto u = copied(where, x.u);
  const auto f = copied(where, x.f);
  auto y = copied(where, x.y);
  const auto check = [&](double before, double product, double added) {
    for (index at = 0; at < 7; ++at) {
      for (index r = 0; r < 3; ++r) {
        double sum = 0;
        for (index c = 0; c < 4; ++c) sum += x.A(at, r, c) * x.u(at, c);
        x.want(at, r) = before * x.y(at, r) + product * sum + added * x.f(at, r);
      }
    }
    y.copy_to(x.y);
    CHECK(same(x.y, x.want));
  };
  y(e, i) = A(e, i, j) * u(e, j);
  check(0, 1, 0);
  y(e, i) -= 2 * A(e, i, j) * u(e, j);
  check(1, -2, 0);
  y(e, i) = A(e, i, j) * u(e, j) - f(e, i);
  check(0, 1, -1);
  y(e, i) += 2 * A(e, i, j) * u(e, j) + 3 * f(e, i);
  check(1, 2, 3);
}

TEST_CASE("a temporary device tensor lives as long as its statement, a view is copied into it") {
  using labels::e, labels::i, labels::j;
  testing::test_device machine;
  const auto where = on(machine);
  batch_of_matrices x;
  const auto A = copied(where, x.A);
  const auto u = copied(where, x.u);
  auto y = copied(where, x.y);
  y(e, i) = A(e, i, j) * u(e, j);
  y.copy_to(x.want);
  y(e, i) = copied(where, x.A)(e, i, j) * u(e, j);
  y.copy_to(x.y);
  CHECK(same(x.y, x.want));
  static_assert(indexing::of_temporary<decltype(copied(where, x.A)(e, i, j).node)>);
  const auto kept = [&] {
    const auto v = u.view_of();
    return A(e, i, j) * indexed(v)(e, j);
  }();
  y(e, i) = kept;
  y.copy_to(x.y);
  CHECK(same(x.y, x.want));
}

TEST_CASE("a statement on device tensors that is wrong leaves them as they were") {
  using labels::e, labels::i, labels::j;
  testing::test_device machine;
  const auto where = on(machine);
  batch_of_matrices x;
  const auto A = copied(where, x.A);
  const device_tensor<double, dyn, 4> short_one(where, 6);
  auto y = copied(where, x.y);
  CHECK(testing::thrown_by<shape_error>([&] { y(e, i) = A(e, i, j) * short_one(e, j); }) != "");
  CHECK(testing::thrown_by<shape_error>(
            [&] { y(e, i) = 2 * A(e, i, j) * short_one(e, j) + 3 * y(e, i); }) != "");
  CHECK(machine.compiled() == 0);
}

TEST_SUITE_END();

TEST_CASE("a statement on device tensors like one before only launches") {
  if (!testing::has_compiler()) return;
  using labels::e, labels::i, labels::j;
  testing::counting_gpu gpu;
  const auto where = gpu.where();
  const device_tensor<double, dyn, 3, 4> A(where, 7);
  const device_tensor<double, dyn, 4> u(where, 7);
  const device_tensor<double, dyn, 3> f(where, 7);
  device_tensor<double, dyn, 3> y(where, 7);
  testing::check_captured(gpu, [&] { y(e, i) = A(e, i, j) * u(e, j) - f(e, i); });
  testing::check_captured(gpu, [&] { y(e, i) += 2 * A(e, i, j) * u(e, j) + 3 * f(e, i); });
}

TEST_CASE("a statement with a tensor of another device is an error, and leaves all as it was") {
  using labels::e, labels::i, labels::j;
  emulation::emulated_device here, other;
  batch_of_matrices x;
  const auto A = copied(on(here), x.A);
  const auto u = copied(on(other), x.u);
  auto y = copied(on(here), x.y);
  const std::string elsewhere =
      ": operand 1 lies in the memory of another device (an emulation) than that of the call (an "
      "emulation)";
  CHECK(testing::thrown_by<backend_error>([&] { y(e, i) = A(e, i, j) * u(e, j); }) ==
        "tenfold: \"eij,ej->ei\"" + elsewhere);
  // The second term of several, before the first is written.
  CHECK(testing::thrown_by<backend_error>([&] {
          y(e, i) = 2 * y(e, i) + 3 * copied(on(other), x.f)(e, i);
        }) == "tenfold: \"ei+ei->ei\"" + elsewhere);
  // A slice lies where the whole does, conjugated or not.
  const auto A_elsewhere = copied(on(other), x.A);
  const auto f = copied(on(here), x.f);
  for (const bool conjugates : {false, true}) {
    CHECK(testing::thrown_by<backend_error>([&] {
            if (conjugates)
              y(e, i) = f(e, i) * conj(A_elsewhere(2, i, 1));
            else
              y(e, i) = f(e, i) * A_elsewhere(2, i, 1);
          }) == "tenfold: \"ei,i->ei\"" + elsewhere);
  }
  CHECK(here.compiled() == 0);
}

}  // namespace tenfold
