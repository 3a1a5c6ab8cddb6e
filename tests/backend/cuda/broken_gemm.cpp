#include <doctest/doctest.h>

#include <batches.hpp>
#include <broken.hpp>
#include <string>
#include <tenfold/backend/cuda/gemm.hpp>

// The device code of the batched product, broken on purpose: the emulation must catch it.

namespace tenfold::testing {
namespace {

using emulation::change, emulation::orders;

/// The same of products of n x n x k.
int times_caught(const change& c, const std::string& error, index n, index k,
                 const storage& factors = {}, const storage& result = {}) {
  generator g(1);
  const index count = n < 20 ? 270 : 9;
  product<double> p(n, n, k, count, factors, factors, result, entries_kind::exact, g);
  p.arguments.beta = 1;
  const auto want = reference::gemm(p.shape, p.arguments);
  return emulation::times_caught(c, error, [&](emulation::emulated_device& on) {
    p.c.put_back();
    cuda::gemm(on, p.shape, p.arguments);
    return p.judge(want) == 0;
  });
}

constexpr const char *product_code = "tenfold/backend/cuda/gemm.device.hpp",
                     *matrix_code = "tenfold/backend/cuda/matrix.device.hpp";

}  // namespace

TEST_CASE("the code as it is has nothing to catch") {
  CHECK(times_caught({product_code, "", ""}, "", 9, 40) == 0);
}

TEST_CASE("every barrier of a batched product is missed when it is missing") {
  const change none_of_stage{product_code,
                             "      wait_for_group<K>();\n    }\n    if constexpr (br",
                             "    }\n    if constexpr (br"};
  const change none_of_products{product_code,
                                "        wait_for_group<K>();\n        const tile_range",
                                "        const tile_range"};
  const change none_before_products{product_code,
                                    "if constexpr (is_in_buffer(K)) wait_for_group<K>();", ""};
  // Of a stage: in several panels, in one, and where it is the products that are read.
  CHECK(times_caught(none_of_stage, "", 9, 200) == orders);
  CHECK(times_caught(none_of_stage, "", 9, 40) == orders);
  CHECK(times_caught(none_of_stage, "", 3, 3, {.layout = batch_layout::interleaved, .block = 8}) ==
        orders);
  // Of the only buffer, before it is read and before products take its place.
  CHECK(times_caught({product_code, "wait_for_copies<0>();\n        wait_for_group<K>();",
                      "wait_for_copies<0>();"},
                     "", 9, 40) == orders);
  CHECK(times_caught(none_before_products, "", 9, 40) == orders);
  // Of products that are staged.
  CHECK(times_caught(none_of_products, "", 9, 40) == orders);
  CHECK(times_caught(none_of_products, "", 9, 40, {},
                     {.layout = batch_layout::gathered, .meets = true}) == orders);
}

TEST_CASE("copies that others have not waited for, or that come too early, show in the result") {
  CHECK(times_caught({product_code, "wait_for_copies<K.buffers - 2>();\n      wait_for_group<K>();",
                      "wait_for_group<K>(), wait_for_copies<K.buffers - 2>();"},
                     "", 12, 40) == orders);
  // One buffer for all: copies for the next stage meet those who read this one.
  CHECK(times_caught({product_code, "a_in(ahead.buffer)", "a_in(0)"}, "", 12, 200) == orders);
}

TEST_CASE("copies that nobody waits for are an error") {
  for (const char* const other : {"", "wait_for_copies<K.buffers - 1>();"})
    CHECK(times_caught({product_code, "wait_for_copies<K.buffers - 2>();", other}, "for its copies",
                       12, 40) == orders);
}

TEST_CASE("a barrier of a batched product that only some threads reach is an error") {
  const auto broken = [](index n, const char* error) {
    return times_caught({product_code, "      wait_for_group<K>();\n    }\n    if constexpr (br",
                         "      if (p < 1) wait_for_group<K>();\n    }\n    if constexpr (br"},
                        error, n, 40);
  };
  CHECK(broken(9, "divergent") == orders);
  CHECK(broken(33, "gemm.device.hpp:") == orders);
}

TEST_CASE("a result of an entry that a map does not name shows elsewhere") {
  CHECK(times_caught({matrix_code, "return to < 0 ? nullptr", "return to <= 0 ? nullptr"}, "", 9,
                     40, {}, {.layout = batch_layout::gathered, .meets = true}) == orders);
}

TEST_CASE("an entry of a tile that nobody brings shows in the result") {
  CHECK(times_caught({matrix_code, "return round < rounds && ", "return round < rounds - 1 && "},
                     "", 9, 40) == orders);
}

TEST_CASE("a tile that is longer than its place is an error") {
  CHECK(times_caught({product_code, "const int depth = ahead.depth();",
                      "volatile int end = shared_bytes(K, sizeof(T)) / sizeof(T);\n"
                      "memory[end] = T{};\n"
                      "const int depth = ahead.depth();"},
                     "outside", 33, 40) == orders);
}

}  // namespace tenfold::testing
