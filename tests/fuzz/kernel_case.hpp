#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <tenfold/contraction/kernel.hpp>
#include <vector>

/// Random fused kernels, as data, and what their statements say.
namespace tenfold::testing {

struct kernel_case {
  kernel k;
  std::string text;
  std::vector<index> extent;           ///< by label; label 0 is the batch
  std::vector<std::vector<int>> axes;  ///< by operand: labels that have the extents of its axes
  std::vector<std::string> names;      ///< by operand

  int add_operand(const std::string& name, operand_role role, std::vector<int> labels) {
    k.operands[k.operand_count].role = role;
    names.push_back(name);
    axes.push_back(std::move(labels));
    return k.operand_count++;
  }
  /// Opens a statement; terms that are added then are its own.
  void add_statement(const kernel_access& target, bool adds = false) {
    text += (text.empty() ? "" : "; ") + shown(target) + (adds ? " +=" : " =");
    k.statements[k.statement_count++] = {target, adds, k.term_count, 0};
  }
  /// A term that there is no room for is left out.
  void add_term(int sign, const std::vector<kernel_access>& factors) {
    if (k.term_count == kernel::max_terms ||
        k.factor_count + static_cast<int>(factors.size()) > kernel::max_factors)
      return;
    kernel_statement& s = k.statements[k.statement_count - 1];
    text += sign < 0 ? " -" : s.count > 0 ? " +" : "";
    k.terms[k.term_count++] = {sign, k.factor_count, static_cast<int>(factors.size())};
    ++s.count;
    for (std::size_t f = 0; f < factors.size(); ++f) {
      text += (f > 0 ? " * " : " ") + shown(factors[f]);
      k.factors[k.factor_count++] = factors[f];
    }
  }

  index extent_of(int label) const { return extent[static_cast<std::size_t>(label)]; }
  index entries_of(int operand) const {
    index count = 1;
    for (const int l : axes[static_cast<std::size_t>(operand)]) count *= extent_of(l);
    return count;
  }

 private:
  std::string shown(const kernel_access& x) const {
    std::string shown = names[static_cast<std::size_t>(x.operand)] + "(";
    for (int i = 0; i < x.labels.count; ++i)
      shown += std::string(i > 0 ? "," : "") + "eijklm"[x.labels[i]];
    return shown + ")";
  }
};

/// Whether each statement has a term.
inline bool is_complete(const kernel_case& c) {
  for (int s = 0; s < c.k.statement_count; ++s)
    if (c.k.statements[s].count == 0) return false;
  return true;
}

/// Says what is wrong with the case that fuzz_NAME draws from the seed.
inline void print_failure(const kernel_case& c, const char* name, std::uint64_t seed,
                          const std::string& wrong) {
  std::printf("FAILED: %s\n  again with: fuzz_%s %llu 1\n  %s\n  extents of eijklm:", wrong.c_str(),
              name, static_cast<unsigned long long>(seed), c.text.c_str());
  for (const index n : c.extent) std::printf(" %ld", static_cast<long>(n));
  std::printf("\n");
}

inline kernel_access access_to(int operand, const std::vector<int>& labels) {
  kernel_access x;
  x.operand = operand;
  for (const int l : labels) x.labels.push(static_cast<std::uint8_t>(l));
  return x;
}

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

/// Runs the statements one by one. `values`, by operand, are dense and row-major.
template <class T>
void run_statements(const kernel_case& c, std::vector<std::vector<T>>& values) {
  const auto entry = [&](const kernel_access& x, const std::vector<index>& at) -> T& {
    index place = 0;
    for (int i = 0; i < x.labels.count; ++i)
      place = place * c.extent_of(x.labels[i]) + at[static_cast<std::size_t>(x.labels[i])];
    return values[static_cast<std::size_t>(x.operand)][static_cast<std::size_t>(place)];
  };
  for (int s = 0; s < c.k.statement_count; ++s) {
    const kernel_statement& said = c.k.statements[s];
    auto& to = values[static_cast<std::size_t>(said.target.operand)];
    if (!said.adds) std::fill(to.begin(), to.end(), T(0));
    for (int t = said.first; t < said.first + said.count; ++t) {
      const kernel_term& term = c.k.terms[t];
      label_set labels = said.target.labels.set();
      for (int f = 0; f < term.count; ++f) labels |= c.k.factors[term.first + f].labels.set();
      for_each_value(c.extent, labels, [&](const std::vector<index>& at) {
        T product(1);
        for (int f = 0; f < term.count; ++f) product *= entry(c.k.factors[term.first + f], at);
        T& sum = entry(said.target, at);
        sum = term.sign < 0 ? sum - product : sum + product;
      });
    }
  }
}

}  // namespace tenfold::testing
