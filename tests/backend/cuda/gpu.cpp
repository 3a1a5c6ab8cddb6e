#include <tenfold/backend/cuda/gpu.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <batches.hpp>
#include <copy_there.hpp>
#include <cstdio>
#include <fstream>
#include <memory>
#include <shapes.hpp>
#include <sstream>
#include <temporary.hpp>
#include <tenfold/backend/cuda/device_tensor.hpp>
#include <tenfold/backend/cuda/device_tunings.hpp>
#include <tenfold/backend/cuda/gemm.hpp>
#include <tenfold/backend/cuda/gemm_text.hpp>
#include <tenfold/backend/interface/select/device_products.hpp>
#include <tenfold/tensor/error.hpp>
#include <thread>
#include <thrown.hpp>
#include <vector>

#include "fake_gpu.hpp"
#include "large_groups.hpp"

// A GPU, where there is one.

namespace tenfold::testing {
namespace {

/// The first GPU, or nothing; then the test that asks says that it is skipped.
cuda::gpu* first_gpu(bool is_needed = true) {
  static std::string missing;
  static const auto found = []() -> std::unique_ptr<cuda::gpu> {
    try {
      return std::make_unique<cuda::gpu>();
    } catch (const backend_error& e) {
      missing = e.what();
      return nullptr;
    }
  }();
  if (found == nullptr && is_needed) MESSAGE("skipped: ", missing);
  return found.get();
}

/// The entries of a product of random matrices, row by row or in blocks of lanes, that are wrong.
template <class T>
index wrong_entries(cuda::device_machine& on, index m, index n, index k, index count, index block,
                    T beta) {
  gemm_shape s = rows(scalar_of<T>, m, n, k);
  for (matrix_batch* const x : {&s.a, &s.b, &s.c}) {
    x->layout = block > 1 ? batch_layout::interleaved : batch_layout::strided;
    x->block = block;
  }
  const index whole = (count + block - 1) / block * block;
  const auto a = random_entries<T>(whole * m * k, 1), b = random_entries<T>(whole * k * n, 2);
  auto c = random_entries<T>(whole * m * n, 3);
  const T alpha = number<T>(0.75, -0.5);
  gemm_arguments<T> here{{a.data(), block * m * k},
                         {b.data(), block * k * n},
                         {c.data(), block * m * n},
                         count,
                         alpha,
                         beta};
  const auto want = reference::gemm(s, here);
  if (beta == T(0)) c.assign(c.size(), not_a_number<T>());
  const copy_there<T> x(on, a), y(on, b), z(on, c);
  cuda::gemm(on, s,
             gemm_arguments<T>{{x.data(), here.a.problem},
                               {y.data(), here.b.problem},
                               {z.data(), here.c.problem},
                               count,
                               alpha,
                               beta});
  c = z.values();
  here.c.data = c.data();
  index wrong = 0;
  auto w = want.begin();
  for (index p = 0; p < count; ++p)
    for (index i = 0; i < m; ++i)
      for (index j = 0; j < n; ++j, ++w) {
        const auto got = reference::value_at<T>(reference::place_of<T>(s.c, here.c, p, i, j));
        const auto off = got - w->value;
        const long double most =
            2 * static_cast<long double>(w->terms + 1) * epsilon<T> * w->magnitude;
        wrong += !(std::fabs(std::real(off)) <= most && std::fabs(std::imag(off)) <= most);
      }
  return wrong;
}

template <class T>
void check_sizes(cuda::device_machine& on) {
  for (const index n : {1, 2, 3, 5, 8, 9, 16, 17, 20, 32, 33, 64, 70}) {
    for (const index block : {index{1}, natural_block<T>}) {
      for (const T beta : {T(0), number<T>(-1, 0.5)}) {
        const index wrong = wrong_entries<T>(on, n, n + n % 3, n, n < 20 ? 1001 : 37, block, beta);
        CHECK_MESSAGE(wrong == 0, n, ", block ", block, ", scalar ",
                      static_cast<int>(scalar_of<T>));
      }
    }
  }
}

}  // namespace

TEST_SUITE_BEGIN("device");

TEST_CASE("a GPU computes batched products of all classes of sizes") {
  auto* const gpu = first_gpu();
  if (gpu == nullptr) return;
  for_each_scalar([&](auto t) { check_sizes<decltype(t)>(*gpu); });
}

TEST_CASE("a GPU computes large batches to the last problem") {
  auto* const gpu = first_gpu();
  if (gpu == nullptr) return;
  for (const index count : {65535, 65536, 65537, (1 << 20) + 1})
    CHECK(wrong_entries<float>(*gpu, 2, 2, 2, count, 1, 0.5f) == 0);
}

TEST_CASE("a GPU computes groups of large and small matrices") {
  auto* const gpu = first_gpu();
  if (gpu == nullptr) return;
  for (const order layout : {order::row_major, order::column_major}) {
    CHECK(large_groups<float>(layout).is_right(*gpu));
    CHECK(large_groups<double>(layout).is_right(*gpu));
  }
}

TEST_SUITE_END();

// --- by a driver that writes down what it is asked ---

namespace {

gemm_shape order_8() {
  gemm_shape s{scalar::f64, 8, 8, 8, {}, {}, {}};
  for (matrix_batch* const x : {&s.a, &s.b, &s.c}) {
    x->row = 8;
    x->column = 1;
  }
  return s;
}

}  // namespace

TEST_CASE("a GPU is what its driver says") {
  if (!has_compiler()) return;
  fake_state() = {};
  {
    const cuda::gpu gpu(0, cuda::image_cache(""), fake_driver());
    CHECK(gpu.name() == "A fake");
    device_capabilities want = h100_capabilities;
    want.bandwidth = gpu.capabilities().bandwidth;
    CHECK(gpu.capabilities() == want);
    CHECK(std::fabs(want.bandwidth / h100_capabilities.bandwidth - 1) < 0.01);
    CHECK(fake_state().retained == 1);
  }
  CHECK(fake_state().retained == 0);
  CHECK(thrown_by<backend_error>([] { cuda::gpu(1, cuda::image_cache(""), fake_driver()); }) ==
        "tenfold: device 1 was asked for, but the driver counts 1 devices");
}

TEST_CASE("a product is one launch, on the stream that is given, of a text that is loaded once") {
  if (!has_compiler()) return;
  fake_state() = {};
  {
    cuda::gpu gpu(0, cuda::image_cache(""), fake_driver());
    const copy_there<double> a(gpu, random_entries<double>(6400, 1)),
        b(gpu, random_entries<double>(6400, 2)), c(gpu, random_entries<double>(6400, 3));
    CHECK(c.values() == random_entries<double>(6400, 3));
    int stream = 0;
    for (const index count : {100, 1, 0})
      cuda::gemm(gpu, order_8(),
                 gemm_arguments<double>{{a.data(), 64}, {b.data(), 64}, {c.data(), 64}, count},
                 &stream);
    const auto choice = select::device_product(order_8(), h100_capabilities);
    const fake_driver_state& state = fake_state();
    REQUIRE(state.launches.size() == 2);
    CHECK(state.launches[0].blocks ==
          select::device_blocks(choice.cut, scalar::f64, 100, h100_capabilities));
    CHECK(state.launches[0].threads == static_cast<unsigned>(choice.cut.threads_of_block()));
    CHECK(state.launches[0].shared_bytes == shared_bytes(choice.cut, 8));
    CHECK(state.launches[0].stream == &stream);
    CHECK(state.launches[1].blocks == 1);
    CHECK(state.images == 1);
    CHECK(state.modules == 1);
    CHECK(state.last_function == "tenfold_gemm");
    CHECK(state.shared_bytes_allowed == 227 * 1024);
    CHECK(state.allocations == 3);
    CHECK(state.contexts == 0);  // whatever was current is again
  }
  CHECK(fake_state().allocations == 0);
  CHECK(fake_state().modules == 0);
}

TEST_CASE("an image that the driver refuses is compiled once more, and then given up") {
  if (!has_compiler()) return;
  fake_state() = {};
  cuda::gpu gpu(0, cuda::image_cache(""), fake_driver());
  const std::string text =
      cuda::gemm_text(scalar::f64, select::device_product(order_8(), gpu.capabilities()).cut);
  fake_state().refused_images = 2;
  CHECK(thrown_by<backend_error>([&] { gpu.load(text, cuda::gemm_entry); }) ==
        "tenfold: cuModuleLoadData failed: no image of this kind");
  CHECK(fake_state().images == 2);
  fake_state().refused_images = 1;
  CHECK_NOTHROW(gpu.load(text, cuda::gemm_entry));
  CHECK(fake_state().images == 4);
  CHECK(fake_state().contexts == 0);
}

TEST_CASE("an image that another failure kept from being loaded is not compiled once more") {
  if (!has_compiler()) return;
  fake_state() = {};
  cuda::gpu gpu(0, cuda::image_cache(""), fake_driver());
  const std::string text =
      cuda::gemm_text(scalar::f64, select::device_product(order_8(), gpu.capabilities()).cut);
  fake_state().refused_images = 1;
  fake_state().refusal = 2;
  CHECK(thrown_by<backend_error>([&] { gpu.load(text, cuda::gemm_entry); }) ==
        "tenfold: cuModuleLoadData failed: out of memory");
  CHECK(fake_state().calls.loads == 1);
  CHECK_NOTHROW(gpu.load(text, cuda::gemm_entry));
  CHECK(fake_state().contexts == 0);
}

TEST_CASE("a refused image by a compiler that is newer than the driver is an error that says so") {
  if (!has_compiler()) return;
  fake_state() = {};
  fake_state().version = 11040;
  cuda::gpu gpu(0, cuda::image_cache(""), fake_driver());
  fake_state().refused_images = 2;
  const int version = cuda::nvrtc(11040).version();
  const std::string text =
      cuda::gemm_text(scalar::f64, select::device_product(order_8(), gpu.capabilities()).cut);
  CHECK(thrown_by<backend_error>([&] { gpu.load(text, cuda::gemm_entry); }) ==
        "tenfold: cuModuleLoadData of what was compiled by NVRTC " +
            std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10) +
            ", which is newer than the driver's CUDA 11.4, failed: no image of this kind");
}

