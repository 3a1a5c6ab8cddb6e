#pragma once

#include <array>
#include <tenfold/contraction/kernel.hpp>
#include <tenfold/dsel/kernel_notation.hpp>

/// The types of a fused kernel's statements -> kernel, and its text for messages:
///   g(e,q) = B(q,i) * u(e,i); v(e,l) = B(q,l) * D(e,q) * g(e,q)
namespace tenfold::fusing {

/// Writes the text (or counts its characters, if there is no place for it) and fills the kernel.
class kernel_reader {
 public:
  constexpr explicit kernel_reader(char* text) : text_(text) {}

  kernel value{};
  diagnostic error{};
  int length = 0;

  template <class Target, bool Adds, class... P>
  constexpr void read(statement<Target, Adds, P...>) {
    if (value.statement_count > 0) put("; ");
    if (value.statement_count == kernel::max_statements) return too_long();
    kernel_statement& s = value.statements[value.statement_count++];
    s.adds = Adds;
    read(s.target, Target{});
    put(Adds ? " += " : " = ");
    s.first = value.term_count;
    (read_term(P{}, value.term_count == s.first), ...);
    s.count = value.term_count - s.first;
  }

  template <char... Name>
  constexpr void set_batch(label<Name...>) {
    value.batch = find_label(label_characters<Name...>::view());
  }

 private:
  template <char... Name>
  struct label_characters {
    static constexpr char text[] = {Name...};
    static constexpr std::string_view view() { return {text, sizeof...(Name)}; }
  };

  constexpr void put(std::string_view s) {
    for (const char c : s) {
      if (text_ != nullptr) text_[length] = c;
      ++length;
    }
  }
  constexpr void too_long() {
    if (!error) error = {diagnosis::too_long_program};
  }

  template <int Sign, class... A>
  constexpr void read_term(product<Sign, A...>, bool first) {
    put(first ? (Sign < 0 ? "-" : "") : Sign < 0 ? " - " : " + ");
    if (value.term_count == kernel::max_terms ||
        value.factor_count + static_cast<int>(sizeof...(A)) > kernel::max_factors) {
      return too_long();
    }
    value.terms[value.term_count++] = {Sign, value.factor_count, static_cast<int>(sizeof...(A))};
    bool begins = true;
    ((put(begins ? "" : " * "), begins = false, read(value.factors[value.factor_count++], A{})),
     ...);
  }

  template <class Tensor, class... L>
  constexpr void read(kernel_access& x, access<Tensor, L...>) {
    read_tensor(x, Tensor{});
    put("(");
    bool begins = true;
    ((put(begins ? "" : ","), begins = false, read_label(x, L{})), ...);
    put(")");
  }

  template <literal Name>
  constexpr void read_tensor(kernel_access& x, input<Name>) {
    x.operand = operand(Name.view(), operand_role::input);
  }
  template <literal Name>
  constexpr void read_tensor(kernel_access& x, output<Name>) {
    x.operand = operand(Name.view(), operand_role::output);
  }
  template <literal Name>
  constexpr void read_tensor(kernel_access& x, local<Name>) {
    x.operand = operand(Name.view(), operand_role::local);
  }
  template <int At, class On, class Off>
  constexpr void read_tensor(kernel_access& x, stack<At, On, Off>) {
    put("along");
    put_argument(At);
    put("(");
    x.at = At;
    x.operand = operand(On::name, operand_role::input);
    put(",");
    x.otherwise = operand(Off::name, operand_role::input);
    put(")");
  }
  template <class Tensor, int Axis, bool IsDiagonal>
  constexpr void read_tensor(kernel_access& x, compact_matrix<Tensor, Axis, IsDiagonal>) {
    put(IsDiagonal ? "diagonal" : "symmetric");
    if (Axis != 1) put_argument(Axis);
    put("(");
    x.operand = operand(Tensor::name, operand_role::input);
    x.pair = Axis;
    x.is_diagonal = IsDiagonal;
    put(")");
  }

  constexpr void put_argument(int n) {
    const char digits[] = {static_cast<char>('0' + n / 10), static_cast<char>('0' + n % 10)};
    put("<");
    put(std::string_view(digits, 2).substr(n < 10 ? 1 : 0));
    put(">");
  }

  /// The number of the operand of this name; writes it.
  constexpr int operand(std::string_view name, operand_role role) {
    const label_name here{length, static_cast<int>(name.size())};
    put(name);
    for (int o = 0; o < value.operand_count; ++o) {
      if (names_[o] != name) continue;
      if (value.operands[o].role != role && !error) {
        error = {diagnosis::two_roles, here.begin, here.length};
      }
      return o;
    }
    if (value.operand_count == kernel::max_operands) {
      too_long();
      return 0;
    }
    names_[value.operand_count] = name;
    value.operands[value.operand_count] = {role, here};
    return value.operand_count++;
  }

  constexpr int find_label(std::string_view name) const {
    for (int l = 0; l < value.label_count; ++l) {
      if (label_names_[l] == name) return l;
    }
    return -1;
  }

  template <char... Name>
  constexpr void read_label(kernel_access& x, label<Name...>) {
    const std::string_view name = label_characters<Name...>::view();
    const label_name here{length, static_cast<int>(name.size())};
    put(name);
    int l = find_label(name);
    if (l < 0 && value.label_count == kernel::max_labels) return too_long();
    if (x.labels.count == kernel_access::max_rank) return too_long();
    if (l < 0) {
      l = value.label_count++;
      label_names_[l] = name;
      value.labels[l] = here;
    }
    x.position[x.labels.count] = here.begin;
    x.labels.push(l);
  }

  char* text_;
  std::string_view names_[kernel::max_operands] = {};
  std::string_view label_names_[kernel::max_labels] = {};
};

/// A kernel as read; a type, so that each is read once. `Batch` is a label.
template <class Batch, class... Statement>
class kernel_text {
  static constexpr kernel_reader read(char* to) {
    kernel_reader reader(to);
    (reader.read(Statement{}), ...);
    reader.set_batch(Batch{});
    return reader;
  }
  static constexpr int length = read(nullptr).length;
  static constexpr auto characters = [] {
    std::array<char, static_cast<std::size_t>(length) + 1> chars{};
    read(chars.data());
    return chars;
  }();

 public:
  static constexpr std::string_view text{characters.data(), static_cast<std::size_t>(length)};
  static constexpr kernel value = read(nullptr).value;
  static constexpr diagnostic error = [] {
    const diagnostic wrong = read(nullptr).error;
    return wrong ? wrong : check(value);
  }();
};

}  // namespace tenfold::fusing
