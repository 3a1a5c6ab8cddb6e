#pragma once

#include <tenfold/contraction/step_units.hpp>

/// Which steps of a phase run slab by slab: all of them for one value of a label, then for the
/// next.
namespace tenfold {

template <limits L>
class slabs : protected step_units<L> {
  using base = step_units<L>;

 protected:
  using base::caps_, base::n_, base::plan_, base::points_, base::problem_, base::units_;
  using base::end_of_sum, base::in_tile, base::labels_of, base::matrix_in_halves, base::order_of,
      base::without_renaming;

  using base::base;

  /// Steps up to `last` that may run slab by slab, and the label of each.
  struct slab_run {
    int first = 0, last = -1;
    int passed = 0;  ///< results that one of the steps leaves for another
    std::int8_t label[L.most_steps()] = {};
  };

  /// The best run of slabs that begins with step s: the one in which most results are left for a
  /// later step, of labels that do equally well the outermost. Never along the innermost label: no
  /// entries of a slab would be neighbours.
  constexpr slab_run slabs_from(const phase_shape& shape, int s) const {
    slab_run best;
    if (shape.lane < 0 || shape.vectors > 1 || !contains(shape.members, s) ||
        plan_.steps[s].renames)
      return best;
    const auto& order = plan_.steps[s].order;
    int innermost = -1;
    for (int i = 0; i < order.count; ++i) {
      if (in_tile(shape, order[i])) innermost = order[i];
    }
    for (int i = 0; i < order.count; ++i) {
      if (!in_tile(shape, order[i]) || order[i] == innermost) continue;
      const slab_run run = slabs_along(shape, s, order[i]);
      if (run.passed > best.passed) best = run;
    }
    bool in_halves = false;
    for (int t = s; t <= best.last; ++t)
      in_halves = in_halves || (contains(shape.members, t) && matrix_in_halves(shape, t) >= 0);
    if (!select::runs_in_slabs(bytes_of_run(shape, s, best), in_halves, caps_)) return {};
    return best;
  }

 private:
  /// The run from step s on whose slabs are, there, the values of a label. It begins and ends with
  /// what passes something to other steps.
  constexpr slab_run slabs_along(const phase_shape& shape, int s, int label) const {
    slab_run run;
    run.first = s;
    run.last = s - 1;
    const int end_of_first = units_[s].last;
    bool first_passes = false;
    for (int t = s; t <= shape.root;) {
      if (!contains(shape.members, t)) {
        ++t;
        continue;
      }
      const auto& [last, as] = units_[t];
      // The last step of a sandwich may know the label under another name.
      const int alike = as.products > 0 ? t + as.products : last;
      int reads = 0;
      bool fits = true;
      for (int u = t; u <= last && fits; ++u) {
        fits = fits_slab(shape, s, u, label, run) && (u > alike || run.label[u] == run.label[t]);
        for (const int v : {plan_.steps[u].a, plan_.steps[u].b}) {
          if (plan_.steps[u].renames || label_in_run(shape, s, t, v, run) < 0) continue;
          ++reads;
          first_passes = first_passes || without_renaming(shape, v) <= n_ + end_of_first;
        }
      }
      if (!fits) break;
      run.passed += reads;
      if (reads > 0) run.last = last;
      t = last + 1;
    }
    return first_passes ? run : slab_run{};
  }

  /// The label along which a value that the run has made since step s, and before step `end`, is
  /// cut into slabs; -1: it has not.
  constexpr int label_in_run(const phase_shape& shape, int s, int end, int value,
                             const slab_run& run) const {
    const bool made = value >= n_ + s && value < n_ + end && contains(shape.members, value - n_);
    return made ? int{run.label[value - n_]} : -1;
  }

  /// Whether step u can go on with a run that began with step s, under the label of the step before
  /// it or that of what it reads.
  constexpr bool fits_slab(const phase_shape& shape, int s, int u, int& label,
                           slab_run& run) const {
    const plan_step<L>& step = plan_.steps[u];
    run.label[u] = -1;
    if (step.renames) {
      const int from = label_in_run(shape, s, u, step.a, run);
      if (from >= 0)
        run.label[u] = static_cast<std::int8_t>(step.order[order_of(step.a).find(from)]);
      return true;
    }
    if (step.b < 0) return false;
    bool is_said = false;
    for (const int v : {step.a, step.b, step.c}) {
      const int known = label_in_run(shape, s, u, v, run);
      if (known < 0) continue;
      if (is_said && known != label) return false;
      label = known;
      is_said = true;
    }
    if (!contains(step.order.set(), label)) return false;
    for (const int v : {step.a, step.b}) {
      const bool moves = contains(labels_of(v), label);
      if (contains(labels_of(v), shape.lane) != moves) return false;
      // What waits for this phase may have to be packed, each time that it is read.
      if (v >= n_ && !contains(shape.members, v - n_)) return false;
    }
    run.label[u] = static_cast<std::int8_t>(label);
    return true;
  }

  /// Bytes that the steps of a run touch.
  constexpr double bytes_of_run(const phase_shape& shape, int s, const slab_run& run) const {
    bool counted[L.operands + L.most_steps()] = {};
    double entries = 0;
    for (int t = s; t <= run.last; ++t) {
      const plan_step<L>& step = plan_.steps[t];
      if (!contains(shape.members, t) || step.renames) continue;
      for (const int v : {step.a, step.b, n_ + end_of_sum(t)}) {
        bool& known = counted[without_renaming(shape, v)];
        if (known || !contains(labels_of(v), shape.lane)) continue;
        known = true;
        double of_value = shape.width;
        for (int i = 0; i < order_of(v).count; ++i) {
          const int l = order_of(v)[i];
          if (in_tile(shape, l)) of_value *= points_(bit(l));
        }
        entries += of_value;
      }
    }
    return entries * static_cast<double>(bytes_of(problem_.type));
  }
};

}  // namespace tenfold
