// Random fused kernels, as data, against their statements one by one: unroll, plan, lower, launch.
//
//   fuzz_kernels [SEED [CASES]]      case number i of seed s is case 0 of seed s + i
//
// A case draws matrices without the batch, vectors and matrices of the batch, up to two locals that
// may lack the batch and are read under any labels of the right extents, statements of one to three
// terms of one to three factors, = and +=, extents of which labels share some, and strides. A
// failing case is printed.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <planned.hpp>
#include <string>
#include <tenfold/dsel/run_kernel.hpp>
#include <vector>

namespace tenfold::testing {
namespace {

/// A value of the reference: dense, row-major; and the same with all signs positive, which says how
/// large rounding may be.
struct dense_value {
  std::vector<double> entries, sizes;
};

struct kernel_case {
  kernel k;
  std::string text;
  std::vector<index> extent;           ///< by label; label 0 is the batch
  std::vector<std::vector<int>> axes;  ///< by operand: labels that have the extents of its axes
  std::vector<bool> pads;              ///< by operand: whether its strides leave gaps
};

class drawing {
 public:
  explicit drawing(std::uint64_t seed) : g_(seed) {}

  kernel_case draw() {
    static constexpr index extents[] = {1, 2, 3, 4, 5, 8, 9, 17};
    const index two[] = {extents[between(g_, 0, 7)], extents[between(g_, 0, 7)]};
    c_.extent = {between(g_, 0, 3) == 0 ? between(g_, 0, 40) : between(g_, 1, 9)};
    c_.k.batch = 0;
    c_.k.label_count = 1 + inner_labels;
    for (int l = 0; l < inner_labels; ++l) {
      const bool second = l > 1 && chance(g_, 0.3);
      c_.extent.push_back(two[second ? 1 : 0]);
    }
    add_operand("A", operand_role::input, {any_inner(), any_inner()});
    add_operand("B", operand_role::input, {any_inner(), any_inner()});
    add_operand("u", operand_role::input, {0, any_inner()});
    add_operand("w", operand_role::input, {0, any_inner(), any_inner()});
    const index locals = between(g_, 1, 2);
    for (index i = 0; i < locals; ++i) {
      std::vector<int> labels = distinct(1 + static_cast<std::size_t>(between(g_, 0, 1)));
      if (chance(g_, 0.6)) labels.insert(labels.begin(), 0);
      const int made = add_operand(i == 0 ? "g" : "h", operand_role::local, labels);
      add_statement(made, false);
      if (chance(g_, 0.2)) add_statement(made, true);
    }
    std::vector<int> labels = distinct(1 + static_cast<std::size_t>(between(g_, 0, 1)));
    labels.insert(labels.begin() + between(g_, 0, 1), 0);
    add_statement(add_operand("v", operand_role::output, labels), chance(g_, 0.3));
    return c_;
  }

 private:
  static constexpr int inner_labels = 5;

  int any_inner() { return static_cast<int>(between(g_, 1, inner_labels)); }
  std::vector<int> distinct(std::size_t count) {
    std::vector<int> all(inner_labels);
    std::iota(all.begin(), all.end(), 1);
    std::shuffle(all.begin(), all.end(), g_);
    all.resize(count);
    return all;
  }
  int add_operand(const char* name, operand_role role, std::vector<int> axes) {
    const int o = c_.k.operand_count++;
    c_.k.operands[o].role = role;
    names_.emplace_back(name);
    c_.axes.push_back(std::move(axes));
    c_.pads.push_back(chance(g_, 0.2));
    return o;
  }

  /// The operand under labels that fit its axes, each once; operand -1: there are none.
  kernel_access access(int operand) {
    kernel_access x;
    x.operand = operand;
    const auto& axes = c_.axes[static_cast<std::size_t>(operand)];
    const std::vector<int> order = distinct(inner_labels);
    for (const int axis : axes) {
      int label = axis;
      if (axis != 0) {
        label = -1;
        for (const int l : order) {
          const bool fits =
              c_.extent[static_cast<std::size_t>(l)] == c_.extent[static_cast<std::size_t>(axis)];
          if (fits && x.labels.find(l) < 0) label = l;
        }
      }
      if (label < 0) return {};
      x.labels.push(label);
    }
    return x;
  }
  kernel_access as_written(int operand) {
    kernel_access x;
    x.operand = operand;
    for (const int l : c_.axes[static_cast<std::size_t>(operand)]) x.labels.push(l);
    return x;
  }

