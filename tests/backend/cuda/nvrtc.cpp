#include <tenfold/backend/cuda/nvrtc.hpp>

#include <dlfcn.h>

#include <device_compiler.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <memory>
#include <set>
#include <shapes.hpp>
#include <string>
#include <temporary.hpp>
#include <tenfold/backend/cuda/device_tunings.hpp>
#include <tenfold/backend/cuda/gemm_text.hpp>
#include <tenfold/backend/cuda/image_cache.hpp>
#include <tenfold/backend/interface/select/device_products.hpp>
#include <tenfold/tensor/error.hpp>
#include <thrown.hpp>

// The run-time compiler, where it is.

namespace tenfold::testing {
TEST_CASE("a library that is missing is named, with where it was looked for") {
  const char* const names[] = {"libtenfold_absent.so.2", "libtenfold_absent.so.1"};
  const std::string text =
      thrown_by<backend_error>([&] { cuda::shared_library("What absents itself", names); });
  CHECK(text.find("tenfold: What absents itself is missing: the loader finds none of "
                  "libtenfold_absent.so.2, libtenfold_absent.so.1, ") == 0);
  CHECK(text.find("TENFOLD_CUDA_PATH") != std::string::npos);
}

TEST_CASE("a library that is there and does not load is named with the loader's reason") {
  const temporary_folder folder;
  const std::string broken = folder.write("libtenfold_broken.so.1", "no library");
  const environment_variable path("TENFOLD_CUDA_PATH", folder.path().c_str());
  const char* const names[] = {"libtenfold_absent.so.2", "libtenfold_broken.so.1"};
  const std::string text =
      thrown_by<backend_error>([&] { cuda::shared_library("What breaks", names); });
  CHECK(text.find("tenfold: What breaks does not load: " + broken + ": ") == 0);
}

TEST_CASE("a compiler is looked for that is not of a later CUDA than the driver") {
  if (dlopen("libnvrtc.so.12", RTLD_LAZY) != nullptr || device_compiler() == nullptr) return;
  // What has the name is opened first, and has nothing of a compiler.
  const temporary_folder folder;
  std::filesystem::create_symlink(TENFOLD_FAKE_DRIVER, folder / "libnvrtc.so.12");
  const environment_variable path("TENFOLD_CUDA_PATH", folder.path().c_str());
  CHECK(thrown_by<backend_error>([] { cuda::nvrtc(12040); }) ==
        "tenfold: NVRTC, which compiles device code, has no function nvrtcGetErrorString");
  CHECK(cuda::nvrtc(13000).version() >= 13000);
  CHECK(cuda::nvrtc().version() >= 13000);
}

TEST_CASE("registers and spills are read from the assembler's log") {
  const auto x = cuda::read_log(
      "ptxas info    : Compiling entry function 'f' for 'sm_90'\n"
      "    0 bytes stack frame, 24 bytes spill stores, 8 bytes spill loads\n"
      "ptxas info    : Used 96 registers, used 1 barriers\n");
  CHECK(x.registers == 96);
  CHECK(x.spilled_bytes == 32);
}

TEST_CASE("a text that is wrong is an error with the compiler's message") {
  const auto* const nvrtc = device_compiler();
  if (nvrtc == nullptr) return;
  const std::string text = thrown_by<backend_error>(
      [&] { nvrtc->compile("#include <tenfold/backend/cuda/gemm.device.hpp>\nint x = y;\n", 90); });
  CHECK(text.find("tenfold: NVRTC cannot compile for sm_90") == 0);
  CHECK(text.find("identifier \"y\" is undefined") != std::string::npos);
}

TEST_CASE("a text is compiled once, and then found") {
  const auto* const nvrtc = device_compiler();
  if (nvrtc == nullptr) return;
  const temporary_folder folder;
  const cuda::image_cache cache(folder.path()), none("");
  const std::string text = cuda::gemm_text(
      scalar::f32, select::device_product(rows(scalar::f32, 2, 2, 2), a100_capabilities).cut);
  const auto compiled = cuda::image_of(text, 80, *nvrtc, cache);
  CHECK(compiled == cuda::image_of(text, 80, *nvrtc, none));
  const std::string key = cuda::image_key(text, 80, nvrtc->version());
  CHECK(cache.find(key) == compiled);
  cuda::device_image other = compiled;
  other.registers = 77;
  cache.keep(key, other);
  CHECK(cuda::image_of(text, 80, *nvrtc, cache) == other);
}

TEST_CASE("no device kernel of a batched product spills") {
  const auto* const nvrtc = device_compiler();
  if (nvrtc == nullptr) return;
  std::set<select::device_class> classes;
  for (const auto& device : {a100_capabilities, h100_capabilities}) {
    for (const scalar type : {scalar::f32, scalar::f64, scalar::c32, scalar::c64}) {
      for (const index n : {3, 8, 17, 32, 70}) {
        const gemm_shape s = rows(type, n, n, n);
        const auto choice = select::device_product(s, device);
        classes.insert(select::device_class_of(choice.cut));
        const auto image = nvrtc->compile(cuda::gemm_text(type, choice.cut), device.architecture);
        INFO("scalar ", static_cast<int>(type), ", n = ", n, ", sm_", device.architecture, ": ",
             image.registers, " registers");
        CHECK(image.spilled_bytes == 0);
        CHECK(image.registers > 0);
        CHECK(image.code.size() > 1000);
      }
    }
  }
  CHECK(classes.size() == 5);  // all that there are
}

TEST_CASE("no tiling that is shipped spills, and none but makes a cut of its own") {
  const auto* const nvrtc = device_compiler();
  for (const device_tuning& one : select::device_shipped(h100_capabilities)) {
    const tuned_product& x = one.product;
    gemm_shape s = rows(x.type, x.m, x.n, x.k);
    s.a.shared = x.shared_a;
    s.b.shared = x.shared_b;
    const auto choice = select::device_product(s, h100_capabilities);
    INFO(cuda::name_of(x));
    CHECK(choice.tiling == one.tiling);
    if (nvrtc != nullptr)
      CHECK(nvrtc->compile(cuda::gemm_text(x.type, choice.cut), 90).spilled_bytes == 0);
  }
}

TEST_CASE("a device kernel of operands in several layouts does not spill") {
  const auto* const nvrtc = device_compiler();
  if (nvrtc == nullptr) return;
  gemm_shape s = rows(scalar::f32, 129, 17, 2);
  s.a.row = -5;
  s.a.column = 2;
  s.b.layout = s.c.layout = batch_layout::interleaved;
  s.b.block = 3;
  s.c.block = 96;
  const auto choice = select::device_product(s, h100_capabilities);
  const auto image = nvrtc->compile(cuda::gemm_text(s.type, choice.cut), 90);
  CHECK(image.spilled_bytes == 0);
}

}  // namespace tenfold::testing
