#pragma once

#include <check_call.hpp>
#include <test_device.hpp>

/// One expression on a device.
namespace tenfold::testing {

struct expression_of_text {
  std::string_view text;
  extents_list extents;
};

/// Overwriting and updating, and scaling alone; another call like one before compiles nothing.
template <class T>
void check_on_device(test_device& machine, std::string_view text, entries_kind kind,
                     const operand_list& inputs) {
  CAPTURE(text);
  const auto count = static_cast<int>(inputs.size());
  const judge<T> right(text, kind, inputs);
  dynamic_tensor<T> y(result_shape(text, inputs.data(), count, {}));
  const auto run = [&](const call_settings& settings) {
    evaluate_there(on(machine), text, inputs.data(), count, y.shape(), y.data(), settings);
  };
  std::fill(y.data(), y.data() + y.size(), not_a_number<T>());
  run({});
  right.check(y);

  generator g(7);
  std::vector<T> before(static_cast<std::size_t>(y.size()));
  fill(before.data(), y.size(), g, kind);
  const auto put_back = [&] { std::copy(before.begin(), before.end(), y.data()); };
  put_back();
  run({{-2}, {3}});
  right.check(y, before, -2, 3);
  put_back();
  run({{0}, {3}});
  right.check(y, before, 0, 3);

  const int compiled = machine.compiled();
  std::fill(y.data(), y.data() + y.size(), not_a_number<T>());
  run({});
  right.check(y);
  CHECK(machine.compiled() == compiled);
}

/// The same for exact entries and random ones of dense operands.
template <class T>
void check_on_device(test_device& machine, const expression_of_text& x) {
  for_all_kinds([&](entries_kind kind) {
    generator g(1);
    std::vector<sample<T>> operands;
    for (const auto& e : x.extents) operands.emplace_back(e);
    operand_list inputs;
    for (auto& s : operands) {
      s.fill(g, kind);
      inputs.push_back(seen(s));
    }
    check_on_device<T>(machine, x.text, kind, inputs);
  });
}

}  // namespace tenfold::testing
