// Random expressions on run-time strings against the reference: parse, bind, plan, lower, launch.
//
//   fuzz_einsum [SEED [CASES]]      case number i of seed s is case 0 of seed s + i
//
// A case draws labels of all classes (batch, free, contracted, in many operands, private to one,
// repeated on a diagonal), extents from 0 on, strides of any kind, float or double, alpha and beta,
// and runs on every instruction set of the CPU. Exact data must give exact results; entries outside
// the result and inputs must stay as they are; alpha = 0 reads no input and beta = 0 no output;
// where no operand varies along a label the results must be equal in every bit, wherever a tile or
// a vector ends. A failing case is made smaller and printed.
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <planned.hpp>
#include <string>
#include <tenfold/dsel/run_time.hpp>
#include <tenfold/tensor/error.hpp>

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
  std::vector<index> extent;            ///< by label
  std::vector<std::vector<int>> axes;   ///< labels of each operand; the output's last
  std::vector<stride_recipe> recipe;    ///< as axes
  bool single = false;                  ///< float
  entries_kind kind = entries_kind::random;
  double alpha = 1, beta = 0;
  int constant = -1;  ///< a label of the output along which no operand varies
};

std::vector<index> extents_of(const expression_case& c, std::size_t operand) {
  std::vector<index> e;
  for (const int label : c.axes[operand]) e.push_back(c.extent[static_cast<std::size_t>(label)]);
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
    if (brackets && chance(g, 0.5)) names.back() += letters[static_cast<std::size_t>(between(g, 0, 2))];
  }
  return names;
}

std::string write(generator& g, const expression_case& c, const std::vector<std::string>& names,
                  bool arrow) {
  const bool spaces = chance(g, 0.1);
  std::string text;
  const auto space = [&] {
    while (spaces && chance(g, 0.3)) text += " \t\n"[between(g, 0, 2)];
  };
  for (std::size_t o = 0; o < c.axes.size(); ++o) {
    const bool output = o + 1 == c.axes.size();
    if (output && !arrow) break;
    if (output) {
      text += "->";
    } else if (o > 0) {
      text += ",";
    }
    for (const int label : c.axes[o]) {
      space();
      const std::string& name = names[static_cast<std::size_t>(label)];
      text += name.size() > 1 || chance(g, 0.02) ? "[" + name + "]" : name;
    }
    space();
  }
  return text;
}

