#pragma once

#include <tenfold/contraction/phases.hpp>

/// Which steps of a phase run as one, a unit: a sandwich, products entry by entry side by side; and
/// which steps apply their matrix in halves.
namespace tenfold {

template <limits L>
class step_units : protected phases<L> {
  using base = phases<L>;

 protected:
  using base::caps_, base::n_, base::plan_, base::problem_;
  using base::end_of_sum, base::is_foreign, base::labels_of, base::last_use, base::order_of,
      base::without_renaming;

  using base::base;

  /// Steps that run as one, column by column: a product along an axis, products entry by entry of
  /// what it makes and others, and the product along the same axis of one of their sums.
  struct sandwich {
    int products = 0;  ///< how many; 0: it is none
    int sum = 0;       ///< the last step of the one that the last step reads
    int back = 0;      ///< the last step; between it and the products steps may rename
    int k = 0, q = 0;  ///< labels of the first step: what it sums, and the axis
    int m = 0;         ///< label of the last step: the axis of the result
  };

  /// What runs as one from a step on: a sandwich, products entry by entry, a step.
  struct unit_of_steps {
    int last = 0;
    sandwich as{};
  };

  constexpr unit_of_steps unit_from(const phase_shape& shape, int s) const {
    if (const sandwich w = sandwich_at(shape, s); w.products > 0) return {w.back, w};
    const int count = entry_wise_run(shape, s);
    return {count > 1 ? s + count - 1 : s};
  }

  /// The matrix that step s applies in halves, or -1; `k` and `q` as axis_matrix says.
  constexpr int matrix_in_halves(const phase_shape& shape, int s, int& k, int& q) const {
    if (shape.lane < 0 || shape.vectors > 1 || is_complex(problem_.type)) return -1;
    const int v = axis_matrix(shape, s, k, q);
    if (v < 0 || v >= n_ || is_foreign(v) || contains(shape.tiles, q)) return -1;
    if (problem_.inputs[v].symmetry == reflection::none) return -1;
    const index columns = problem_.extent[k], rows = problem_.extent[q];
    if (rows == dyn || columns == dyn || !select::has_halves(rows, columns)) return -1;
    return v;
  }

  constexpr int matrix_in_halves(const phase_shape& shape, int s) const {
    int k = 0, q = 0;
    return matrix_in_halves(shape, s, k, q);
  }

  /// In which halves step s applies its matrix.
  constexpr reflection symmetry_of_step(const phase_shape& shape, int s) const {
    const int v = matrix_in_halves(shape, s);
    return v < 0 ? reflection::none : problem_.inputs[v].symmetry;
  }

  /// The matrix of step s if the step applies a uniform matrix to the value that carries the lanes
  /// along one axis (q <- k), all other labels passing through; else -1.
  constexpr int axis_matrix(const phase_shape& shape, int s, int& k, int& q) const {
    const plan_step<L>& ps = plan_.steps[s];
    if (ps.b < 0) return -1;
    const bool lanes_a = contains(labels_of(ps.a), shape.lane);
    const int matrix = lanes_a ? ps.b : ps.a, data = lanes_a ? ps.a : ps.b;
    const label_set lm = labels_of(matrix), ld = labels_of(data);
    const label_set rows = lm & ~ld, sums = ps.contracted;
    if (contains(lm, shape.lane) || !contains(ld, shape.lane)) return -1;
    if (lm != (rows | sums) || (sums & ~ld) != 0) return -1;
    if (rows == 0 || (rows & (rows - 1)) != 0 || sums == 0 || (sums & (sums - 1)) != 0) return -1;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (contains(rows, l)) q = l;
      if (contains(sums, l)) k = l;
    }
    return matrix;
  }

  /// What a label of a value is called in another that is the same under other labels.
  constexpr int under_name(int value, int other, int label) const {
    return order_of(other)[order_of(value).find(label)];
  }

 private:
  constexpr sandwich sandwich_at(const phase_shape& shape, int s) const {
    if (!caps_.compiled || shape.lane < 0 || shape.vectors > 1) return {};
    sandwich w;
    const plan_step<L>& there = plan_.steps[s];
    if (there.sign != 1 || there.c >= 0 || end_of_sum(s) != s) return {};
    if (axis_matrix(shape, s, w.k, w.q) < 0) return {};
    const int products = entry_wise_run(shape, s + 1), end = s + 1 + products;
    if (products == 0 || plan_.steps[s + 1].order.set() != there.order.set()) return {};
    w.back = end;
    while (w.back < shape.root && is_only_a_name(shape, w.back)) ++w.back;
    if (w.back > shape.root || !contains(shape.members, w.back)) return {};
    int q = 0;
    const int matrix = axis_matrix(shape, w.back, q, w.m);
    if (matrix < 0 || contains(shape.tiles, w.m)) return {};
    const plan_step<L>& back = plan_.steps[w.back];
    const int read = back.a == matrix ? back.b : back.a;
    w.sum = without_renaming(shape, read) - n_;
    if (w.sum <= s || w.sum >= end || under_name(n_ + w.sum, read, w.q) != q) return {};
    // What stays in registers is not added to anything, and read by these steps alone.
    int begin = w.sum;
    while (plan_.steps[begin].c > n_ + s) begin = plan_.steps[begin].c - n_;
    if (plan_.steps[begin].c >= 0 || end_of_sum(w.sum) != w.sum) return {};
    if (last_use(shape, n_ + s) >= end || last_use(shape, n_ + w.sum) != w.back) return {};
    for (const int l : {w.k, w.q, w.m}) {
      if (problem_.extent[l] > select::sandwich_extent) return {};
    }
    if (symmetry_of_step(shape, s) != symmetry_of_step(shape, w.back)) return {};
    w.products = products;
    return w;
  }

  /// Whether step s is of the phase, and leaves the entries of a value of it under other labels.
  constexpr bool is_only_a_name(const phase_shape& shape, int s) const {
    return contains(shape.members, s) && plan_.steps[s].renames &&
           without_renaming(shape, n_ + s) != n_ + s;
  }

  /// How many steps from s on, at most as many as registers name well, are products over the same
  /// entries without a sum, left in scratch.
  constexpr int entry_wise_run(const phase_shape& shape, int s) const {
    if (shape.lane < 0 || shape.vectors > 1) return 1;
    const label_set entries = plan_.steps[s].order.set();
    int count = 0;
    for (int t = s; t < shape.root && count < select::most_together; ++t, ++count) {
      const plan_step<L>& step = plan_.steps[t];
      if (!contains(shape.members, t) || step.b < 0 || step.contracted != 0 ||
          end_of_sum(t) == shape.root || step.order.set() != entries ||
          !has_entries_of(shape, step.a, entries) || !has_entries_of(shape, step.b, entries)) {
        break;
      }
      // What the run reads of itself must be the sum that the step before it began.
      for (const int v : {step.a, step.b}) {
        if (v >= n_ + s || (v >= n_ && !contains(shape.members, v - n_))) return count;
      }
      if (step.c >= n_ + s && step.c != n_ + t - 1) return count;
    }
    return count;
  }

  /// Whether a value has lanes and is repeated along what else it lacks of the entries.
  constexpr bool has_entries_of(const phase_shape& shape, int value, label_set entries) const {
    return (labels_of(value) & ~entries) == 0 && contains(labels_of(value), shape.lane);
  }

 protected:
  unit_of_steps units_[L.most_steps()] = {};  ///< of the phase at hand, from each step on
};

}  // namespace tenfold
