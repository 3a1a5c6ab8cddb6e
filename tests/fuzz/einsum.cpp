// Random expressions on run-time strings against the reference: parse, expand, bind, plan, lower,
// launch.
//
//   fuzz_einsum [SEED [CASES]]      case number i of seed s is case 0 of seed s + i
//
// A case draws sums of one to three products with labels of all classes (batch, free, contracted,
// in many operands, private to one, repeated on a diagonal, hidden in an ellipsis), operands that
// are repeated along some of them, extents from 0 on, strides of any kind, the four scalars and
// mixes of them, conjugated or not, alpha and beta, a path; and runs as a string, through a plan,
// and on every instruction set of the CPU. Exact data must give exact results; entries outside the
// result and inputs must stay as they are; alpha = 0 reads no input and beta = 0 no output; where
// no operand varies along a label the results must be equal in every bit, wherever a tile or a
// vector ends; a plan gives the bits of the string. A failing case is made smaller and printed.
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <planned.hpp>
#include <string>
#include <tenfold/dsel/reusable_plan.hpp>
#include <tenfold/tensor/error.hpp>
#include <variant>

namespace tenfold::testing {
namespace {

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

std::vector<index> extents_of(const expression_case& c, std::size_t operand) {
  std::vector<index> e;
  for (const int label : c.axes[operand]) {
    const bool one = contains(c.single[operand], label);
    e.push_back(one ? 1 : c.extent[static_cast<std::size_t>(label)]);
  }
  return e;
}

index draw_extent(generator& g) {
  const index kind = between(g, 0, 99);
  if (kind < 2) return 0;
  if (kind < 12) return 1;
  if (kind < 60) return between(g, 2, 5);
  if (kind < 92) return between(g, 6, 20);
  return between(g, 21, 70);
}

stride_recipe draw_recipe(generator& g, std::size_t rank, bool input) {
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
std::vector<std::string> draw_names(generator& g, std::size_t count) {
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
std::string write(generator& g, const expression_case& c, const std::vector<std::string>& names,
                  bool arrow) {
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

constexpr std::size_t highest_rank = 8;

/// Puts a label into an operand, now and then twice; whether there was room.
bool put(generator& g, std::vector<int>& axes, int label, double twice) {
  const std::size_t before = axes.size();
  for (int times = chance(g, twice) ? 2 : 1; times > 0 && axes.size() < highest_rank; --times) {
    const auto end = static_cast<index>(axes.size());
    axes.insert(axes.begin() + (chance(g, 0.5) ? between(g, 0, end) : end), label);
  }
  return axes.size() > before;
}

/// Labels of one product. The first chooses those of the output, which the others have as well;
/// they may sum labels of earlier ones, and take over their operands.
void draw_product(generator& g, expression_case& c, std::size_t first, std::size_t operands,
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
void draw_ellipsis(generator& g, expression_case& c) {
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
void draw_scalars(generator& g, expression_case& c) {
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

void draw_settings(generator& g, expression_case& c) {
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

expression_case draw_case(std::uint64_t seed) {
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

/// Copies what stands at index 0 of `label` to all others.
template <class T>
void make_constant(sample<T>& x, const std::vector<int>& axes, int label) {
  const operand_shape<max_rank> shape = x.shape();
  reference::for_each_point(shape.extents.data(), shape.rank, [&](const index* i) {
    index at = 0, from = 0;
    for (std::size_t d = 0; d < axes.size(); ++d) {
      at += i[d] * x.strides()[d];
      if (axes[d] != label) from += i[d] * x.strides()[d];
    }
    x.data()[at] = x.data()[from];
  });
}

template <class T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
  return x.size() == y.size() &&
         (x.empty() || __builtin_memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0);
}

const char* name_of(instruction_set isa) {
  const char* const names[] = {"baseline", "avx2", "avx512"};
  return names[static_cast<int>(isa)];
}

/// A sample of any scalar.
using any_sample = std::variant<sample<float>, sample<double>, sample<std::complex<float>>,
                                sample<std::complex<double>>>;

any_sample make_sample(scalar type, const std::vector<index>& extents,
                       const std::vector<index>& strides) {
  switch (type) {
    case scalar::f32:
      return sample<float>(extents, strides);
    case scalar::f64:
      return sample<double>(extents, strides);
    case scalar::c32:
      return sample<std::complex<float>>(extents, strides);
    case scalar::c64:
      break;
  }
  return sample<std::complex<double>>(extents, strides);
}

template <class T>
constexpr T not_a_number() {
  if constexpr (is_complex(scalar_of<T>)) {
    constexpr auto nan = std::numeric_limits<typename T::value_type>::quiet_NaN();
    return T(nan, nan);
  } else {
    return std::numeric_limits<T>::quiet_NaN();
  }
}

/// What is wrong with the case, or "", for an output of Ts.
template <class T>
std::string run_case(const expression_case& c) {
  generator g(c.seed + 0x9e3779b97f4a7c15u);
  const std::size_t operands = c.operands();
  std::vector<any_sample> x;
  for (std::size_t o = 0; o < operands; ++o) {
    const auto extents = extents_of(c, o);
    x.push_back(make_sample(c.type[o], extents, c.recipe[o].strides(extents)));
    std::visit(
        [&](auto& s) {
          s.fill(g, c.kind);
          if (c.constant >= 0) make_constant(s, c.axes[o], c.constant);
        },
        x.back());
  }
  const auto y_extents = extents_of(c, operands);
  sample<T> y(y_extents, c.recipe[operands].strides(y_extents));
  y.fill(g, c.kind);
  if (c.constant >= 0) make_constant(y, c.axes[operands], c.constant);
  const std::vector<T> before = y.entries();
  const sample<T> y_before = y;

  operand_list inputs;
  bool twins = false;
  for (std::size_t o = 0; o < operands; ++o) {
    inputs.push_back(std::visit([](const auto& s) { return seen(s); }, x[c.twin[o]]));
    inputs.back().shape.conjugated = c.conjugated[o];
    twins = twins || c.twin[o] != o;
  }
  const auto count = static_cast<int>(operands);
  const alpha_factor alpha = c.settings.alpha;
  const beta_factor beta = c.settings.beta;
  const bind_options& options = c.settings.binding;
  const std::complex<double> a(alpha.re, alpha.im), b(beta.re, beta.im);
  const expectation want = expect(c.text, inputs);
  if (want.extents != y_extents) return "the reference has a result of other extents";
  const double work = c.kind == entries_kind::exact
                          ? 0
                          : work_of(c.text, inputs, c.settings) + 2;  // + 2: alpha and beta
  const scalar computed =
      options.accumulates ? binding::with_precision(options.accumulate, is_complex(scalar_of<T>))
                          : scalar_of<T>;
  if (is_zero(alpha)) {
    for (auto& any : x) {
      std::visit([](auto& s) { s.fill(not_a_number<std::remove_cvref_t<decltype(*s.data())>>()); },
                 any);
    }
  }
  const std::vector<any_sample> x_before = x;
  std::vector<T> bits;  // of the last run, without the gaps

  const auto judge = [&](const std::string& how) -> std::string {
    for (std::size_t o = 0; o < operands; ++o) {
      const bool same = std::visit(
          [&](const auto& s) {
            return same_bits(s.memory(),
                             std::get<std::remove_cvref_t<decltype(s)>>(x_before[o]).memory());
          },
          x[o]);
      if (!same) return how + ": an input was written";
    }
    const double r = residual(want, y.shape(), y.data(), before, a, b, work, computed);
    if (!(r <= 1)) return how + ": residual " + std::to_string(r) + " of the tolerance";
    bits = y.entries();
    if (c.constant >= 0) {
      sample<T> first = y;
      make_constant(first, c.axes[operands], c.constant);
      if (!same_bits(first.memory(), y.memory())) return how + ": bits depend on the position";
    }
    if (y.spoilt_gaps() > 0) return how + ": wrote between the entries of the output";
    return "";
  };
  const auto reset = [&] {
    y = y_before;
    if (is_zero(beta)) y.fill(not_a_number<T>());
  };

  reset();
  evaluate(c.text, inputs.data(), count, y.shape(), y.data(), c.settings);
  std::string wrong = judge("evaluate");
  if (!wrong.empty()) return wrong;
  const std::vector<T> evaluated = bits;

  reset();
  const auto y_shape = y.shape();
  const run_time_plan planned(c.text, inputs.data(), count, &y_shape, c.settings);
  planned.run(inputs.data(), count, y_shape, y.data(), c.settings);
  wrong = judge("plan");
  if (!wrong.empty()) return wrong;
  // A plan cannot know which operands will be one tensor.
  if (!twins && !same_bits(bits, evaluated)) return "plan: other bits than evaluate";
  if (is_zero(alpha)) return "";

  for (const instruction_set isa : instruction_sets()) {
    reset();
    evaluate_on(isa, c.text, inputs, y.shape(), y.data(), c.settings);
    wrong = judge(name_of(isa));
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string run_case(const expression_case& c) {
  try {
    switch (c.type.back()) {
      case scalar::f32:
        return run_case<float>(c);
      case scalar::f64:
        return run_case<double>(c);
      case scalar::c32:
        return run_case<std::complex<float>>(c);
      case scalar::c64:
        return run_case<std::complex<double>>(c);
    }
    return "an output of no scalar";
  } catch (const error& e) {
    return std::string("threw ") + e.what();
  }
}

/// The same failure with smaller extents and simpler strides, scalars and factors.
expression_case shrink(expression_case c) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    const auto attempt = [&](const expression_case& next) {
      if (run_case(next).empty()) return false;
      c = next;
      return smaller = true;
    };
    for (std::size_t l = 0; l < c.extent.size(); ++l) {
      for (const index e : {index{1}, c.extent[l] / 2, c.extent[l] - 1}) {
        expression_case next = c;
        next.extent[l] = e;
        if (e > 0 && e < c.extent[l] && attempt(next)) break;
      }
    }
    for (std::size_t o = 0; o < c.recipe.size(); ++o) {
      for (std::size_t a = 0; a < c.axes[o].size(); ++a) {
        expression_case next = c;
        next.recipe[o].pad[a] = 0;
        next.recipe[o].sign[a] = 1;
        if (next.recipe[o].pad != c.recipe[o].pad || next.recipe[o].sign != c.recipe[o].sign) {
          attempt(next);
        }
      }
      expression_case next = c;
      std::iota(next.recipe[o].order.rbegin(), next.recipe[o].order.rend(), 0);
      if (next.recipe[o].order != c.recipe[o].order) attempt(next);
      next = c;
      next.twin[o] = o;
      if (c.twin[o] != o) attempt(next);
      next = c;
      if (o < c.operands() && c.conjugated[o]) {
        next.conjugated[o] = false;
        attempt(next);
      }
    }
    for (double alpha_factor::*part : {&alpha_factor::re, &alpha_factor::im}) {
      expression_case next = c;
      next.settings.alpha.*part = part == &alpha_factor::re ? 1 : 0;
      if (next.settings.alpha.*part != c.settings.alpha.*part) attempt(next);
    }
    for (double beta_factor::*part : {&beta_factor::re, &beta_factor::im}) {
      expression_case next = c;
      next.settings.beta.*part = 0;
      if (c.settings.beta.*part != 0) attempt(next);
    }
    expression_case next = c;
    next.settings.path = {};
    if (!(c.settings.path == path_options{})) attempt(next);
  }
  return c;
}

void print(const expression_case& c) {
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

int fuzz(std::uint64_t seed, index cases) {
  std::printf("fuzz_einsum: seed %llu, %ld cases\n", static_cast<unsigned long long>(seed),
              static_cast<long>(cases));
  std::fflush(stdout);
  const bool verbose = std::getenv("TENFOLD_FUZZ_VERBOSE") != nullptr;  // to find what crashes
  index failures = 0;
  for (index i = 0; i < cases && failures < 10; ++i) {
    const std::uint64_t at = seed + static_cast<std::uint64_t>(i);
    const expression_case c = draw_case(at);
    if (verbose) {
      std::printf("case %llu\n", static_cast<unsigned long long>(at));
      print(c);
      std::fflush(stdout);
    }
    const std::string wrong = run_case(c);
    if (wrong.empty()) continue;
    ++failures;
    std::printf("FAILED: %s\n  again with: fuzz_einsum %llu 1\n", wrong.c_str(),
                static_cast<unsigned long long>(at));
    print(c);
    const expression_case small = shrink(c);
    std::printf("  smaller: %s\n", run_case(small).c_str());
    print(small);
    std::fflush(stdout);
  }
  std::printf("%ld failures\n", static_cast<long>(failures));
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tenfold::testing

int main(int argc, char** argv) {
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const long cases = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 1000;
  return tenfold::testing::fuzz(seed, cases);
}