expression_case draw_case(std::uint64_t seed) {
  generator g(seed);
  expression_case c;
  c.seed = seed;
  const auto operands = static_cast<std::size_t>(between(g, 1, chance(g, 0.3) ? 6 : 3));
  const index most_labels = chance(g, 0.1) ? 20 : 8;
  const std::size_t highest_rank = 8;
  c.axes.resize(operands + 1);
  std::vector<int>& output = c.axes.back();
  const auto any = [&] { return static_cast<std::size_t>(between(g, 0, static_cast<index>(operands) - 1)); };
  std::vector<int> occurrences;

  for (index labels = between(g, 0, most_labels); labels > 0; --labels) {
    const int label = static_cast<int>(c.extent.size());
    std::vector<bool> in(operands, false);
    bool kept = false;
    const index kind = between(g, 0, 9);
    if (kind < 2) {  // batch
      in.assign(operands, true);
      if (chance(g, 0.3)) in[any()] = false;
      kept = true;
    } else if (kind < 5) {  // free
      in[any()] = true;
      kept = true;
    } else if (kind < 8) {  // contracted
      in[any()] = true;
      in[any()] = true;
    } else if (kind < 9) {  // in any operands
      for (std::size_t o = 0; o < operands; ++o) in[o] = chance(g, 0.5);
      kept = chance(g, 0.4);
    } else {  // private
      in[any()] = true;
    }
    int count = 0;
    for (std::size_t o = 0; o < operands; ++o) {
      if (!in[o]) continue;
      for (int times = chance(g, 0.08) ? 2 : 1; times > 0; --times) {
        if (c.axes[o].size() == highest_rank) break;
        const auto at = between(g, 0, static_cast<index>(c.axes[o].size()));
        c.axes[o].insert(c.axes[o].begin() + (chance(g, 0.5) ? at : static_cast<index>(c.axes[o].size())),
                         label);
        ++count;
      }
    }
    if (count == 0) continue;  // no room
    if (kept && output.size() < highest_rank) output.push_back(label);
    c.extent.push_back(draw_extent(g));
    occurrences.push_back(count);
  }
  if (chance(g, 0.5)) std::shuffle(output.begin(), output.end(), g);

  std::vector<std::string> names = draw_names(g, c.extent.size());
  bool arrow = true;
  if (chance(g, 0.2)) {  // without an arrow: what occurs once, sorted
    arrow = false;
    output.clear();
    for (std::size_t l = 0; l < c.extent.size(); ++l) {
      if (occurrences[l] == 1) output.push_back(static_cast<int>(l));
    }
    std::sort(output.begin(), output.end(), [&](int a, int b) {
      return names[static_cast<std::size_t>(a)] < names[static_cast<std::size_t>(b)];
    });
  }
  c.text = write(g, c, names, arrow);

  // Not too much work, and not too much memory on diagonals.
  const auto product = [&](const std::vector<int>* axes) {
    double n = 1;
    if (axes == nullptr) {
      for (const index e : c.extent) n *= static_cast<double>(std::max<index>(e, 1));
    } else {
      for (const int l : *axes) n *= static_cast<double>(std::max<index>(c.extent[static_cast<std::size_t>(l)], 1));
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

  for (std::size_t o = 0; o <= operands; ++o) {
    c.recipe.push_back(draw_recipe(g, c.axes[o].size(), o < operands));
  }
  c.single = chance(g, 0.4);
  c.kind = chance(g, 0.3) ? entries_kind::exact : entries_kind::random;
  const bool exact = c.kind == entries_kind::exact;
  const double alphas[] = {1, 1, 1, 0, -1, exact ? 2.0 : 0.7};
  const double betas[] = {0, 0, 0, 1, -1, exact ? 2.0 : -0.6};
  c.alpha = alphas[between(g, 0, 5)];
  c.beta = betas[between(g, 0, 5)];
  if (!output.empty() && chance(g, 0.3)) {
    c.constant = output[static_cast<std::size_t>(between(g, 0, static_cast<index>(output.size()) - 1))];
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

/// What is wrong with the case, or "".
template <class T>
std::string run_case(const expression_case& c) {
  generator g(c.seed + 0x9e3779b97f4a7c15u);
  const std::size_t operands = c.axes.size() - 1;
  std::vector<sample<T>> x;
  for (std::size_t o = 0; o < operands; ++o) {
    const auto extents = extents_of(c, o);
    x.emplace_back(extents, c.recipe[o].strides(extents));
    x.back().fill(g, c.kind);
    if (c.constant >= 0) make_constant(x.back(), c.axes[o], c.constant);
  }
  const auto y_extents = extents_of(c, operands);
  sample<T> y(y_extents, c.recipe[operands].strides(y_extents));
  y.fill(g, c.kind);
  if (c.constant >= 0) make_constant(y, c.axes[operands], c.constant);
  const std::vector<T> before = y.entries();
  const sample<T> y_before = y;

  std::vector<seen_operand<T>> seen_x;
  std::vector<run_time_operand> inputs;
  for (const auto& s : x) {
    seen_x.push_back(seen(s));
    inputs.push_back({s.shape(), s.data()});
  }
  const expectation want = expect(c.text, seen_x);
  const double work =
      c.kind == entries_kind::exact ? 0 : work_of<T>(c.text, seen_x) + 2;  // + 2: alpha and beta
  const auto nan = std::numeric_limits<T>::quiet_NaN();
  if (c.alpha == 0) {
    for (auto& s : x) s.fill(nan);
  }
  std::vector<std::vector<T>> x_before;
  for (const auto& s : x) x_before.push_back(s.memory());

  const auto judge = [&](const std::string& how) -> std::string {
    for (std::size_t o = 0; o < operands; ++o) {
      if (!same_bits(x[o].memory(), x_before[o])) return how + ": an input was written";
    }
    const double r = residual(want, y.shape(), y.data(), before, c.alpha, c.beta, work);
    if (!(r <= 1)) return how + ": residual " + std::to_string(r) + " of the tolerance";
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
    if (c.beta == 0) y.fill(nan);
  };

  reset();
  evaluate(c.text, inputs.data(), static_cast<int>(operands), y.shape(), y.data(),
           {{c.alpha}, {c.beta}});
  std::string wrong = judge("evaluate");
  if (!wrong.empty() || c.alpha == 0) return wrong;
  for (const instruction_set isa : instruction_sets()) {
    reset();
    if (limits_of(c.text) == large_limits) {
      evaluate_on<large_limits>(isa, c.text, seen_x, y.shape(), y.data(), c.alpha, c.beta);
    } else {
      evaluate_on<medium_limits>(isa, c.text, seen_x, y.shape(), y.data(), c.alpha, c.beta);
    }
    wrong = judge(name_of(isa));
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string run_case(const expression_case& c) {
  try {
    return c.single ? run_case<float>(c) : run_case<double>(c);
  } catch (const error& e) {
    return std::string("threw ") + e.what();
  }
}

/// The same failure with smaller extents and simpler strides.
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
    }
    for (double expression_case::*factor : {&expression_case::alpha, &expression_case::beta}) {
      expression_case next = c;
      next.*factor = factor == &expression_case::alpha ? 1 : 0;
      if (next.*factor != c.*factor) attempt(next);
    }
  }
  return c;
}

void print(const expression_case& c) {
  std::printf("  \"%s\"  %s, %s entries, alpha %g, beta %g\n", c.text.c_str(),
              c.single ? "float" : "double",
              c.kind == entries_kind::exact ? "exact" : "random", c.alpha, c.beta);
  for (std::size_t o = 0; o < c.axes.size(); ++o) {
    std::printf(o + 1 == c.axes.size() ? "  output    extents" : "  operand %zu extents", o);
    const auto extents = extents_of(c, o);
    for (const index n : extents) std::printf(" %ld", static_cast<long>(n));
    std::printf("  strides");
    for (const index s : c.recipe[o].strides(extents)) std::printf(" %ld", static_cast<long>(s));
    std::printf("\n");
  }
  if (c.constant >= 0) {
    std::printf("  no operand varies along label number %d (by its first place in the list above)\n",
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
