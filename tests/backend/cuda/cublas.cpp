#include <tenfold/backend/cuda/cublas.hpp>

#include <doctest/doctest.h>

#include <copy_there.hpp>
#include <memory>
#include <tenfold/backend/cuda/gpu.hpp>
#include <tenfold/backend/cuda/program.hpp>
#include <thrown.hpp>
#include <tuple>
#include <vector>

#include "fake_gpu.hpp"
#include "idle_machine.hpp"
#include "wrong_products.hpp"

// Large products by a cuBLAS that multiplies by plain loops, on a GPU that runs nothing.

namespace tenfold::testing {
namespace {

std::unique_ptr<cuda::gpu> gpu_with(std::span<const char* const> libraries = fake_cublas) {
  fake_state() = {};
  cublas_state() = {};
  cublas_state().contexts = &fake_state().contexts;
  return std::make_unique<cuda::gpu>(0, cuda::image_cache(""), fake_driver(), libraries);
}

gemm_shape order(index n) {
  gemm_shape s{scalar::f64, n, n, n, {}, {}, {}};
  for (matrix_batch* const x : {&s.a, &s.b, &s.c}) {
    x->row = n;
    x->column = 1;
  }
  return s;
}

/// The storage of operand `bit` of a case.
storage storage_of(unsigned by_column, int bit, const storage& like) {
  storage x = like;
  x.by_column = (by_column >> bit & 1) != 0;
  return x;
}

/// All orders of the three operands, which lie like these; of complex ones also each conjugate that
/// the library has an operation for. The products that are wrong or did not come to the library.
template <class T>
index wrong_in_all_orders(cuda::gpu& gpu, const storage& a, const storage& b, const storage& c,
                          index m, index n, index k) {
  generator g(1);
  const T factors[] = {T(1), number<T>(0.75, -0.5), T(-1)}, before[] = {T(0), T(1), T(-2)};
  index wrong = 0;
  std::size_t call = 0;
  for (unsigned by_column = 0; by_column < 8; ++by_column) {
    for (unsigned conjugated = 0; conjugated < (is_complex_type<T> ? 4 : 1); ++conjugated) {
      const auto is = [&](int bit) { return (by_column >> bit & 1) != 0; };
      const bool conjugate_a = (conjugated & 1) != 0, conjugate_b = (conjugated & 2) != 0;
      if ((conjugate_a && is(0) == is(2)) || (conjugate_b && is(1) == is(2))) continue;
      product<T> p(m, n, k, 2, storage_of(by_column, 0, a), storage_of(by_column, 1, b),
                   storage_of(by_column, 2, c), entries_kind::exact, g, {}, false);
      p.shape.a.conjugated = conjugate_a;
      p.shape.b.conjugated = conjugate_b;
      p.arguments.alpha = factors[call % 3];
      p.arguments.beta = before[call / 3 % 3];
      wrong += wrong_products(gpu, p);
      ++call;
      wrong += cublas_state().products.size() != call;
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("large products go to cuBLAS in every order of their matrices, and are right") {
  if (!has_compiler()) return;
  for_each_scalar([&](auto t) {
    using T = decltype(t);
    const storage close, apart{.gap = 5}, shared{.shared = true};
    for (const auto& [a, b, c] :
         {std::tuple{apart, shared, close}, std::tuple{shared, close, apart}}) {
      const auto gpu = gpu_with();
      CHECK(wrong_in_all_orders<T>(*gpu, a, b, c, 64, 67, 33) == 0);
      CHECK(fake_state().launches.empty());
    }
  });
}

TEST_CASE("large matrices at addresses go to cuBLAS as lists") {
  if (!has_compiler()) return;
  const storage close{.layout = batch_layout::pointers},
      apart{.layout = batch_layout::pointers, .gap = 3};
  auto gpu = gpu_with();
  CHECK(wrong_in_all_orders<double>(*gpu, close, apart, close, 64, 70, 33) == 0);
  CHECK(cublas_state().products[0].function == "DgemmBatched");
  gpu = gpu_with();
  CHECK(wrong_in_all_orders<float>(*gpu, apart, close, apart, 70, 64, 33) == 0);
  CHECK(cublas_state().products[0].function == "SgemmBatched");
}

TEST_CASE("cuBLAS is opened once, by the first large product, and has a workspace on each stream") {
  if (!has_compiler()) return;
  auto gpu = gpu_with();
  const index entries = 5 * 64 * 64;
  {
    const copy_there<double> a(*gpu, random_entries<double>(entries, 1)),
        b(*gpu, random_entries<double>(entries, 2)), c(*gpu, random_entries<double>(entries, 3));
    const auto multiply = [&](const gemm_shape& s, void* stream) {
      const index n = s.n * s.n;
      cuda::gemm(*gpu, s, gemm_arguments<double>{{a.data(), n}, {b.data(), n}, {c.data(), n}, 5},
                 stream);
    };
    multiply(order(8), nullptr);
    CHECK(cublas_state().made == 0);
    CHECK(fake_state().launches.size() == 1);

    int first = 0, second = 0;
    for (void* const stream : {&first, &second, &first}) multiply(order(64), stream);
    CHECK(fake_state().launches.size() == 1);
    CHECK(fake_state().contexts == 0);
    CHECK(cublas_state().made == 1);
    CHECK(cublas_state().workspace_bytes == 32u << 20);
    const auto& products = cublas_state().products;
    REQUIRE(products.size() == 3);
    CHECK(products[0].stream == &first);
    CHECK(products[1].stream == &second);
    CHECK(products[0].workspace == products[2].workspace);
    CHECK(products[0].workspace != products[1].workspace);
    CHECK(products[0].step_a == 64 * 64);
    CHECK(products[0].count == 5);
    CHECK(fake_state().allocations == 3 + 2);
  }
  gpu.reset();
  CHECK(cublas_state().handles == 0);
  CHECK(fake_state().allocations == 0);
  CHECK(fake_state().retained == 0);
}

TEST_CASE("where cuBLAS is missing, or has no handle, large products run all the same") {
  if (!has_compiler()) return;
  const char* const none[] = {"libtenfold_no_cublas.so"};
  const gemm_arguments<double> g{{nullptr, 64 * 64}, {nullptr, 64 * 64}, {nullptr, 64 * 64}, 5};
  auto gpu = gpu_with(none);
  CHECK(!gpu->has_library());
  cuda::gemm(*gpu, order(64), g);
  CHECK(fake_state().launches.size() == 1);

  gpu = gpu_with();
  cublas_state().refused_handles = 1;
  for (int call = 0; call < 2; ++call) cuda::gemm(*gpu, order(64), g);
  CHECK(fake_state().launches.size() == 2);
  CHECK(cublas_state().made == 0);
}

TEST_CASE("a product that cuBLAS refuses is an error that says so") {
  if (!has_compiler()) return;
  const auto gpu = gpu_with();
  cublas_state().refused_products = 1;
  const gemm_arguments<double> g{{nullptr, 64 * 64}, {nullptr, 64 * 64}, {nullptr, 64 * 64}, 5};
  CHECK(thrown_by<backend_error>([&] { cuda::gemm(*gpu, order(64), g); }) ==
        "tenfold: cublas?gemmStridedBatched failed: the GPU program failed to execute");
  CHECK(fake_state().contexts == 0);
}

TEST_CASE("what the library may not be asked for runs by our device kernel") {
  idle_machine on;
  on.library = true;
  const auto asks = [&](const gemm_shape& s, const gemm_arguments<double>& g) {
    on.multiplied.clear();
    on.launched.clear();
    cuda::gemm(on, s, g);
    CHECK(on.multiplied.empty() == !on.launched.empty());
    return !on.multiplied.empty();
  };
  const gemm_arguments<double> lies{{nullptr, 4096}, {nullptr, 4096}, {nullptr, 4096}, 5};
  REQUIRE(asks(order(64), lies));
  gemm_arguments<double> g = lies;
  g.alpha = 0;
  CHECK(!asks(order(64), g));
  g = lies;
  g.b.problem = -4096;
  CHECK(!asks(order(64), g));
  gemm_shape shared = order(64);
  shared.b.shared = true;
  CHECK(asks(shared, g));
  CHECK(on.multiplied[0].second.a.problem == 0);  // B^T is the first factor
  CHECK(on.multiplied[0].second.b.problem == 4096);
  g = lies;
  g.a.data = reinterpret_cast<const void*>(4);
  CHECK(!asks(order(64), g));
}

TEST_CASE("a launch by cuBLAS says so, and one that is not for want of it") {
  device_phase phase;
  phase.product.emplace();
  phase.product->shape = order(512);
  phase.product->count = 10;
  const explained_launch by_library =
      explain_launch(phase, scalar::f64, h100_capabilities, {}, true);
  CHECK(by_library.kind == launch_kind::library);
  CHECK(by_library.reason == "by cuBLAS: its matrices are large, and lie as it takes them");
  CHECK(by_library.flops == 10 * 2.0 * 512 * 512 * 512);
  const explained_launch without = explain_launch(phase, scalar::f64, h100_capabilities);
  CHECK(without.kind == launch_kind::product);
  CHECK(without.reason.ends_with(", and cuBLAS is missing"));
  CHECK(without.flops == by_library.flops);
  CHECK(without.arithmetic_seconds >= 2 * by_library.arithmetic_seconds);
}

}  // namespace tenfold::testing
