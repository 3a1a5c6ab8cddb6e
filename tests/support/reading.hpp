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
  std::vector<std::vector<std::string>> inputs;  ///< the labels of each operand, term after term
  std::vector<std::string> output;
  std::vector<std::size_t> term;  ///< in which term of the sum an operand stands
  std::vector<int> signs;         ///< of the terms
};

namespace reading_text {

/// Labels in the place of each "...": of `most` labels, which end in "...1", the last ones.
inline void expand(std::vector<std::string>& labels, std::size_t axes) {
  const auto dots = std::find(labels.begin(), labels.end(), "...");
  if (dots == labels.end()) return;
  std::vector<std::string> own;
  for (; axes > 0; --axes) own.push_back("..." + std::to_string(axes));
  labels.insert(labels.erase(dots), own.begin(), own.end());
}

}  // namespace reading_text

/// An ellipsis is read as labels of its own where the ranks of the operands are given.
inline reading read_subscripts(std::string_view text, const std::vector<int>& ranks = {}) {
  reading r{{{}}, {}, {0}, {1}};
  std::vector<std::string>* list = &r.inputs[0];
  bool arrow = false, started = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (std::string_view(" \t\n\r").find(c) != text.npos) continue;
    if (text.substr(i, 2) == "->") {
      arrow = true;
      list = &r.output;
      ++i;
    } else if (c == ',' || c == '+' || c == '-') {
      if (c != ',' && started) r.signs.push_back(1);
      if (c == '-') r.signs.back() = -1;
      if (c == ',' || started) {
        r.term.push_back(r.signs.size() - 1);
        list = &r.inputs.emplace_back();
      }
    } else if (c == '.') {
      list->push_back("...");
      i += 2;
    } else if (c == '[') {
      const std::size_t close = text.find(']', i);
      list->emplace_back(text.substr(i + 1, close - i - 1));
      i = close;
    } else {
      list->emplace_back(1, c);
    }
    started = true;
  }

  std::size_t most = 0;
  for (std::size_t o = 0; o < ranks.size(); ++o) {
    std::vector<std::string>& labels = r.inputs[o];
    if (std::find(labels.begin(), labels.end(), "...") == labels.end()) continue;
    const std::size_t axes = static_cast<std::size_t>(ranks[o]) - (labels.size() - 1);
    reading_text::expand(labels, axes);
    most = std::max(most, axes);
  }
  if (arrow) {
    if (!ranks.empty()) reading_text::expand(r.output, most);
    return r;
  }

  // What occurs once in every term, sorted by name, behind the ellipsis.
  std::map<std::string, std::vector<int>> count;
  for (std::size_t o = 0; o < r.inputs.size(); ++o) {
    for (const auto& label : r.inputs[o]) {
      count[label].resize(r.signs.size());
      ++count[label][r.term[o]];
    }
  }
  for (std::size_t axis = most; axis > 0; --axis) r.output.push_back("..." + std::to_string(axis));
  for (const auto& [label, times] : count) {
    const bool once = std::all_of(times.begin(), times.end(), [](int n) { return n == 1; });
    if (once && label[0] != '.') r.output.push_back(label);
  }
  return r;
}

}  // namespace tenfold::testing