TEST_CASE("a function that could not be made ready is not taken for ready in the next call") {
  if (!has_compiler()) return;
  fake_state() = {};
  cuda::gpu gpu(0, cuda::image_cache(""), fake_driver());
  const std::string text =
      cuda::gemm_text(scalar::f64, select::device_product(order_8(), gpu.capabilities()).cut);
  fake_state().refused_attributes = 1;
  CHECK(thrown_by<backend_error>([&] { gpu.load(text, cuda::gemm_entry); }) ==
        "tenfold: cuFuncSetAttribute failed: something else");
  CHECK(fake_state().shared_bytes_allowed == 0);
  CHECK_NOTHROW(gpu.load(text, cuda::gemm_entry));
  CHECK(fake_state().shared_bytes_allowed == 227 * 1024);
  CHECK(fake_state().modules == 1);
}

TEST_CASE("a driver is told how much memory of a multiprocessor shall be shared") {
  if (!has_compiler()) return;
  fake_state() = {};
  cuda::gpu gpu(0, cuda::image_cache(""), fake_driver());
  const std::string text =
      cuda::gemm_text(scalar::f64, select::device_product(order_8(), gpu.capabilities()).cut);
  gpu.load(text, cuda::gemm_entry);
  CHECK(fake_state().shared_percent == -1);
  std::string again = text;
  const auto told = [&](index bytes) {
    cuda::device_use use;
    use.shared_bytes = [&](int registers) { return registers > 0 ? bytes : 0; };
    gpu.load(again += "\n", cuda::gemm_entry, use);
    return fake_state().shared_percent;
  };
  CHECK(told(114 * 1024) == 50);
  CHECK(told(114 * 1024 + 1) == 51);
  CHECK(told(1 << 20) == 100);
}

