#pragma once

#include <numeric>
#include <samples.hpp>
#include "kernel_case.hpp"

namespace tenfold::testing {

/// Draws kernels of every kind: matrices without the batch, vectors and matrices of the batch, up
/// to two locals that may lack the batch and are read under any labels of the right extents,
/// statements of one to three terms of one to three factors, = and +=, extents of which labels
/// share some.
class kernel_drawing {
 public:
  explicit kernel_drawing(generator& g) : g_(g) {}

  /// A statement of it may lack terms: such a case is none.
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
    c_.add_operand("A", operand_role::input, {any_inner(), any_inner()});
    c_.add_operand("B", operand_role::input, {any_inner(), any_inner()});
    c_.add_operand("u", operand_role::input, {0, any_inner()});
    c_.add_operand("w", operand_role::input, {0, any_inner(), any_inner()});
    const index locals = between(g_, 1, 2);
    for (index i = 0; i < locals; ++i) {
      std::vector<int> labels = distinct(1 + static_cast<std::size_t>(between(g_, 0, 1)));
      if (chance(g_, 0.6)) labels.insert(labels.begin(), 0);
      const int made = c_.add_operand(i == 0 ? "g" : "h", operand_role::local, labels);
      add_statement(made, false);
      if (chance(g_, 0.2)) add_statement(made, true);
    }
    std::vector<int> labels = distinct(1 + static_cast<std::size_t>(between(g_, 0, 1)));
    labels.insert(labels.begin() + between(g_, 0, 1), 0);
    add_statement(c_.add_operand("v", operand_role::output, labels), chance(g_, 0.3));
    return std::move(c_);
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

  /// The operand under labels that fit its axes, each once; operand -1: there are none.
  kernel_access access(int operand) {
    kernel_access x;
    x.operand = operand;
    const std::vector<int> order = distinct(inner_labels);
    for (const int axis : c_.axes[static_cast<std::size_t>(operand)]) {
      int label = axis;
      if (axis != 0) {
        label = -1;
        for (const int l : order) {
          if (c_.extent_of(l) == c_.extent_of(axis) && x.labels.find(l) < 0) label = l;
        }
      }
      if (label < 0) return {};
      x.labels.push(label);
    }
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
    const kernel_access x = access_to(target, c_.axes[static_cast<std::size_t>(target)]);
    c_.add_statement(x, adds);
    const index terms = between(g_, 1, 3);
    for (index t = 0; t < terms; ++t) {
      // What is being written is not read.
      const std::vector<kernel_access> factors = product(x, target);
      const bool subtracts = c_.k.statements[c_.k.statement_count - 1].count > 0 && chance(g_, 0.3);
      if (!factors.empty()) c_.add_term(subtracts ? -1 : 1, factors);
    }
  }

  generator& g_;
  kernel_case c_;
};

inline kernel_case draw_kernel(generator& g) { return kernel_drawing(g).draw(); }

}  // namespace tenfold::testing
