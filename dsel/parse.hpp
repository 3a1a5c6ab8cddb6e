#pragma once

#include <string_view>
#include <tenfold/contraction/diagnostic.hpp>
#include <tenfold/contraction/statements.hpp>

/// Subscripts to statements: the one parser, for literals at compile time and strings at run time.
///
///   subscripts = sum [ "->" operand ]                   white space anywhere
///   sum        = [ sign ] product { sign product }
///   sign       = "+" | "-"
///   product    = operand { "," operand }
///   operand    = { label | "..." }                      empty: a scalar; one ellipsis at most
///   label      = letter | "[" any characters but "[" and "]" "]"
///
/// Without an arrow the output holds the labels that occur exactly once, sorted bytewise, behind
/// the ellipsis if any operand has one (NumPy); in a sum, those that occur exactly once in every
/// product. Behind an arrow, every product must have every label of the output.
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
/// to parse, which names what is too much. `ranks` of the operands, if given, tell for how many
/// labels each ellipsis stands.
constexpr limits limits_of(std::string_view text, const int* ranks = nullptr, int count = 0) {
  int operands = 1, labels = 0, rank = 0, run = 0, hidden = 0;
  bool seen[128] = {}, arrow = false, sum = false, started = false, dots = false;
  const auto end_operand = [&] {
    if (dots && !arrow && operands <= count && ranks[operands - 1] - run > hidden) {
      hidden = ranks[operands - 1] - run;
    }
    if (dots && hidden > 0) run += hidden;
    if (run > rank) rank = run;
    run = 0;
    dots = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (parsing::is_space(c)) continue;
    if (c == '.') {
      dots = true;
    } else if (c == '-' && i + 1 < text.size() && text[i + 1] == '>') {
      end_operand();
      arrow = true;
      ++i;
    } else if (c == ',' || c == '+' || c == '-') {
      if (c != ',') sum = true;
      if (c == ',' || started) {
        end_operand();
        ++operands;
      }
    } else {
      const std::size_t close = c == '[' ? parsing::closing(text, i) : i;
      if (close == text.npos) break;  // parse will say so
      const auto u = static_cast<unsigned char>(c);
      if (c == '[') {
        if (!parsing::stands_before(text, i, close + 1)) ++labels;
      } else if (u >= 128 || !seen[u]) {
        ++labels;
      }
      if (u < 128) seen[u] = true;
      ++run;
      i = close;
    }
    started = true;
  }
  end_operand();
  labels += hidden;
  if (!arrow && labels > rank) rank = labels;  // any of them may be in the output
  limits found = large_limits;
  for (const limits& l : {medium_limits, small_limits}) {
    if (operands <= l.operands && labels <= l.labels && rank <= l.rank) found = l;
  }
  return sum ? with_sums(found) : found;
}

namespace parsing {

/// Walks the text once and fills the result; stops at the first error.
template <limits L>
struct walker {
  std::string_view text;
  parse_result<L>& out;
  label_list<L.rank>* current = &out.value.list[0].factors[0].labels;
  int* ellipsis = &out.value.list[0].factors[0].ellipsis;
  int slot = 0;  ///< in `names`, of the operand at hand
  bool in_output = false;
  bool started = false;          ///< anything but white space has been read
  int signs[L.operands] = {1};   ///< by product
  label_set once = 0, more = 0;  ///< the labels of the product at hand
  label_set free = 0;            ///< those that occur once in product 0
  int disagreement = -1;         ///< the first product in which others do
  int first_ellipsis = -1;       ///< where it stands

  constexpr void fail(diagnosis code, int position, int length = 1, index number = 0) {
    if (!out.error) out.error = {code, position, length, {number}};
  }

  constexpr std::string_view name(int id) const {
    const label_name& known = out.names.name[id];
    return text.substr(static_cast<std::size_t>(known.begin),
                       static_cast<std::size_t>(known.length));
  }
  constexpr int find(std::string_view wanted) const {
    for (int i = 0; i < out.value.label_count; ++i) {
      if (name(i) == wanted) return i;
    }
    return -1;
  }

  constexpr statement<L>& product() { return out.value.list[out.value.count - 1]; }
  constexpr int products() const { return out.value.count; }

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
    out.names.position[slot][current->count] = at;
    current->push(id);
    if (!in_output) (contains(once | more, id) ? more : once) |= bit(id);
  }

  /// The dots at `at`; returns how many there are, three at most.
  constexpr int dots(int at) {
    int length = 0;
    for (auto i = static_cast<std::size_t>(at); i < text.size() && text[i] == '.'; ++i) {
      if (++length == 3) break;
    }
    if (length < 3) {
      fail(diagnosis::broken_ellipsis, at, length);
    } else if (*ellipsis >= 0) {
      fail(diagnosis::second_ellipsis, at, length);
    } else {
      *ellipsis = current->count;
      out.names.ellipsis[slot] = at;
      out.value.has_ellipsis = true;
      if (first_ellipsis < 0) first_ellipsis = at;
    }
    return length;
  }

  /// Begins the next operand of the product at hand, behind the sign or comma at `at`.
  constexpr void next_operand(int at) {
    const int input = ++out.value.input_count - 1;
    if (input == L.operands) return fail(diagnosis::too_many_operands, at, 1, L.operands);
    term<L>& next = product().factors[product().factor_count++];
    next.source = input;
    current = &next.labels;
    ellipsis = &next.ellipsis;
    slot = input;
  }

