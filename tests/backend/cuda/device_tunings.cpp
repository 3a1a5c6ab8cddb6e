#include <doctest/doctest.h>

#include <damaged_table.hpp>

#include <batches.hpp>
#include <emulated_device.hpp>
#include <temporary.hpp>
#include <tenfold/backend/cuda/device_tunings.hpp>
#include <tenfold/backend/cuda/gemm.hpp>
#include <tenfold/backend/cuda/gemm_text.hpp>
#include <tenfold/backend/interface/explained_launch.hpp>
#include <tenfold/backend/interface/select/device_products.hpp>

#include <idle_machine.hpp>
#include "wrong_products.hpp"

// The tilings that were found on a device: the text that they are kept in, and that they are used.

namespace tenfold::testing {
namespace {

const std::string device = "Maker-X1";

std::vector<device_tuning> some_tunings() {
  return {{{scalar::f64, 8, 8, 8}, {.thread_rows = 2, .thread_columns = 4, .groups = 1}},
          {{scalar::f32, 36, 6, 4, true}, {.thread_rows = 3, .block = 1, .problems = 30}},
          {{scalar::c64, 3, 4, 5, true, true}, {.panel = 2, .buffers = 3, .unroll = 8}}};
}

std::string refusal_of(const std::string& text) {
  return cuda::read_device_tunings(text, "FILE", device).refusal;
}

/// A tiling that no model takes.
constexpr device_tiling odd_tiling{
    .thread_rows = 3, .thread_columns = 1, .problems = 2, .unroll = 2};

/// The cut of that tiling, for a product that lies by rows.
device_gemm odd_cut(const gemm_shape& s) {
  return select::device_laid_out(select::device_cut(s, {}, odd_tiling, 0, h100_capabilities),
                                 s.type, h100_capabilities)
      .cut;
}

}  // namespace

TEST_CASE("a device and its products have names") {
  CHECK(cuda::device_key("NVIDIA H200") == "NVIDIA-H200");
  CHECK(cuda::device_key("NVIDIA A100-SXM4-40GB") == "NVIDIA-A100-SXM4-40GB");
  CHECK(cuda::device_key("a (b)/../c") == "a-b-c");
  const std::pair<tuned_product, std::string> names[] = {
      {{scalar::f64, 8, 8, 8}, "d-8"},
      {{scalar::f32, 36, 6, 4}, "s-36x6x4"},
      {{scalar::c32, 36, 6, 4, true}, "c-36x6x4-sharedA"},
      {{scalar::c64, 2, 2, 2, true, true}, "z-2-sharedA-sharedB"}};
  for (const auto& [product, name] : names) {
    CHECK(cuda::name_of(product) == name);
    tuned_product read;
    CHECK(cuda::read_product(name, read));
    CHECK(read == product);
  }
  tuned_product read;
  for (const char* const wrong :
       {"", "d", "d-", "x-8", "d-0", "d--8", "d-8x8x8", "d-8x8", "d-8x8x8x8", "d-08", "d-8-shared",
        "d-8-sharedB-sharedA", "d-8 ", "dd-8"})
    CHECK_MESSAGE(!cuda::read_product(wrong, read), wrong);
}

TEST_CASE("tilings of a device are read as they were written") {
  const std::vector<device_tuning> all = some_tunings();
  const auto read = cuda::read_device_tunings(cuda::text_of(all, device), "FILE", device);
  CHECK(read.refusal.empty());
  CHECK(read.tunings == all);
  CHECK(refusal_of(cuda::text_of({}, device)).empty());
}

TEST_CASE("tilings of a device with any other byte are refused") {
  const std::string text = cuda::text_of(some_tunings(), device);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = other[i] == '1' ? '2' : '1';
    CHECK(!refusal_of(other).empty());
  }
  for (std::size_t size = 0; size < text.size(); ++size)
    CHECK(!refusal_of(text.substr(0, size)).empty());
}

