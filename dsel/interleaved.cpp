#include <map>
#include <tenfold/dsel/interleaved.hpp>

namespace tenfold {

namespace {

void append(std::string& text, int label) {
  text += label == ellipsis ? std::string("...") : '[' + std::to_string(label) + ']';
}

}  // namespace

std::string interleaved_text(const sublist* lists, int count, const sublist* output) {
  std::string text;
  std::map<int, int> occurrences;  // sorted by label, the ellipsis first
  for (int o = 0; o < count; ++o) {
    if (o > 0) text += ',';
    for (const int label : lists[o]) {
      append(text, label);
      ++occurrences[label];
    }
  }
  text += "->";
  if (output != nullptr) {
    for (const int label : *output) append(text, label);
    return text;
  }
  for (const auto& [label, n] : occurrences) {
    if (n == 1 || label == ellipsis) append(text, label);
  }
  return text;
}

}  // namespace tenfold
