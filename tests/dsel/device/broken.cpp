#include <broken.hpp>

#include <check_call.hpp>
#include <tenfold/dsel/on_device.hpp>

// The device code of expressions, broken on purpose: the emulation must catch it.

namespace tenfold::testing {
namespace {

using emulation::orders;

constexpr const char *steps_code = "tenfold/backend/cuda/program.device.hpp",
                     *operand_code = "tenfold/backend/cuda/operand.device.hpp";

/// Three matrices for each of 50 elements, by way of shared memory: numbers are exact.
int times_caught(const emulation::change& change, const std::string& error = "") {
  const std::string_view text = "ai,ebi,bc->eac";
  operand_list inputs;
  std::vector<sample<double>> x;
  generator g(1);
  for (const std::vector<index>& e :
       {std::vector<index>{7, 5}, std::vector<index>{50, 6, 5}, std::vector<index>{6, 4}})
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

TEST_CASE("an entry beyond an element's shared memory is an error, one that nobody wrote shows") {
  CHECK(times_caught({operand_code, "of_element(memory, further) = value;",
                      "volatile long long end = P::elements * P::element_entries;\n"
                      "of_element(memory, further) = value;\n"
                      "(&memory.element[0])[end] = value;"},
                     "outside") == orders);
  CHECK(times_caught({operand_code, "of_element(memory, further) = value;",
                      "of_element(memory, further + X.apart) = value;"},
                     "outside what an element has") == orders);
  CHECK(times_caught({steps_code, "{mine < all && is_part", "{mine + 1 < all && is_part"}) ==
        orders);
}

}  // namespace tenfold::testing
