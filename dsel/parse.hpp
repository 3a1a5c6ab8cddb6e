#pragma once

#include <string_view>
#include <tenfold/contraction/diagnostic.hpp>
#include <tenfold/contraction/statements.hpp>

/// Subscripts to statements: the one parser, for literals at compile time and strings at run time.
///
///   subscripts = term { "," term } [ "->" term ]        white space anywhere
///   term       = { label }                              empty: a scalar
///   label      = letter | "[" any characters but "[" and "]" "]"
///
/// Without an arrow the output holds the labels that occur exactly once, sorted bytewise (NumPy).
namespace tenfold {

template <limits L>
struct parse_result {
  statements<L> value{};
  label_names<L> names{};
  diagnostic error{};
};

namespace parsing {

constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Where the bracket opened at `open` closes; npos when the text ends, or another opens, before.
/// By hand: to g++ 12 under -fsanitize=undefined, a search of string_view is no constant.
constexpr std::size_t closing(std::string_view text, std::size_t open) {
  for (std::size_t i = open + 1; i < text.size() && text[i] != '['; ++i) {
    if (text[i] == ']') return i;
  }
  return std::string_view::npos;
}

/// Whether text[begin, end) stands in the text before `begin`.
constexpr bool stands_before(std::string_view text, std::size_t begin, std::size_t end) {
  const std::size_t length = end - begin;
  for (std::size_t i = 0; i + length <= begin; ++i) {
    if (text.substr(i, length) == text.substr(begin, length)) return true;
  }
  return false;
}

}  // namespace parsing

/// The smallest limits that hold the subscripts; text that holds more than `large_limits` is left
/// to parse, which names what is too much.
constexpr limits limits_of(std::string_view text) {
  int operands = 1, labels = 0, rank = 0, run = 0;
  bool seen[128] = {}, arrow = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ',' || c == '>') {
      operands += c == ',';
      arrow = arrow || c == '>';
      run = 0;
    } else if (c == '[') {
      const std::size_t close = parsing::closing(text, i);
      if (close == text.npos) break;  // parse will say so
      if (!parsing::stands_before(text, i, close + 1)) ++labels;
      if (++run > rank) rank = run;
      i = close;
    } else if (!parsing::is_space(c) && c != '-') {
      const auto u = static_cast<unsigned char>(c);
      if (u >= 128 || !seen[u]) ++labels;
      if (u < 128) seen[u] = true;
      if (++run > rank) rank = run;
    }
  }
  if (!arrow && labels > rank) rank = labels;  // any of them may be in the output
  for (const limits& l : {small_limits, medium_limits}) {
    if (operands <= l.operands && labels <= l.labels && rank <= l.rank) return l;
  }
  return large_limits;
}

namespace parsing {

/// Walks the text once and fills the result; stops at the first error.
template <limits L>
struct walker {
  std::string_view text;
  parse_result<L>& out;
  label_list<L.rank>* current;
  int* positions;
  bool in_output = false;
  int occurrences[L.labels] = {};

  constexpr void fail(diagnosis code, int position, int length = 1, index number = 0) {
    out.error = {code, position, length, {number}};
  }

  constexpr int find(std::string_view name) const {
    for (int i = 0; i < out.value.label_count; ++i) {
      const label_name& known = out.names.name[i];
      if (text.substr(static_cast<std::size_t>(known.begin),
                      static_cast<std::size_t>(known.length)) == name) {
        return i;
      }
    }
    return -1;
  }

  /// One occurrence of the label text[begin, begin + length); `at` is what a message points to.
  constexpr void label(int begin, int length, int at) {
    int id = find(text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(length)));
    if (in_output) {
      if (id < 0) return fail(diagnosis::output_label_unknown, at, length);
      if (current->find(id) >= 0) return fail(diagnosis::output_label_repeated, at, length);
    } else if (id < 0) {
      if (out.value.label_count == L.labels) {
        return fail(diagnosis::too_many_labels, at, length, L.labels);
      }
      id = out.value.label_count++;
      out.names.name[id] = {begin, length};
    }
    if (current->count == L.rank) return fail(diagnosis::too_high_rank, at, length, L.rank);
    positions[current->count] = at;
    current->push(id);
    if (!in_output) ++occurrences[id];
  }
};

}  // namespace parsing

/// Reads subscripts. Complexity: linear in the text times the number of labels.
template <limits L>
constexpr parse_result<L> parse(std::string_view text) {
  parse_result<L> out;
  statement<L>& s = out.value.list[0];
  out.value.count = 1;
  s.factor_count = 1;
  parsing::walker<L> walk{text, out, &s.factors[0].labels, out.names.position[0]};
  const int n = static_cast<int>(text.size());

  for (int i = 0; i < n && !out.error; ++i) {
    const char c = text[static_cast<std::size_t>(i)];
    if (parsing::is_space(c)) continue;
    if (parsing::is_letter(c)) {
      walk.label(i, 1, i);
    } else if (c == '[') {
      const std::size_t close = parsing::closing(text, static_cast<std::size_t>(i));
      if (close == text.npos) {
        walk.fail(diagnosis::open_bracket, i);
      } else if (static_cast<int>(close) == i + 1) {
        walk.fail(diagnosis::empty_bracket, i);
      } else {
        walk.label(i + 1, static_cast<int>(close) - i - 1, i + 1);
        i = static_cast<int>(close);
      }
    } else if (c == ',') {
      if (walk.in_output) {
        walk.fail(diagnosis::comma_in_output, i);
      } else if (s.factor_count == L.operands) {
        walk.fail(diagnosis::too_many_operands, i, 1, L.operands);
      } else {
        walk.current = &s.factors[s.factor_count].labels;
        walk.positions = out.names.position[s.factor_count];
        s.factors[s.factor_count].source = s.factor_count;
        ++s.factor_count;
      }
    } else if (c == '-' && i + 1 < n && text[static_cast<std::size_t>(i) + 1] == '>') {
      if (walk.in_output) {
        walk.fail(diagnosis::second_arrow, i);
      } else {
        walk.in_output = true;
        walk.current = &s.result;
        walk.positions = out.names.position[L.operands];
        ++i;
      }
    } else if (c == '-' || c == '>') {
      walk.fail(diagnosis::broken_arrow, i);
    } else if (c == '.') {
      walk.fail(diagnosis::ellipsis, i);
    } else {
      walk.fail(diagnosis::unexpected_character, i);
    }
  }
  if (out.error) return out;
  out.value.input_count = s.factor_count;

  if (!walk.in_output) {
    const auto name = [&](int id) {
      return text.substr(static_cast<std::size_t>(out.names.name[id].begin),
                         static_cast<std::size_t>(out.names.name[id].length));
    };
    for (int id = 0; id < out.value.label_count; ++id) {
      if (walk.occurrences[id] != 1) continue;
      if (s.result.count == L.rank) {
        walk.fail(diagnosis::too_high_rank, out.names.name[id].begin, out.names.name[id].length,
                  L.rank);
        return out;
      }
      int at = s.result.count++;
      for (; at > 0 && name(id) < name(s.result[at - 1]); --at) {
        s.result.id[at] = s.result.id[at - 1];
      }
      s.result.id[at] = static_cast<std::uint8_t>(id);
    }
    for (int i = 0; i < s.result.count; ++i) {
      out.names.position[L.operands][i] = out.names.name[s.result[i]].begin;
    }
  }

  label_set all = 0;
  for (int id = 0; id < out.value.label_count; ++id) all |= bit(id);
  s.kind = s.result.set() == all ? statement_kind::pointwise : statement_kind::contract;
  return out;
}

}  // namespace tenfold
