#pragma once

#include <tenfold/dsel/literal.hpp>
#include <tenfold/dsel/parse.hpp>

/// Subscripts that differ in the names of their labels only are one text to the compiler: the
/// labels become a, b, c, ... by first occurrence, white space goes, the output is written. So
/// functions that spell one contraction in other letters share its plan and its code.
namespace tenfold {

namespace renaming {

inline constexpr int most_labels = 52;

constexpr char letter(int id) { return static_cast<char>(id < 26 ? 'a' + id : 'A' + id - 26); }

/// The number of the label text[begin, begin + length).
template <limits L>
constexpr int id_of(std::string_view text, const label_names<L>& names, int begin, int length) {
  for (int id = 0;; ++id) {
    const label_name& known = names.name[id];
    bool same = known.length == length;
    for (int i = 0; same && i < length; ++i) {
      same = text[static_cast<std::size_t>(known.begin + i)] ==
             text[static_cast<std::size_t>(begin + i)];
    }
    if (same) return id;
  }
}

/// Calls put with each character of the text renamed; what it reads has no error.
template <limits L, class F>
constexpr void rename(std::string_view text, const statements<L>& said, const label_names<L>& names,
                      F put) {
  const int n = static_cast<int>(text.size());
  for (int i = 0; i < n; ++i) {
    const char c = text[static_cast<std::size_t>(i)];
    if (parsing::is_space(c)) continue;
    if (c == '-' && i + 1 < n && text[static_cast<std::size_t>(i) + 1] == '>') break;
    if (c == '[') {
      const int close = static_cast<int>(parsing::closing(text, static_cast<std::size_t>(i)));
      put(letter(id_of<L>(text, names, i + 1, close - i - 1)));
      i = close;
    } else {
      put(parsing::is_letter(c) ? letter(id_of<L>(text, names, i, 1)) : c);
    }
  }
  put('-');
  put('>');
  const statement<L>& last = said.list[said.count - 1];
  for (int i = 0; i <= last.result.count; ++i) {
    for (int dots = 0; i == last.result_ellipsis && dots < 3; ++dots) put('.');
    if (i < last.result.count) put(letter(last.result[i]));
  }
}

}  // namespace renaming

/// The canonical form of a text without errors; of one with very many labels the text itself.
/// `Text` has the members of `subscripts`.
template <literal S, class Text>
constexpr auto canonical() {
  if constexpr (Text::said.label_count > renaming::most_labels) {
    return S;
  } else {
    constexpr std::size_t length = [] {
      std::size_t n = 0;
      renaming::rename<Text::bounds>(S.view(), Text::said, Text::names, [&](char) { ++n; });
      return n;
    }();
    char text[length + 1] = {};
    std::size_t n = 0;
    renaming::rename<Text::bounds>(S.view(), Text::said, Text::names,
                                   [&](char c) { text[n++] = c; });
    return literal<length + 1>(text);
  }
}

}  // namespace tenfold
