#pragma once

#include <array>
#include <initializer_list>
#include <string_view>
#include <tenfold/contraction/bind.hpp>
#include <tenfold/contraction/make_plan.hpp>

/// Problems for the tests of this room, which cannot see the parser: labels are letters, every
/// factor is dense and row-major.
namespace tenfold::testing {

struct letter_extent {
  char letter;
  index extent;
};

template <limits L>
struct said {
  statements<L> text{};
  label_names<L> names{};
  char letters[L.labels] = {};

  constexpr int label(char c) {
    for (int i = 0; i < text.label_count; ++i) {
      if (letters[i] == c) return i;
    }
    letters[text.label_count] = c;
    return text.label_count++;
  }
};

template <limits L>
constexpr said<L> say(std::initializer_list<std::string_view> factors, std::string_view result) {
  said<L> s;
  statement<L>& one = s.text.list[0];
  s.text.count = 1;
  for (const std::string_view f : factors) {
    term<L>& t = one.factors[one.factor_count];
    t.source = one.factor_count++;
    for (const char c : f) t.labels.push(s.label(c));
  }
  for (const char c : result) one.result.push(s.label(c));
  s.text.input_count = one.factor_count;
  return s;
}

template <limits L>
constexpr index extent_of(char c, std::initializer_list<letter_extent> extents) {
  for (const letter_extent& e : extents) {
    if (e.letter == c) return e.extent;
  }
  return 2;
}

/// The problem of dense row-major operands; letters that are not named have extent 2.
template <limits L>
constexpr problem<L> problem_of(std::initializer_list<std::string_view> factors,
                                std::string_view result,
                                std::initializer_list<letter_extent> extents) {
  const said<L> s = say<L>(factors, result);
  operand_shape<L.rank> shapes[L.operands] = {};
  int o = 0;
  for (const std::string_view f : factors) {
    operand_shape<L.rank>& x = shapes[o++];
    x.rank = static_cast<int>(f.size());
    index stride = 1;
    for (std::size_t i = f.size(); i-- > 0;) {
      x.extents[i] = extent_of<L>(f[i], extents);
      x.strides[i] = stride;
      stride = stride == dyn || x.extents[i] == dyn ? dyn : stride * x.extents[i];
    }
  }
  return bind<L, L.rank>(s.text, s.names, shapes, o).value;
}

/// The eight-operand mass operator of degree p with p + 2 quadrature points, on dyn elements.
template <limits L>
constexpr problem<L> mass_operator(index p) {
  const index n = p + 1, q = p + 2;
  return problem_of<L>({"qi", "rj", "sk", "eqrs", "ql", "rm", "sn", "eijk"}, "elmn",
                       {{'e', dyn}, {'q', q}, {'r', q}, {'s', q}, {'i', n}, {'j', n}, {'k', n},
                        {'l', n}, {'m', n}, {'n', n}});
}

}  // namespace tenfold::testing