  /// A product that has the labels of the target, and the batch if that has it; no factors: none
  /// was found.
  std::vector<kernel_access> product(const kernel_access& target, int operands) {
    for (int attempt = 0; attempt < 100; ++attempt) {
      std::vector<kernel_access> factors;
      label_set labels = 0;
      bool fits = true;
      const index count = between(g_, 1, 3);
      for (index f = 0; f < count && fits; ++f) {
        const kernel_access x = access(static_cast<int>(between(g_, 0, operands - 1)));
        fits = x.operand >= 0;
        labels |= x.labels.set();
        factors.push_back(x);
      }
      const label_set wanted = target.labels.set();
      fits = fits && (labels & wanted) == wanted && contains(wanted, 0) == contains(labels, 0);
      if (fits) return factors;
    }
    return {};
  }

  void add_statement(int target, bool adds) {
    kernel& k = c_.k;
    kernel_statement s{as_written(target), adds, k.term_count, 0};
    c_.text += (c_.text.empty() ? "" : "; ") + shown(s.target) + (adds ? " += " : " = ");
    const index terms = between(g_, 1, 3);
    for (index t = 0; t < terms; ++t) {
      // What is being written is not read.
      const std::vector<kernel_access> factors = product(s.target, target);
      if (factors.empty()) continue;
      const int sign = s.count > 0 && chance(g_, 0.3) ? -1 : 1;
      k.terms[k.term_count++] = {sign, k.factor_count, static_cast<int>(factors.size())};
      if (s.count++ > 0) c_.text += sign < 0 ? " - " : " + ";
      for (std::size_t f = 0; f < factors.size(); ++f) {
        c_.text += (f > 0 ? " * " : "") + shown(factors[f]);
        k.factors[k.factor_count++] = factors[f];
      }
    }
    k.statements[k.statement_count++] = s;
    is_complete = is_complete && s.count > 0;
  }
  std::string shown(const kernel_access& x) const {
    std::string text = names_[static_cast<std::size_t>(x.operand)] + "(";
    for (int i = 0; i < x.labels.count; ++i)
      text += std::string(i > 0 ? "," : "") + "eijklm"[x.labels[i]];
    return text + ")";
  }

  generator g_;
  kernel_case c_;
  std::vector<std::string> names_;

