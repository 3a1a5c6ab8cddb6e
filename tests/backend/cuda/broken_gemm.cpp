#include <doctest/doctest.h>

#include <batches.hpp>
#include <emulated_device.hpp>
#include <emulation.hpp>
#include <fails_alone.hpp>
#include <string>
#include <tenfold/backend/cuda/gemm.hpp>

// The device code of the batched product, broken on purpose: the emulation must catch it.

namespace tenfold::testing {
namespace {

constexpr int orders = 8;

struct change {
  const char* header;
  std::string from, to;
};

/// In how many orders of threads something wrong is found in products of this code: in numbers, or
/// by an error that holds `error`. Where sanitizers watch, one order is run, in a process of its
/// own.
int times_caught(const change& c, const std::string& error, index n, index k,
                 const storage& factors = {}) {
  bool found = false;
  emulation::emulated_device on(h100_capabilities, [&](const std::string& name, std::string& text) {
    if (name != c.header) return;
    const std::size_t at = text.find(c.from);
    if (at == std::string::npos) return;
    found = true;
    text.replace(at, c.from.size(), c.to);
  });
  generator g(1);
  product<double> p(n, n, k, 270, factors, factors, {}, entries_kind::exact, g);
  p.arguments.beta = 1;
  const auto want = reference::gemm(p.shape, p.arguments);
  on.most_blocks = 1;
  const auto catches = [&](std::uint64_t seed) {
    on.seed = seed;
    p.c.put_back();
    try {
      cuda::gemm(on, p.shape, p.arguments);
      return error.empty() && p.judge(want) > 0;
    } catch (const emulation::emulation_error& e) {
      return !error.empty() && std::string(e.what()).find(error) != std::string::npos;
    }
  };
  REQUIRE(found);
#if defined(TENFOLD_SANITIZED)
  if (emulation::fails_alone([&] { return catches(1); })) return orders;
  return 0;
#else
  int caught = 0;
  for (int seed = 1; seed <= orders; ++seed) caught += catches(static_cast<std::uint64_t>(seed));
  return caught;
#endif
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