TEST_CASE("the refusal of a device's tilings says why") {
  const std::string text = cuda::text_of(some_tunings(), device);
  const std::string refused = "the tuning table FILE is not used: ";
  CHECK(refusal_of("") == refused + "it does not begin with 'tenfold device tuning 1'");
  CHECK(refusal_of(replaced(text, "tuning 1", "tuning 9")) ==
        refused + "it is of version 9, and this library reads 1");
  CHECK(refusal_of(replaced(text, "d-8", "d-9")) ==
        refused + "its check sum does not fit, so it is damaged");
  CHECK(cuda::read_device_tunings(text, "FILE", "Other-2").refusal ==
        refused + "it is for the device 'Maker-X1', and this is 'Other-2'");
  CHECK(refusal_of(with_sum(replaced(text, "d-8 ", "d-8x8x8 "))) ==
        refused + "line 4: 'd-8x8x8' is no product");
  CHECK(refusal_of(with_sum(replaced(text, "d-8 2", "d-8 9"))) ==
        refused + "line 4: thread_rows is '9' and must be a number from 1 to 8");
  CHECK(refusal_of(with_sum(replaced(text, "\ns-36", " 1\ns-36"))) ==
        refused + "line 4: there is more after the last value");
  CHECK(refusal_of(with_sum(replaced(text, "unroll", "enroll"))) ==
        refused + "line 3: the values are not those of this library");
}

TEST_CASE("the file that is named is read, else that of the user, and a refused one is left") {
  const temporary_folder folder;
  const environment_variable data("XDG_DATA_HOME", folder.path().c_str());
  {
    const environment_variable none("TENFOLD_DEVICE_TUNING", nullptr);
    CHECK(cuda::load_device_tunings(device).empty());
    folder.write("tenfold/tuning-Maker-X1.txt", cuda::text_of(some_tunings(), device));
    CHECK(cuda::load_device_tunings(device) == some_tunings());
    CHECK(cuda::load_device_tunings("Other-2").empty());
  }
  const std::vector<device_tuning> one{some_tunings()[0]};
  const std::string file = folder.write("one.txt", cuda::text_of(one, device));
  {
    const environment_variable named("TENFOLD_DEVICE_TUNING", file.c_str());
    CHECK(cuda::load_device_tunings(device) == one);
    CHECK(cuda::load_device_tunings("Other-2").empty());
  }
  const environment_variable none("TENFOLD_DEVICE_TUNING", "none");
  CHECK(cuda::load_device_tunings(device).empty());
}

TEST_CASE("a product runs by the tiling that was found for it") {
  gemm_shape s{scalar::f64,
               7,
               6,
               5,
               {.row = 5, .column = 1},
               {.row = 6, .column = 1},
               {.row = 6, .column = 1}};
  const std::string text = cuda::gemm_text(s.type, odd_cut(s));
  CHECK(text != cuda::gemm_text(s.type, select::device_product(s, h100_capabilities).cut));
  idle_machine on;
  on.tunings = {{tuned_product_of(s), odd_tiling}};
  gemm_arguments<double> g{{nullptr, 35}, {nullptr, 30}, {nullptr, 42}, 100};
  cuda::gemm(on, s, g);
  CHECK(on.launched == text);
}

TEST_CASE("a product is looked up as it is cut, C by rows") {
  const gemm_shape s{scalar::f64,
                     7,
                     6,
                     5,
                     {.row = 5, .column = 1},
                     {.row = 6, .column = 1},
                     {.row = 1, .column = 7}};
  idle_machine on;
  on.tunings = {{{scalar::f64, 6, 7, 5}, odd_tiling}};
  cuda::gemm(on, s, gemm_arguments<double>{{nullptr, 35}, {nullptr, 30}, {nullptr, 42}, 100});
  CHECK(on.launched == cuda::gemm_text(s.type, odd_cut(transposed(s))));
}

TEST_CASE("what ran by a tiling that was found is right") {
  emulation::emulated_device on;
  generator g(1);
  const storage shared{.shared = true};
  for (const storage& a : {storage{}, shared}) {
    product<double> p(7, 6, 5, 70, a, {}, {}, entries_kind::random, g);
    on.tunings = {{tuned_product_of(p.shape), odd_tiling}};
    CHECK(wrong_products(on, p) == 0);
    CHECK(cuda::prepare(on, p.shape, 70).cut == odd_cut(p.shape));
  }
}

TEST_CASE("a launch by a tiling that was found says so") {
  device_phase phase;
  phase.product.emplace();
  phase.product->shape = {scalar::f64,
                          7,
                          6,
                          5,
                          {.row = 5, .column = 1},
                          {.row = 6, .column = 1},
                          {.row = 6, .column = 1}};
  phase.product->count = 1000;
  const std::vector<device_tuning> found{{tuned_product_of(phase.product->shape), odd_tiling}};
  const explained_launch told = explain_launch(phase, scalar::f64, h100_capabilities, found);
  CHECK(told.rows == 3);
  CHECK(told.columns == 1);
  CHECK(std::string(told.reason) ==
        "tuned: the fastest of the cuts that were timed on this device");
  CHECK(explain_launch(phase, scalar::f64, h100_capabilities).rows != 3);
}

}  // namespace tenfold::testing
