#include <copy_there.hpp>
#include <cstdint>
#include <tenfold/backend/cuda/device_map.hpp>
#include <tenfold/backend/device_batched_blas.hpp>
#include <tenfold/dsel/explain_on_device.hpp>
#include <tenfold/tensor/gathered.hpp>
#include <tenfold/tensor/pointers.hpp>
#include <tenfold/tensor/reflection.hpp>
#include <vector>

#include <doctest/doctest.h>

#include <fuse_problems.hpp>

#include "second_call.hpp"

// Calls like one before, which a CUDA graph may capture: nothing is allocated, nobody waits, and
// the host is not read when the graph is replayed.

namespace tenfold {
namespace {

using testing::check_captured, testing::counting_gpu;

/// Numbers of entries in 0..size-1, by problem.
std::vector<std::int32_t> numbers_of(index count, index size) {
  std::vector<std::int32_t> numbers;
  for (index i = 0; i < count; ++i) numbers.push_back(static_cast<std::int32_t>(i * 7 % size));
  return numbers;
}

}  // namespace

TEST_CASE("a batched product like one before only launches") {
  if (!testing::has_compiler()) return;
  counting_gpu gpu;
  const device_queue where = gpu.where();
  const device_tensor<double, dyn, 4, 4> A(where, 30), B(where, 30);
  device_tensor<double, dyn, 4, 4> C(where, 30);
  check_captured(gpu, [&] { gemm(where, 2.0, A, B, 3.0, C); });
  check_captured(gpu, [&] {
    gemm<double>(where, order::column_major, op::transpose, op::none, 3, 2, 4, 1, A.data(), 4, 16,
                 B.data(), 4, 16, 0, C.data(), 3, 16, 30);
  });
  const device_tensor<double, dyn, 64, 64> large_a(where, 2), large_b(where, 2);
  device_tensor<double, dyn, 64, 64> large_c(where, 2);
  check_captured(gpu, [&] { gemm(where, 1.0, large_a, large_b, 0.0, large_c); });
  CHECK(testing::cublas_state().calls == 2);
}

TEST_CASE("lists of addresses, groups and variable batches like those before only launch") {
  if (!testing::has_compiler()) return;
  counting_gpu gpu;
  const device_queue where = gpu.where();
  cuda::device_machine& machine = *where.machine;
  const device_tensor<double, dyn, 64, 64> A(where, 6), B(where, 6);
  device_tensor<double, dyn, 64, 64> C(where, 6);
  std::vector<const double*> list_a, list_b;
  std::vector<double*> list_c;
  std::vector<gemm_problem<double>> list;
  for (index i = 0; i < 6; ++i) {
    list_a.push_back(A.data() + i * 4096);
    list_b.push_back(B.data() + i * 4096);
    list_c.push_back(C.data() + i * 4096);
    gemm_problem<double> p{.m = i, .n = 3, .k = 5};
    p.a = list_a.back();
    p.b = list_b.back();
    p.c = list_c.back();
    p.lda = p.ldb = p.ldc = 64;
    list.push_back(p);
  }
  const testing::copy_there<const double*> a(machine, list_a), b(machine, list_b);
  const testing::copy_there<double*> c(machine, list_c);
  const testing::copy_there<gemm_problem<double>> problems(machine, list);
  const testing::copy_there<int> codes(machine, std::vector<int>(6));
  check_captured(gpu, [&] {
    gemm<double>(where, order::row_major, op::none, op::none, 3, 4, 5, 1, a.data(), 64, b.data(),
                 64, 0, c.data(), 64, 6);
  });
  check_captured(gpu, [&] {
    gemm(where, 1.0, in_memory_of<device::cuda>(pointers<const double, 64, 8>(a.data(), 6)),
         in_memory_of<device::cuda>(pointers<const double, 8, 8>(b.data(), 6)), 1.0,
         in_memory_of<device::cuda>(pointers<double, 64, 8>(c.data(), 6)));
  });
  // A small one, and two that go to cuBLAS together.
  const gemm_group<double> groups[] = {{op::none, op::none, 3, 4, 5, 1, 64, 64, 0, 64, 2},
                                       {op::none, op::none, 64, 64, 64, 1, 64, 64, 0, 64, 2},
                                       {op::none, op::transpose, 64, 64, 32, 1, 64, 64, 0, 64, 2}};
  check_captured(gpu,
                 [&] { gemm(where, order::row_major, groups, 3, a.data(), b.data(), c.data()); });
  CHECK(testing::cublas_state().calls == 2);
  check_captured(
      gpu, [&] { gemm(where, order::row_major, problems.data(), 6, codes.data(), index{8}); });
}

TEST_CASE("products that are added through a map only launch, unless beta is neither 0 nor 1") {
  if (!testing::has_compiler()) return;
  counting_gpu gpu;
  const device_queue where = gpu.where();
  const device_tensor<double, dyn, 3, 3> A(where, 30), B(where, 30);
  device_tensor<double, dyn> y(where, 50);
  const auto numbers = numbers_of(30 * 9, 50);
  const device_map<std::int32_t> map(where, {numbers.data(), 30, 9, 50});
  const auto add = [&](double beta) {
    return [&, beta] {
      gemm(where, 1.0, A, B, beta,
           in_memory_of<device::cuda>(gathered<double, 3, 3>(y.data(), map.there())));
    };
  };
  check_captured(gpu, add(0));
  check_captured(gpu, add(1));
  const testing::fake_calls more = gpu.second_call(add(2));
  CHECK(more.allocations > 0);
  CHECK(more.frees == more.allocations);
  CHECK(more.copies_in == 0);
  CHECK(more.copies_out == 0);
}

TEST_CASE("an expression like one before only launches, with memory that it has kept") {
  if (!testing::has_compiler()) return;
  counting_gpu gpu;
  const device_queue where = gpu.where();
  const device_tensor<double, dyn, dyn> A(where, 300, 400), B(where, 400, 500), C(where, 500, 60);
  device_tensor<double, dyn, dyn> Y(where, 300, 60);
  CHECK(explain<"ij,jk,kl->il">(where, into(Y), A, B, C).device.workspace_bytes > 0);
  check_captured(gpu, [&] { einsum<"ij,jk,kl->il">(where, into(Y), A, B, C); });
  check_captured(gpu, [&] { einsum("ij,jk,kl->il", where, into(Y), A, B, C, alpha(2), beta(1)); });
  // By value it allocates the result, and nothing else.
  const testing::fake_calls more = gpu.second_call([&] { einsum<"ij,jk,kl->il">(where, A, B, C); });
  CHECK(more == testing::fake_calls{.allocations = 1, .frees = 1});
}

TEST_CASE("a fused kernel like one before only launches and copies within the device") {
  if (!testing::has_compiler()) return;
  using labels::e, labels::q, labels::r, labels::i, labels::j;
  constexpr input<"u"> u;
  constexpr input<"A"> A;
  constexpr output<"v"> v;
  constexpr auto kernel = fuse(e)(v(e, q, r) = A(q, i) * A(r, j) * u(e, i, j));
  counting_gpu gpu;
  const device_queue where = gpu.where();
  const device_tensor<double, 6, 6> table(where);
  const device_tensor<double, dyn, 6, 6> U(where, 10);
  device_tensor<double, dyn, 6, 6> V(where, 10);
  // Halves are made by a launch, other tables copied.
  check_captured(gpu, [&] { kernel(where, v = V, u = U, A = reflection_symmetric(table)); });
  CHECK(testing::fake_state().copies_within == 0);
  check_captured(gpu, [&] { kernel(where, v = V, u = U, A = table); });
  CHECK(testing::fake_state().copies_within == 2);
}

TEST_CASE("a fused kernel with maps like one before only launches") {
  if (!testing::has_compiler()) return;
  using labels::e, labels::i, labels::j;
  constexpr input<"u"> u;
  constexpr input<"A"> A;
  constexpr output<"v"> v;
  counting_gpu gpu;
  const device_queue where = gpu.where();
  const auto numbers = numbers_of(20 * 3, 30);
  const device_map<std::int32_t> map(where, {numbers.data(), 20, 3, 30});
  const device_tensor<double, dyn> from(where, 30);
  device_tensor<double, dyn> to(where, 30);
  const device_tensor<double, 3, 3> table(where);
  const auto U = in_memory_of<device::cuda>(gathered<const double, 3>(from.data(), map.there()));
  const auto V = in_memory_of<device::cuda>(gathered<double, 3>(to.data(), map.there()));
  check_captured(gpu,
                 [&] { fuse(e)(v(e, i) = A(i, j) * u(e, j))(where, v = V, u = U, A = table); });
  check_captured(gpu,
                 [&] { fuse(e)(v(e, i) += A(i, j) * u(e, j))(where, v = V, u = U, A = table); });
}

}  // namespace tenfold
