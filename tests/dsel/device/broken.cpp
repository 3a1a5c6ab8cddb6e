#include <broken.hpp>

#include <check_call.hpp>
#include <copy_there.hpp>
#include <cstdint>
#include <fuse_problems.hpp>
#include <tenfold/dsel/on_device.hpp>
#include <tenfold/tensor/gathered.hpp>
#include <vector>

// The device code of expressions, broken on purpose: the emulation must catch it.

namespace tenfold::testing {
namespace {

using emulation::orders;

constexpr const char *steps_code = "tenfold/backend/cuda/program.device.hpp",
                     *operand_code = "tenfold/backend/cuda/operand.device.hpp";

/// Three matrices for each of some elements, by way of shared memory: numbers are exact.
struct extents_of_three {
  index e = 50, a = 7, b = 6, c = 4, i = 5;
};
int times_caught(const emulation::change& change, const std::string& error = "",
                 const extents_of_three& n = {}) {
  const std::string_view text = "ai,ebi,bc->eac";
  operand_list inputs;
  std::vector<sample<double>> x;
  generator g(1);
  for (const std::vector<index>& e :
       {std::vector<index>{n.a, n.i}, std::vector<index>{n.e, n.b, n.i},
        std::vector<index>{n.b, n.c}})
    x.emplace_back(e);
  for (auto& s : x) {
    s.fill(g, entries_kind::exact);
    inputs.push_back(seen(s));
  }
  const expectation want = expect(text, inputs);
  dynamic_tensor<double> y(result_shape(text, inputs.data(), 3, {}));
  return emulation::times_caught(change, error, [&](emulation::emulated_device& on_this) {
    std::fill(y.data(), y.data() + y.size(), 0);
    evaluate_on(on(on_this), text, inputs.data(), 3, y.shape(), y.data(), {});
    for (index i = 0; i < y.size(); ++i) {
      if (y.data()[i] != static_cast<double>(want.sum[static_cast<std::size_t>(i)].real()))
        return false;
    }
    return true;
  });
}

}  // namespace

TEST_CASE("the code of expressions as it is has nothing to catch") {
  CHECK(times_caught({steps_code, "", ""}) == 0);
}

TEST_CASE("every barrier and every wait of an expression is missed when it is missing") {
  CHECK(times_caught({steps_code, "if constexpr (P::element_entries > 0) wait_for_block();", ""}) ==
        orders);
  CHECK(times_caught(
            {steps_code,
             "if constexpr (end < P::step_count || frees_copies<P, S, end>()) wait_for_block();",
             ""}) == orders);
  CHECK(times_caught({steps_code, "wait_for_copies<0>();", ""}, "has not waited for its copies") ==
        orders);
}

TEST_CASE("a barrier of an expression that only some threads reach is an error") {
  CHECK(times_caught({steps_code, "if constexpr (P::element_entries > 0) wait_for_block();",
                      "if (thread_index() < 3) wait_for_block();"},
                     "divergent") == orders);
}

TEST_CASE("warps that leave a pass at a barrier that they must reach are an error") {
  // Most of the threads have a line of one pass only.
  const extents_of_three large{.e = 4, .a = 4, .b = 70, .c = 16, .i = 8};
  CHECK(times_caught({steps_code, "if constexpr (P::skips) {", "static_assert(P::skips);\n  {"}, "",
                     large) == 0);
  CHECK(times_caught({steps_code, "  run_along<P, S, End>(here, number);\n}",
                      "  run_along<P, S, End>(here, number);\n  wait_for_block();\n}"},
                     "divergent", large) == orders);
}

TEST_CASE("a number of a map that is another entry's shows in the result") {
  using labels::e, labels::i, labels::j;
  constexpr input<"u"> u;
  constexpr input<"A"> A;
  constexpr output<"v"> v;
  constexpr auto kernel = fuse(e)(v(e, i) = A(i, j) * u(e, j));
  constexpr index elements = 40, nodes = 3 * elements;
  // One number more than the map has: who reads beyond its last one finds an entry.
  std::vector<std::int32_t> numbers;
  for (index at = 0; at <= nodes; ++at)
    numbers.push_back(static_cast<std::int32_t>((at * 7 + 2) % nodes));
  const index_map<std::int32_t> map(numbers.data(), elements, 3, nodes);
  tensor<double, dyn> from(nodes), want(nodes), got(nodes);
  tensor<double, 3, 3> table;
  fill(from, 1);
  fill(table, 2);
  kernel(v = gathered<double, 3>(want.data(), map), u = gathered<const double, 3>(from.data(), map),
         A = table);
  const auto caught = [&](const char* change_from, const char* change_to) {
    return emulation::times_caught(
        {operand_code, change_from, change_to}, "", [&](emulation::emulated_device& on_this) {
          const auto where = on(on_this);
          const copy_there<std::int32_t> there(on_this, numbers);
          const auto map_there =
              index_map<std::int32_t>::unchecked(there.data(), elements, 3, nodes);
          const auto x = copied(where, from);
          const auto B = copied(where, table);
          device_tensor<double, dyn> y(where, nodes);
          kernel(where, v = in_memory_of<device::cuda>(gathered<double, 3>(y.data(), map_there)),
                 u = in_memory_of<device::cuda>(gathered<const double, 3>(x.data(), map_there)),
                 A = B);
          y.copy_to(got);
          return same(got, want);
        });
  };
  CHECK(caught("", "") == 0);
  CHECK(caught("static_cast<const int*>(map)[number + further]",
               "static_cast<const int*>(map)[number + further + 1]") == orders);
}

TEST_CASE("an entry beyond an element's shared memory is an error, one that nobody wrote shows") {
  CHECK(times_caught({operand_code, "of_element(memory, further) = value;",
                      "volatile long long end = P::elements * P::element_entries;\n"
                      "of_element(memory, further) = value;\n"
                      "(&memory.element[0])[end] = value;"},
                     "outside") == orders);
  CHECK(times_caught({operand_code, "of_element(memory, further) = value;",
                      "of_element(memory, further + X.apart) = value;"},
                     "outside what an element has") == orders);
  CHECK(times_caught({steps_code, "{mine < all}", "{mine + 1 < all}"}) == orders);
}

}  // namespace tenfold::testing