TEST_CASE("memory that a device does not have is an error with its bytes") {
  if (!has_compiler()) return;
  fake_state() = {};
  cuda::gpu gpu(0, cuda::image_cache(""), fake_driver());
  fake_state().most_bytes = 800;
  CHECK_NOTHROW(device_tensor<double, dyn>(on(gpu), 100));
  CHECK(thrown_by<backend_error>([&] { device_tensor<double, dyn>(on(gpu), 101); }) ==
        "tenfold: cuMemAlloc of 808 bytes failed: out of memory");
  CHECK(fake_state().allocations == 0);
  CHECK(fake_state().contexts == 0);
}

TEST_CASE("several threads may compile at the same time") {
  if (!has_compiler()) return;
  fake_state() = {};
  cuda::gpu gpu(0, cuda::image_cache(""), fake_driver());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      gemm_shape s = order_8();
      s.k = 5 + i / 2;  // every text twice
      gpu.load(cuda::gemm_text(s.type, select::device_product(s, gpu.capabilities()).cut),
               cuda::gemm_entry);
    });
  }
  for (std::thread& one : threads) one.join();
  CHECK(fake_state().modules == 2);
}

TEST_CASE("a GPU cuts products as its table says, and says once why it does not") {
  if (!has_compiler()) return;
  const temporary_folder folder;
  const device_tuning found{{scalar::f64, 8, 8, 8},
                            {.thread_rows = 2, .thread_columns = 4, .groups = 2}};
  const std::string text = cuda::text_of({found}, "A-fake");
  const std::string good = folder.write("good.txt", text),
                    damaged = folder.write("damaged.txt", text + " ");
  const auto threads_by = [&](const std::string& file) {
    const environment_variable named("TENFOLD_DEVICE_TUNING", file.c_str());
    fake_state() = {};
    cuda::gpu gpu(0, cuda::image_cache(""), fake_driver());
    gemm_shape other = order_8();
    other.k = 7;
    const gemm_arguments<double> g{{nullptr, 64}, {nullptr, 64}, {nullptr, 64}, 100};
    for (const gemm_shape& s : {order_8(), other}) cuda::gemm(gpu, s, g);
    return fake_state().launches.at(0).threads;
  };
  const auto by_model = static_cast<unsigned>(
      select::device_product(order_8(), h100_capabilities).cut.threads_of_block());
  REQUIRE(by_model != 64);
  CHECK(threads_by("none") == by_model);
  CHECK(threads_by(good) == 64);

  std::fflush(stderr);
  const int stream = dup(STDERR_FILENO);
  const std::string said = (folder / "said.txt").string();
  std::FILE* const into = std::fopen(said.c_str(), "w");
  dup2(fileno(into), STDERR_FILENO);
  const unsigned threads = threads_by(damaged);
  std::fflush(stderr);
  dup2(stream, STDERR_FILENO);
  ::close(stream);
  std::fclose(into);
  CHECK(threads == by_model);
  std::ostringstream sentences;
  sentences << std::ifstream(said).rdbuf();
  CHECK(sentences.str() == "tenfold: the tuning table " + damaged +
                               " is not used: its check sum does not fit, so it is damaged\n");
}

TEST_CASE("a device that is not there is an error") {
  if (first_gpu() == nullptr) return;
  CHECK(thrown_by<backend_error>([] {
          cuda::gpu(1000);
        }).find("tenfold: device 1000 was asked for, but the driver counts ") == 0);
}

TEST_CASE("without a driver a GPU is an error that says so") {
  if (first_gpu(false) != nullptr) return;
  CHECK(thrown_by<backend_error>([] { cuda::gpu(); }).find("tenfold: ") == 0);
}

}  // namespace tenfold::testing
