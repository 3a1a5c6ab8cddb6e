#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <planned.hpp>
#include <string>
#include <vector>

/// One case of fuzz_einsum: an expression and everything that its operands are made by.
namespace tenfold::testing {

/// How the strides of an operand follow from its extents.
struct stride_recipe {
  std::vector<int> order;  ///< of the axes, innermost first
  std::vector<index> pad;  ///< entries behind each axis
  std::vector<int> sign;   ///< 1, -1, or 0: the axis repeats its entries

  std::vector<index> strides(const std::vector<index>& extents) const {
    std::vector<index> s(extents.size());
    index stride = 1;
    for (const int axis : order) {
      const auto a = static_cast<std::size_t>(axis);
      s[a] = stride * sign[a];
      if (sign[a] != 0) stride = stride * std::max<index>(extents[a], 1) + pad[a];
    }
    return s;
  }
};

struct expression_case {
  std::uint64_t seed = 0;
  std::string text;
  std::vector<index> extent;           ///< by label
  std::vector<std::vector<int>> axes;  ///< labels of each operand; the output's last
  std::vector<std::size_t> term;       ///< in which an operand stands
  std::vector<int> signs;              ///< of the terms
  std::vector<int> dots;               ///< where the ellipsis stands in an operand; -1: nowhere
  std::vector<std::size_t> hidden;     ///< for how many axes it stands there
  std::vector<label_set> single;       ///< labels along which an operand has one entry
  std::vector<std::size_t> twin;       ///< the operand whose entries these are, or itself
  std::vector<stride_recipe> recipe;   ///< as axes
  std::vector<scalar> type;            ///< as axes
  std::vector<bool> conjugated;
  entries_kind kind = entries_kind::random;
  call_settings settings;
  int constant = -1;  ///< a label of the output along which no operand varies

  std::size_t operands() const { return axes.size() - 1; }
};

inline std::vector<index> extents_of(const expression_case& c, std::size_t operand) {
  std::vector<index> e;
  for (const int label : c.axes[operand]) {
    const bool one = contains(c.single[operand], label);
    e.push_back(one ? 1 : c.extent[static_cast<std::size_t>(label)]);
  }
  return e;
}

inline void print(const expression_case& c) {
  const char* const scalars[] = {"float", "double", "complex<float>", "complex<double>"};
  const auto& [alpha, beta, options, path] = c.settings;
  std::printf("  \"%s\"  %s entries, alpha (%g, %g), beta (%g, %g)", c.text.c_str(),
              c.kind == entries_kind::exact ? "exact" : "random", alpha.re, alpha.im, beta.re,
              beta.im);
  if (options.numpy_semantics) std::printf(", numpy_semantics");
  if (options.accumulates) {
    std::printf(", accumulate<%s>", scalars[static_cast<int>(options.accumulate)]);
  }
  if (!(path == path_options{})) {
    std::printf(", path method %d, objective %d", static_cast<int>(path.method),
                static_cast<int>(path.objective));
  }
  std::printf("\n");
  for (std::size_t o = 0; o < c.axes.size(); ++o) {
    std::printf(o == c.operands() ? "  output    " : "  operand %zu ", o);
    std::printf("%s%s extents", scalars[static_cast<int>(c.type[o])],
                o < c.operands() && c.conjugated[o] ? " conjugated" : "");
    const auto extents = extents_of(c, o);
    for (const index n : extents) std::printf(" %ld", static_cast<long>(n));
    std::printf("  strides");
    for (const index s : c.recipe[o].strides(extents)) std::printf(" %ld", static_cast<long>(s));
    if (c.twin[o] != o) std::printf("  the entries of operand %zu", c.twin[o]);
    std::printf("\n");
  }
  if (c.constant >= 0) {
    std::printf(
        "  no operand varies along label number %d (by its first place in the list above)\n",
        c.constant);
  }
}

}  // namespace tenfold::testing
