#include <tenfold/backend/cuda/cublas.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <copy_there.hpp>
#include <emulated_device.hpp>
#include <memory>
#include <span>
#include <string>
#include <tenfold/backend/cuda/gpu.hpp>
#include <tenfold/backend/cuda/program.hpp>
#include <thrown.hpp>
#include <tuple>
#include <vector>

#include "fake_gpu.hpp"
#include <idle_machine.hpp>
#include "large_groups.hpp"
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

gemm_shape square(index n) {
  gemm_shape s{scalar::f64, n, n, n, {}, {}, {}};
  for (matrix_batch* const x : {&s.a, &s.b, &s.c}) {
    x->row = n;
    x->column = 1;
  }
  return s;
}

/// An emulated device that has a cuBLAS.
class device_with_cublas final : public emulation::emulated_device {
 public:
  explicit device_with_cublas(std::span<const char* const> libraries)
      : cublas_((cublas_state(libraries) = {}, *this), libraries) {}

  void launch(cuda::device_function f, const cuda::device_launch& how, void** arguments) override {
    ++launches;
    emulated_device::launch(f, how, arguments);
  }
  bool has_library() override { return true; }
  void multiply(std::span<const library_call> calls, void* stream) override {
    cublas_.multiply(calls, stream);
  }

  int launches = 0;

 private:
  cuda::cublas cublas_;
};

/// What was asked of cuBLAS: for each call its function and the sizes of its groups.
std::vector<std::string> calls_of(const fake_cublas_state& state) {
  std::vector<std::string> all;
  int last = 0;
  for (const fake_product& p : state.products) {
    if (p.call != last) all.push_back(p.function);
    last = p.call;
    all.back() += ' ' + std::to_string(p.count);
  }
  return all;
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

TEST_CASE("large groups that are neighbours go to cuBLAS in one call") {
  device_with_cublas machine(fake_cublas);
  const auto check = [&](auto t, const std::string& letter) {
    for (const order layout : {order::row_major, order::column_major}) {
      cublas_state().products.clear();
      machine.launches = 0;
      int stream = 0;
      CHECK(large_groups<decltype(t)>(layout).is_right(machine, &stream));
      CHECK(calls_of(cublas_state()) ==
            std::vector<std::string>{letter + "gemmGroupedBatched 2 3 1", letter + "gemmBatched 2",
                                     letter + "gemmGroupedBatched 1 2"});
      CHECK(machine.launches == 2);
      for (const fake_product& p : cublas_state().products) CHECK(p.stream == &stream);
    }
  };
  check(float{}, "S");
  check(double{}, "D");
}

TEST_CASE("large groups go to a cuBLAS before CUDA 12.5 one by one") {
  device_with_cublas machine(old_fake_cublas);
  CHECK(large_groups<double>(order::row_major).is_right(machine));
  std::vector<std::string> each;
  for (const char* const count : {"2", "3", "1", "2", "1", "2"})
    each.push_back(std::string("DgemmBatched ") + count);
  CHECK(calls_of(cublas_state(old_fake_cublas)) == each);
}

TEST_CASE("groups go to cuBLAS together only where addresses go on, and are real") {
  idle_machine on;
  on.library = true;
  const double* list[8] = {};
  const auto call = [&](index first_b) {
    gemm_shape s = square(64);
    for (matrix_batch* const x : {&s.a, &s.b, &s.c}) x->layout = batch_layout::pointers;
    return cuda::gemm_call<double>{s, {{list}, {list + first_b}, {list}, 2}};
  };
  cuda::gemm_call<double> next = call(2);
  next.arguments.a.data = next.arguments.c.data = list + 2;
  const auto together = [&](const cuda::gemm_call<double>& last) {
    on.asked = 0;
    const cuda::gemm_call<double> both[] = {last, next};
    cuda::gemm(on, std::span<const cuda::gemm_call<double>>(both));
    return on.asked == 1;
  };
  CHECK(together(call(0)));
  CHECK(!together(call(1)));

  const std::complex<double>* others[8] = {};
  const gemm_group<std::complex<double>> group{op::none, op::none, 64, 64, 64, 1, 64, 64, 0, 64, 2};
  const gemm_group<std::complex<double>> groups[] = {group, group};
  on.asked = 0;
  gemm(tenfold::on(on), order::row_major, groups, 2, others, others,
       const_cast<std::complex<double>* const*>(others));
  CHECK(on.asked == 0);
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
    multiply(square(8), nullptr);
    CHECK(cublas_state().made == 0);
    CHECK(fake_state().launches.size() == 1);

    int first = 0, second = 0;
    for (void* const stream : {&first, &second, &first}) multiply(square(64), stream);
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
  cuda::gemm(*gpu, square(64), g);
  CHECK(fake_state().launches.size() == 1);

  gpu = gpu_with();
  cublas_state().refused_handles = 1;
  for (int call = 0; call < 2; ++call) cuda::gemm(*gpu, square(64), g);
  CHECK(fake_state().launches.size() == 2);
  CHECK(cublas_state().made == 0);
}

TEST_CASE("a product that cuBLAS refuses is an error that says so") {
  if (!has_compiler()) return;
  const auto gpu = gpu_with();
  cublas_state().refused_products = 1;
  const gemm_arguments<double> g{{nullptr, 64 * 64}, {nullptr, 64 * 64}, {nullptr, 64 * 64}, 5};
  CHECK(thrown_by<backend_error>([&] { cuda::gemm(*gpu, square(64), g); }) ==
        "tenfold: cublas?gemmStridedBatched failed: the GPU program failed to execute");
  device_with_cublas machine(fake_cublas);
  cublas_state().refused_products = 1;
  CHECK(thrown_by<backend_error>([&] {
          large_groups<float>(order::row_major).is_right(machine);
        }) == "tenfold: cublas?gemmGroupedBatched failed: the GPU program failed to execute");
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
  REQUIRE(asks(square(64), lies));
  gemm_arguments<double> g = lies;
  g.alpha = 0;
  CHECK(!asks(square(64), g));
  g = lies;
  g.b.problem = -4096;
  CHECK(!asks(square(64), g));
  gemm_shape shared = square(64);
  shared.b.shared = true;
  CHECK(asks(shared, g));
  CHECK(on.multiplied[0].arguments.a.problem == 0);  // B^T is the first factor
  CHECK(on.multiplied[0].arguments.b.problem == 4096);
  g = lies;
  g.a.data = reinterpret_cast<const void*>(4);
  CHECK(!asks(square(64), g));
}

TEST_CASE("a launch by cuBLAS says so, and one that is not for want of it") {
  device_phase phase;
  phase.product.emplace();
  phase.product->shape = square(512);
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

TEST_CASE("where the newest cuBLAS cannot be used an older one is") {
  if (!has_compiler()) return;
  // A library that loads, and has nothing that is asked of it.
  const char* const names[] = {TENFOLD_FAKE_DRIVER, TENFOLD_FAKE_CUBLAS};
  CHECK(gpu_with(names)->has_library());
  CHECK_FALSE(gpu_with(std::span(names).first(1))->has_library());
}

}  // namespace tenfold::testing