  /// Compares what occurs once in the product that ends here with product 0.
  constexpr void end_product() {
    const label_set ones = once & ~more;
    if (products() == 1) free = ones;
    if (free != ones && disagreement < 0) disagreement = products() - 1;
    once = more = 0;
  }

  constexpr void sign(char c, int at) {
    const int value = c == '-' ? -1 : 1;
    if (!started) {
      signs[0] = value;
      return;
    }
    end_product();
    if constexpr (L.statements > 1) {
      // The sum itself needs a statement as well.
      if (products() + 1 < L.statements) {
        signs[out.value.count++] = value;
        return next_operand(at);
      }
    }
    fail(diagnosis::too_many_terms, at, 1, L.statements - 1);
  }

  constexpr void begin_output() {
    end_product();
    in_output = true;
    current = &out.value.list[0].result;
    ellipsis = &out.value.list[0].result_ellipsis;
    slot = L.operands;
  }

  /// The output that is not written.
  constexpr void imply_output() {
    end_product();
    if (disagreement > 0) return fail(diagnosis::terms_disagree, -1, 0, disagreement);
    label_list<L.rank>& result = out.value.list[0].result;
    for (int id = 0; id < out.value.label_count; ++id) {
      if (!contains(free, id)) continue;
      if (result.count == L.rank) {
        return fail(diagnosis::too_high_rank, out.names.name[id].begin, out.names.name[id].length,
                    L.rank);
      }
      int at = result.count++;
      for (; at > 0 && name(id) < name(result[at - 1]); --at) result.id[at] = result.id[at - 1];
      result.id[at] = static_cast<std::uint8_t>(id);
    }
    for (int i = 0; i < result.count; ++i) {
      out.names.position[L.operands][i] = out.names.name[result[i]].begin;
    }
    if (out.value.has_ellipsis) {
      out.value.list[0].result_ellipsis = 0;
      out.names.ellipsis[L.operands] = first_ellipsis;
    }
  }

  /// Kinds, and the statement that adds the products.
  constexpr void finish() {
    if constexpr (L.statements > 1) {
      if (products() > 1 || signs[0] < 0) return add_up();
    }
    if (signs[0] < 0) return fail(diagnosis::too_many_terms, -1, 0, 0);
    set_kind(out.value.list[0]);
  }

  constexpr label_set set_kind(statement<L>& s) const {
    label_set all = 0;
    for (int f = 0; f < s.factor_count; ++f) all |= s.factors[f].labels.set();
    s.kind = s.result.set() == all ? statement_kind::pointwise : statement_kind::contract;
    return all;
  }

  constexpr void add_up() {
    const label_list<L.rank> result = out.value.list[0].result;
    const int result_ellipsis = out.value.list[0].result_ellipsis;
    const int n = products();
    statement<L>& total = out.value.list[out.value.count++];
    total.kind = statement_kind::sum;
    total.factor_count = n;
    total.result = result;
    total.result_ellipsis = result_ellipsis;
    for (int p = 0; p < n; ++p) {
      statement<L>& s = out.value.list[p];
      s.result = result;
      s.result_ellipsis = result_ellipsis;
      const label_set all = set_kind(s);
      for (int i = 0; i < result.count; ++i) {
        if (contains(all, result[i])) continue;
        return fail(diagnosis::term_lacks_label, out.names.position[L.operands][i],
                    out.names.name[result[i]].length, p);
      }
      total.factors[p] = {out.value.input_count + p, false, signs[p], result_ellipsis, result};
    }
  }
};

}  // namespace parsing

/// Reads subscripts. Complexity: linear in the text times the number of labels.
template <limits L>
constexpr parse_result<L> parse(std::string_view text) {
  parse_result<L> out;
  out.value.count = 1;
  out.value.input_count = 1;
  out.value.list[0].factor_count = 1;
  parsing::walker<L> walk{text, out};
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
    } else if (c == '.') {
      i += walk.dots(i) - 1;
    } else if (c == ',') {
      if (walk.in_output) {
        walk.fail(diagnosis::comma_in_output, i);
      } else {
        walk.next_operand(i);
      }
    } else if (c == '-' && i + 1 < n && text[static_cast<std::size_t>(i) + 1] == '>') {
      if (walk.in_output) {
        walk.fail(diagnosis::second_arrow, i);
      } else {
        walk.begin_output();
        ++i;
      }
    } else if (c == '+' || c == '-') {
      if (walk.in_output) {
        walk.fail(diagnosis::sign_in_output, i);
      } else {
        walk.sign(c, i);
      }
    } else if (c == '>') {
      walk.fail(diagnosis::broken_arrow, i);
    } else {
      int length = 1;  // the other bytes of a character in UTF-8 belong to it
      while (i + length < n &&
             (static_cast<unsigned char>(text[static_cast<std::size_t>(i + length)]) & 0xC0) ==
                 0x80)
        ++length;
      walk.fail(diagnosis::unexpected_character, i, length);
    }
    walk.started = true;
  }
  if (!out.error && !walk.in_output) walk.imply_output();
  if (!out.error) walk.finish();
  return out;
}

}  // namespace tenfold
