#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tenfold::testing {

/// Subscripts read a second time, with strings and maps, as NumPy's manual explains them: what the
/// parser is compared with. Expects subscripts without errors.
struct reading {
  std::vector<std::vector<std::string>> inputs;  ///< the labels of each operand
  std::vector<std::string> output;
};

inline reading read_subscripts(std::string_view text) {
  const auto labels_of = [](std::string_view term) {
    std::vector<std::string> labels;
    while (!term.empty()) {
      const std::size_t close = term.front() == '[' ? term.find(']') : 0;
      if (close > 0) {
        labels.emplace_back(term.substr(1, close - 1));
      } else if (std::string_view(" \t\n\r").find(term.front()) == term.npos) {
        labels.emplace_back(1, term.front());
      }
      term.remove_prefix(close + 1);
    }
    return labels;
  };
  reading r;
  const std::size_t arrow = text.find("->");
  std::string_view left = text.substr(0, arrow);
  for (std::size_t comma = left.find(','); comma != left.npos; comma = left.find(',')) {
    r.inputs.push_back(labels_of(left.substr(0, comma)));
    left.remove_prefix(comma + 1);
  }
  r.inputs.push_back(labels_of(left));
  if (arrow != text.npos) {
    r.output = labels_of(text.substr(arrow + 2));
    return r;
  }
  std::map<std::string, int> count;  // sorted by name
  for (const auto& input : r.inputs) {
    for (const auto& label : input) ++count[label];
  }
  for (const auto& [label, n] : count) {
    if (n == 1) r.output.push_back(label);
  }
  return r;
}

}  // namespace tenfold::testing
