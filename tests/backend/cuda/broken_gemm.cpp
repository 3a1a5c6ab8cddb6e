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
  product<double> p(n, n, k, 270, factors, factors, result, entries_kind::exact, g);
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
  // Staged products in several panels; products without the sum alone; products that are not
  // staged.
  CHECK(times_caught({product_code, "if (stages_factors && from > 0) wait_for_group<K>();", ""}, "",
                     9, 200) == orders);
  CHECK(times_caught({product_code, "if (stages_factors) wait_for_group<K>();", ""}, "", 9, 40) ==
        8);
  CHECK(times_caught({product_code, "      wait_for_group<K>();\n      for (int e = t;",
                      "      for (int e = t;"},
                     "", 9, 40) == orders);
  CHECK(times_caught({product_code, "      wait_for_group<K>();\n      for (int e = t;",
                      "      for (int e = t;"},
                     "", 9, 40, {}, {.layout = batch_layout::gathered, .meets = true}) == orders);
  CHECK(times_caught({product_code, "if (!is_read && task + step < tasks) wait_for_group<K>();",
                      "(void)is_read;"},
                     "", 3, 3, {.layout = batch_layout::interleaved, .block = 8}) == orders);
  CHECK(times_caught({product_code, "if (!is_read && task + step < tasks) wait_for_group<K>();",
                      "(void)is_read;"},
                     "", 16, 16) == orders);
}

TEST_CASE("a barrier of a batched product that only some threads reach is an error") {
  CHECK(times_caught({product_code, "if (stages_factors) wait_for_group<K>();",
                      "if (works) wait_for_group<K>();"},
                     "divergent", 9, 40) == orders);
  CHECK(times_caught({product_code, "if (stages_factors) wait_for_group<K>();",
                      "if (works) wait_for_group<K>();"},
                     "gemm.device.hpp:", 33, 40) == orders);
}

TEST_CASE("a result of an entry that a map does not name shows elsewhere") {
  CHECK(times_caught({matrix_code, "if (x.at < 0) return;", "if (x.at <= 0) return;"}, "", 9, 40,
                     {}, {.layout = batch_layout::gathered, .meets = true}) == orders);
}

TEST_CASE("an entry of a tile that nobody brings shows in the result") {
  CHECK(times_caught({matrix_code, "e < total && ", "e < total - 1 && "}, "", 9, 40) == orders);
}

TEST_CASE("a tile that is longer than its place is an error") {
  CHECK(times_caught({matrix_code, "to.at(x.p, x.i, x.j) = value[s];",
                      "to.at(x.p, x.i, x.j) = value[s];\n"
                      "volatile int end = sizeof(to) / sizeof(T);\n"
                      "(&to.at(0, 0, 0))[end] = T{};"},
                     "outside", 33, 40) == orders);
}

}  // namespace tenfold::testing
