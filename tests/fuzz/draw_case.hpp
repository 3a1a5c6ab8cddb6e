#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <planned.hpp>
#include <string>
#include <vector>

#include "expression_case.hpp"

/// Draws a case of fuzz_einsum: labels, their operands, text, extents, strides, scalars, factors.
namespace tenfold::testing {

inline index draw_extent(generator& g) {
  const index kind = between(g, 0, 99);
  if (kind < 2) return 0;
  if (kind < 12) return 1;
  if (kind < 60) return between(g, 2, 5);
  if (kind < 92) return between(g, 6, 20);
  return between(g, 21, 70);
}

inline stride_recipe draw_recipe(generator& g, std::size_t rank, bool input) {
  stride_recipe r;
  r.order.resize(rank);
  r.pad.assign(rank, 0);
  r.sign.assign(rank, 1);
  std::iota(r.order.rbegin(), r.order.rend(), 0);  // row-major
  const index kind = between(g, 0, 9);
  if (kind < 4) return r;
  if (kind < 5) {
    std::reverse(r.order.begin(), r.order.end());
    return r;
  }
  if (kind < 8) std::shuffle(r.order.begin(), r.order.end(), g);
  for (std::size_t i = 0; i < rank; ++i) {
    if (chance(g, 0.25)) r.pad[i] = between(g, 1, 3);
    if (chance(g, 0.15)) r.sign[i] = -1;
    if (input && chance(g, 0.08)) r.sign[i] = 0;
  }
  return r;
}

/// Distinct label names: letters, some of them in brackets.
inline std::vector<std::string> draw_names(generator& g, std::size_t count) {
  std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::shuffle(letters.begin(), letters.end(), g);
  const bool brackets = chance(g, 0.1);
  std::vector<std::string> names;
  for (std::size_t l = 0; l < count; ++l) {
    names.emplace_back(1, letters[l]);
    if (brackets && chance(g, 0.5))
      names.back() += letters[static_cast<std::size_t>(between(g, 0, 2))];
  }
  return names;
}

/// The text, now and then with a sign in front where none is needed.
inline std::string write(generator& g, const expression_case& c,
                         const std::vector<std::string>& names, bool arrow) {
  const bool spaces = chance(g, 0.1);
  std::string text;
  const auto space = [&] {
    while (spaces && chance(g, 0.3)) text += " \t\n"[between(g, 0, 2)];
  };
  for (std::size_t o = 0; o < c.axes.size(); ++o) {
    const bool output = o == c.operands();
    if (output && !arrow) break;
    if (output) {
      text += "->";
    } else if (o == 0 || c.term[o] != c.term[o - 1]) {
      const bool minus = c.signs[c.term[o]] < 0;
      // In front of a sum, nothing would be no operand.
      const bool needed = o > 0 || (c.signs.size() > 1 && c.axes[o].empty() && c.dots[o] < 0);
      if (needed || minus || chance(g, 0.05)) text += minus ? '-' : '+';
    } else {
      text += ',';
    }
    const int end = static_cast<int>(c.axes[o].size());
    for (int i = 0; i <= end; ++i) {
      space();
      if (i == c.dots[o]) {
        text += "...";
        i += static_cast<int>(c.hidden[o]);
        space();
      }
      if (i == end) break;
      const std::string& name =
          names[static_cast<std::size_t>(c.axes[o][static_cast<std::size_t>(i)])];
      text += name.size() > 1 || chance(g, 0.02) ? "[" + name + "]" : name;
    }
  }
  return text;
}

inline constexpr std::size_t highest_rank = 8;

/// Puts a label into an operand, now and then twice; whether there was room.
inline bool put(generator& g, std::vector<int>& axes, int label, double twice) {
  const std::size_t before = axes.size();
  for (int times = chance(g, twice) ? 2 : 1; times > 0 && axes.size() < highest_rank; --times) {
    const auto end = static_cast<index>(axes.size());
    axes.insert(axes.begin() + (chance(g, 0.5) ? between(g, 0, end) : end), label);
  }
  return axes.size() > before;
}

/// Labels of one product. The first chooses those of the output, which the others have as well;
/// they may sum labels of earlier ones, and take over their operands.
inline void draw_product(generator& g, expression_case& c, std::size_t first, std::size_t operands,
                         index labels, std::vector<int>& output) {
  const auto any = [&] {
    return first + static_cast<std::size_t>(between(g, 0, static_cast<index>(operands) - 1));
  };
  if (first > 0) {
    const bool again = chance(g, 0.3);
    std::vector<int> present;
    for (std::size_t o = 0; again && o < std::min(first, operands); ++o) {
      c.axes[first + o] = c.axes[o];
      present.insert(present.end(), c.axes[o].begin(), c.axes[o].end());
    }
    if (again && chance(g, 0.5)) labels = 0;
    for (const int label : output) {
      const bool missing = std::find(present.begin(), present.end(), label) == present.end();
      if (missing) put(g, c.axes[any()], label, 0.05);
      if (!again && chance(g, 0.3)) put(g, c.axes[any()], label, 0);
    }
  }
  for (; labels > 0; --labels) {
    int label = static_cast<int>(c.extent.size());
    const bool known = first > 0 && !c.extent.empty() && chance(g, 0.4);
    if (known) label = static_cast<int>(between(g, 0, static_cast<index>(c.extent.size()) - 1));
    std::vector<bool> in(operands, false);
    const auto draw = [&] { return any() - first; };
    bool kept = false;
    const index kind = between(g, 0, 9);
    if (kind < 2) {  // batch
      in.assign(operands, true);
      if (chance(g, 0.3)) in[draw()] = false;
      kept = true;
    } else if (kind < 5) {  // free
      in[draw()] = true;
      kept = true;
    } else if (kind < 8) {  // contracted
      in[draw()] = true;
      in[draw()] = true;
    } else if (kind < 9) {  // in any operands
      for (std::size_t o = 0; o < operands; ++o) in[o] = chance(g, 0.5);
      kept = chance(g, 0.4);
    } else {  // private
      in[draw()] = true;
    }
    bool placed = false;
    for (std::size_t o = 0; o < operands; ++o) {
      if (in[o]) placed = put(g, c.axes[first + o], label, 0.08) || placed;
    }
    if (!placed || known) continue;
    if (first == 0 && kept && output.size() < highest_rank) output.push_back(label);
    c.extent.push_back(draw_extent(g));
  }
}

/// Hides up to three new labels behind an ellipsis: some operand of each term has all of them.
inline void draw_ellipsis(generator& g, expression_case& c) {
  const auto most = static_cast<std::size_t>(between(g, 0, 3));
  const int next = static_cast<int>(c.extent.size());
  for (std::size_t h = 0; h < most; ++h) c.extent.push_back(draw_extent(g));
  const auto hide = [&](std::size_t o, std::size_t count) {
    std::vector<int>& axes = c.axes[o];
    c.dots[o] = static_cast<int>(between(g, 0, static_cast<index>(axes.size())));
    c.hidden[o] = count;
    for (std::size_t h = 0; h < count; ++h) {
      axes.insert(axes.begin() + c.dots[o] + static_cast<int>(h),
                  next + static_cast<int>(most - count + h));
    }
  };
  for (std::size_t o = 0; o < c.operands(); ++o) {
    const bool last = o + 1 == c.operands() || c.term[o + 1] != c.term[o];
    bool full = false;  // an operand of this term has all hidden labels
    for (std::size_t i = 0; i < o; ++i) {
      full = full || (c.term[i] == c.term[o] && c.dots[i] >= 0 && c.hidden[i] == most);
    }
    if (last && !full) {
      hide(o, most);
    } else if (chance(g, 0.6)) {
      hide(o, static_cast<std::size_t>(between(g, 0, static_cast<index>(most))));
    }
  }
  if (most > 0 || chance(g, 0.5)) hide(c.operands(), most);
}

/// The scalars of operands and output.
inline void draw_scalars(generator& g, expression_case& c) {
  const auto precision = [&] { return chance(g, 0.4) ? scalar::f32 : scalar::f64; };
  bind_options& asked = c.settings.binding;
  asked.accumulates = chance(g, 0.15);
  asked.accumulate = precision();
  const scalar common = asked.accumulates ? asked.accumulate : precision();
  const bool mixed = asked.accumulates && common == scalar::f64;
  const double complex = chance(g, 0.5) ? 0 : chance(g, 0.5) ? 1 : 0.5;
  bool any = chance(g, 0.03);  // a complex output of real operands
  for (std::size_t o = 0; o < c.operands(); ++o) {
    const bool z = chance(g, complex);
    any = any || z;
    c.type.push_back(binding::with_precision(mixed ? precision() : common, z));
    c.conjugated.push_back(z && chance(g, 0.3));
    if (c.twin[o] != o) {
      c.type[o] = c.type[c.twin[o]];
      c.conjugated[o] = is_complex(c.type[o]) && chance(g, 0.5);
    }
  }
  c.type.push_back(binding::with_precision(mixed ? precision() : common, any));
}

inline void draw_settings(generator& g, expression_case& c) {
  c.kind = chance(g, 0.3) ? entries_kind::exact : entries_kind::random;
  const bool exact = c.kind == entries_kind::exact;
  const double alphas[] = {1, 1, 1, 0, -1, exact ? 2.0 : 0.7};
  const double betas[] = {0, 0, 0, 1, -1, exact ? 2.0 : -0.6};
  c.settings.alpha = {alphas[between(g, 0, 5)]};
  c.settings.beta = {betas[between(g, 0, 5)]};
  if (is_complex(c.type.back()) && chance(g, 0.3)) {
    c.settings.alpha.im = exact ? -1 : 0.4;
    c.settings.beta.im = chance(g, 0.5) ? 0 : exact ? 1 : -0.3;
  }
  path_options& path = c.settings.path;
  const index method = between(g, 0, 9);
  if (method == 0) path.method = path_method::greedy;
  if (method == 1) path = {.method = path_method::random_greedy, .seed = c.seed, .tries = 4};
  if (method == 2) path.method = path_method::dynamic_programming;
  if (method == 3) path.objective = path_objective::flops;
  if (method == 4) path.objective = path_objective::bytes;
}

inline expression_case draw_case(std::uint64_t seed) {
  generator g(seed);
  expression_case c;
  c.seed = seed;
  const index most_labels = chance(g, 0.1) ? 20 : 8;
  std::vector<int> output;
  const auto terms = static_cast<std::size_t>(chance(g, 0.7) ? 1 : between(g, 1, 3));
  for (std::size_t t = 0; t < terms; ++t) {
    const std::size_t first = c.axes.size();
    const auto operands =
        static_cast<std::size_t>(between(g, 1, terms == 1 && chance(g, 0.3) ? 6 : 3));
    c.axes.resize(first + operands);
    c.term.resize(first + operands, t);
    c.signs.push_back(chance(g, 0.4) && terms > 1 ? -1 : 1);
    draw_product(g, c, first, operands, between(g, 0, most_labels), output);
  }
  // A term may have left no room for a label of the output.
  std::erase_if(output, [&](int label) {
    std::vector<bool> has(terms, false);
    for (std::size_t o = 0; o < c.axes.size(); ++o) {
      for (const int l : c.axes[o]) {
        if (l == label) has[c.term[o]] = true;
      }
    }
    return std::find(has.begin(), has.end(), false) != has.end();
  });
  if (chance(g, 0.5)) std::shuffle(output.begin(), output.end(), g);

  std::vector<std::string> names = draw_names(g, c.extent.size());
  const bool arrow = terms > 1 || chance(g, 0.8);
  if (!arrow) {  // what occurs once, sorted
    output.clear();
    for (std::size_t l = 0; l < c.extent.size(); ++l) {
      index occurrences = 0;
      for (const auto& axes : c.axes) {
        occurrences += std::count(axes.begin(), axes.end(), static_cast<int>(l));
      }
      if (occurrences == 1) output.push_back(static_cast<int>(l));
    }
    std::sort(output.begin(), output.end(), [&](int a, int b) {
      return names[static_cast<std::size_t>(a)] < names[static_cast<std::size_t>(b)];
    });
  }
  c.axes.push_back(output);
  c.dots.assign(c.axes.size(), -1);
  c.hidden.assign(c.axes.size(), 0);
  const auto named = c.extent.size();
  if (chance(g, 0.25)) draw_ellipsis(g, c);
  if (!arrow && c.dots.back() > 0) {  // the ellipsis stands in front
    std::vector<int>& axes = c.axes.back();
    std::rotate(axes.begin(), axes.begin() + c.dots.back(),
                axes.begin() + c.dots.back() + static_cast<int>(c.hidden.back()));
    c.dots.back() = 0;
  }
  names.resize(c.extent.size());
  c.text = write(g, c, names, arrow);

  // Not too much work, and not too much memory on diagonals.
  const auto product = [&](const std::vector<int>* axes) {
    double n = 1;
    if (axes == nullptr) {
      for (const index e : c.extent) n *= static_cast<double>(std::max<index>(e, 1));
    } else {
      for (const int l : *axes) {
        n *= static_cast<double>(std::max<index>(c.extent[static_cast<std::size_t>(l)], 1));
      }
    }
    return n;
  };
  const double most_points = chance(g, 0.05) ? 200000 : 12000;
  const auto too_large = [&] {
    bool large = product(nullptr) > most_points;
    for (const auto& axes : c.axes) large = large || product(&axes) > 200000;
    return large;
  };
  while (too_large()) {
    auto& e = *std::max_element(c.extent.begin(), c.extent.end());
    e = (e + 1) / 2;
    if (e == 1) break;
    const auto i = static_cast<std::size_t>(between(g, 0, static_cast<index>(c.extent.size()) - 1));
    if (c.extent[i] > 1) --c.extent[i];
  }

  // Operands that are repeated: along hidden labels, or along any.
  c.single.assign(c.axes.size(), 0);
  c.settings.binding.numpy_semantics = chance(g, 0.15);
  for (std::size_t o = 0; o < c.operands(); ++o) {
    for (const int l : c.axes[o]) {
      const bool may = c.settings.binding.numpy_semantics || l >= static_cast<int>(named);
      if (may && chance(g, 0.2)) c.single[o] |= bit(l);
    }
  }
  // The output has one entry along a label where all operands have.
  for (const int l : c.axes.back()) {
    bool all = true;
    for (std::size_t o = 0; o < c.operands(); ++o) {
      for (const int own : c.axes[o]) all = all && (own != l || contains(c.single[o], l));
    }
    if (all) c.single.back() |= bit(l);
  }

  for (std::size_t o = 0; o < c.axes.size(); ++o) {
    c.recipe.push_back(draw_recipe(g, c.axes[o].size(), o < c.operands()));
    c.twin.push_back(o);
    for (std::size_t before = 0; before < o && o < c.operands(); ++before) {
      if (c.twin[before] != before || c.axes[before].size() != c.axes[o].size()) continue;
      if (extents_of(c, before) != extents_of(c, o) || !chance(g, 0.6)) continue;
      c.twin[o] = before;
      c.recipe[o] = c.recipe[before];
      break;
    }
  }
  draw_scalars(g, c);
  draw_settings(g, c);
  if (!c.axes.back().empty() && chance(g, 0.3)) {
    const auto& labels = c.axes.back();
    c.constant =
        labels[static_cast<std::size_t>(between(g, 0, static_cast<index>(labels.size()) - 1))];
    // A twin under other labels would vary.
    for (std::size_t o = 0; o < c.operands(); ++o) {
      if (c.axes[c.twin[o]] != c.axes[o]) c.constant = -1;
    }
  }
  return c;
}

}  // namespace tenfold::testing