 public:
  bool is_complete = true;  ///< every statement has a term
};

/// Calls f(values of all labels) for each point.
template <class F>
void for_each_value(const std::vector<index>& extents, label_set labels, F f) {
  std::vector<index> at(extents.size(), 0);
  for (std::size_t l = 0; l < extents.size(); ++l)
    if (contains(labels, static_cast<int>(l)) && extents[l] == 0) return;
  for (;;) {
    f(at);
    std::size_t l = extents.size();
    while (l-- > 0) {
      if (!contains(labels, static_cast<int>(l))) continue;
      if (++at[l] < extents[l]) break;
      at[l] = 0;
    }
    if (l == static_cast<std::size_t>(-1)) return;
  }
}

std::size_t place_of(const kernel_case& c, const kernel_access& x, const std::vector<index>& at) {
  index place = 0;
  for (int i = 0; i < x.labels.count; ++i) {
    const auto l = static_cast<std::size_t>(x.labels[i]);
    place = place * c.extent[l] + at[l];
  }
  return static_cast<std::size_t>(place);
}

void run_reference(const kernel_case& c, std::vector<dense_value>& values) {
  for (int s = 0; s < c.k.statement_count; ++s) {
    const kernel_statement& said = c.k.statements[s];
    dense_value& to = values[static_cast<std::size_t>(said.target.operand)];
    if (!said.adds) {
      std::fill(to.entries.begin(), to.entries.end(), 0.0);
      std::fill(to.sizes.begin(), to.sizes.end(), 0.0);
    }
    for (int t = said.first; t < said.first + said.count; ++t) {
      const kernel_term& term = c.k.terms[t];
      label_set labels = said.target.labels.set();
      for (int f = 0; f < term.count; ++f) labels |= c.k.factors[term.first + f].labels.set();
      for_each_value(c.extent, labels, [&](const std::vector<index>& at) {
        double product = term.sign, size = 1;
        for (int f = term.first; f < term.first + term.count; ++f) {
          const kernel_access& x = c.k.factors[f];
          const dense_value& v = values[static_cast<std::size_t>(x.operand)];
          product *= v.entries[place_of(c, x, at)];
          size *= v.sizes[place_of(c, x, at)];
        }
        to.entries[place_of(c, said.target, at)] += product;
        to.sizes[place_of(c, said.target, at)] += size;
      });
    }
  }
}

/// Empty: right. Else what is wrong.
std::string run_case(const kernel_case& c, std::uint64_t seed, bool& ran) {
  generator g(seed + 1);
  std::vector<dense_value> values;
  std::vector<std::vector<double>> memory;
  std::vector<run_time_operand> operands;
  for (int o = 0; o < c.k.operand_count; ++o) {
    const auto& axes = c.axes[static_cast<std::size_t>(o)];
    operand_shape<max_rank> shape;
    shape.type = scalar::f64;
    shape.rank = static_cast<int>(axes.size());
    index stride = 1, count = 1;
    for (std::size_t d = axes.size(); d-- > 0;) {
      shape.extents[d] = c.extent[static_cast<std::size_t>(axes[d])];
      shape.strides[d] = stride;
      stride = stride * std::max<index>(shape.extents[d], 1) +
               (c.pads[static_cast<std::size_t>(o)] ? 1 : 0);
      count *= shape.extents[d];
    }
    dense_value v;
    for (index i = 0; i < count; ++i) {
      v.entries.push_back(static_cast<double>(between(g, -8, 8)) / 8);
      v.sizes.push_back(std::abs(v.entries.back()));
    }
    std::vector<double> room(static_cast<std::size_t>(stride), 77);
    index i = 0;
    reference::for_each_point(shape.extents.data(), shape.rank, [&](const index* at) {
      index place = 0;
      for (std::size_t d = 0; d < axes.size(); ++d) place += at[d] * shape.strides[d];
      room[static_cast<std::size_t>(place)] = v.entries[static_cast<std::size_t>(i++)];
    });
    values.push_back(std::move(v));
    memory.push_back(std::move(room));
    operands.push_back({shape, memory.back().data()});
  }
  try {
    if (const diagnostic wrong = check(c.k)) throw_diagnostic(wrong, c.text);
    const run_time_kernel planned(c.k, c.text, operands.data());
    planned.run(operands.data());
  } catch (const backend_error&) {
    return "";  // it is too long
  } catch (const std::exception& refused) {
    return refused.what();
  }
  ran = true;
  run_reference(c, values);
  const auto out = static_cast<std::size_t>(c.k.output());
  const dense_value& right = values[out];
  const operand_shape<max_rank>& shape = operands[out].shape;
  std::vector<bool> written(memory[out].size(), false);
  std::string wrong;
  std::size_t i = 0;
  reference::for_each_point(shape.extents.data(), shape.rank, [&](const index* at) {
    index place = 0;
    for (int d = 0; d < shape.rank; ++d)
      place += at[d] * shape.strides[static_cast<std::size_t>(d)];
    const double got = memory[out][static_cast<std::size_t>(place)];
    written[static_cast<std::size_t>(place)] = true;
    if (!(std::abs(got - right.entries[i]) <= 1e-12 * right.sizes[i]) && wrong.empty())
      wrong = "entry " + std::to_string(i) + " is " + std::to_string(got) + " instead of " +
              std::to_string(right.entries[i]);
    ++i;
  });
  for (std::size_t x = 0; x < written.size(); ++x)
    if (!written[x] && memory[out][x] != 77) wrong = "an entry outside the result was written";
  return wrong;
}

int fuzz(std::uint64_t seed, index cases) {
  std::printf("fuzz_kernels: seed %llu, %ld cases\n", static_cast<unsigned long long>(seed),
              static_cast<long>(cases));
  index failures = 0, done = 0;
  for (index i = 0; i < cases && failures < 10; ++i) {
    const std::uint64_t at = seed + static_cast<std::uint64_t>(i);
    drawing drawn(at);
    const kernel_case c = drawn.draw();
    if (!drawn.is_complete) continue;
    bool ran = false;
    const std::string wrong = run_case(c, at, ran);
    done += ran;
    if (wrong.empty()) continue;
    ++failures;
    std::printf("FAILED: %s\n  again with: fuzz_kernels %llu 1\n  %s\n  extents of eijklm:",
                wrong.c_str(), static_cast<unsigned long long>(at), c.text.c_str());
    for (const index n : c.extent) std::printf(" %ld", static_cast<long>(n));
    std::printf("\n");
  }
  std::printf("%ld failures, %ld kernels ran\n", static_cast<long>(failures),
              static_cast<long>(done));
  return failures == 0 && (done > 0 || cases < 10) ? 0 : 1;
}

}  // namespace
}  // namespace tenfold::testing

int main(int argc, char** argv) {
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const long cases = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 1000;
  return tenfold::testing::fuzz(seed, cases);
}
