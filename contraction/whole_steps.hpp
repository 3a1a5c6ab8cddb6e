#pragma once

#include <tenfold/backend/interface/capabilities.hpp>
#include <tenfold/backend/interface/program.hpp>
#include <tenfold/backend/interface/select.hpp>
#include <tenfold/contraction/fold.hpp>
#include <tenfold/contraction/plan_values.hpp>
#include <tenfold/contraction/product_groups.hpp>

/// Which steps of a plan are phases of their own, run over all their loops at once by a function of
/// the library (is_whole): those for which the caches, not the lanes of a tile, decide the order.
namespace tenfold {

template <limits L>
class whole_steps : protected plan_values<L> {
  using base = plan_values<L>;

 public:
  constexpr whole_steps(const problem<L>& p, const contraction_plan<L>& plan,
                        const capabilities& caps)
      : base(p, plan), caps_(caps) {
    if (p.batch >= 0 || plan.step_count == 0 || base::is_mapped(n_ + plan.step_count - 1)) return;
    find_blocked();
    for (int s = 0; s < plan.step_count; ++s) {
      if (may_be_reduced(s)) reduced_ |= bit(s);
    }
    if (is_pointwise(plan.step_count - 1)) pointwise_ = bit(plan.step_count - 1);
  }

 protected:
  using base::before_conversion, base::end_of_sum, base::external_stride, base::is_final,
      base::is_foreign, base::is_mapped, base::labels_of;
  using base::n_, base::plan_, base::points_, base::problem_;

  constexpr bool is_whole(int s) const { return contains(blocked_ | reduced_ | pointwise_, s); }
  constexpr bool is_blocked(int s) const { return contains(blocked_, s); }
  constexpr bool is_reduced(int s) const { return contains(reduced_, s); }
  constexpr step_kind whole_kind(int s) const {
    return is_blocked(s)   ? step_kind::blocked
           : is_reduced(s) ? step_kind::reduce
                           : step_kind::pointwise;
  }

  constexpr bool is_known(label_set labels) const {
    for (int l = 0; l < problem_.label_count; ++l) {
      if (contains(labels, l) && problem_.extent[l] == dyn) return false;
    }
    return true;
  }

  /// The label along which entries of a value in memory are neighbours, or -1.
  constexpr int unit_label(int value) const {
    for (int l = 0; l < problem_.label_count; ++l) {
      if (contains(labels_of(value), l) && problem_.extent[l] != 1 &&
          external_stride(value, l) == 1)
        return l;
    }
    return -1;
  }

  // --- products in blocks ----------------------------------------------------------------------

  constexpr product_groups<L.labels> groups_of(int s) const {
    const plan_step<L>& step = plan_.steps[s];
    const int a = before_conversion(step.a), b = before_conversion(step.b), c = n_ + end_of_sum(s);
    product_groups<L.labels> g;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (!contains(step.labels, l)) continue;
      g.add(contains(step.contracted, l), contains(labels_of(a), l), contains(labels_of(b), l),
            {problem_.extent[l], stride_of(a, l), stride_of(b, l), stride_of(c, l)});
    }
    return g;
  }

  // --- sums along which the operands are neighbours ------------------------------------------

  /// The operands of such a step: `a` has all labels of the result; `b` may be -1.
  struct reduced_operands {
    int a = -1, b = -1;
  };
  constexpr reduced_operands reduced_operands_of(const plan_step<L>& step) const {
    if (step.b < 0) return {before_conversion(step.a), -1};
    const label_set own = labels_of(step.b) & ~labels_of(step.a) & ~step.contracted;
    const int a = before_conversion(step.a), b = before_conversion(step.b);
    return own == 0 ? reduced_operands{a, b} : reduced_operands{b, a};
  }
  /// Its contracted loops, folded; all extents are known.
  constexpr int contracted_loops(const plan_step<L>& step, const reduced_operands& x,
                                 step_loop* loops) const {
    int count = 0;
    for (int l = 0; l < problem_.label_count; ++l) {
      if (!contains(step.contracted, l)) continue;
      loops[count++] = {problem_.extent[l], stride_of(x.a, l), stride_of(x.b, l)};
    }
    return fold(loops, count);
  }
  constexpr index stride_of(int value, int label) const {
    return value >= 0 && contains(labels_of(value), label) ? external_stride(value, label) : 0;
  }
  /// The one of them that is the run: neighbours in all operands; -1: none is.
  constexpr int run_of(const step_loop* loops, int count, bool has_b) const {
    for (int i = 0; i < count; ++i) {
      if (loops[i].a == 1 && (!has_b || loops[i].b == 1)) return i;
    }
    return -1;
  }

 private:
  /// Whether a step is the only term of its sum, of operands in memory of which nothing else is
  /// asked.
  constexpr bool is_alone(int s) const {
    const plan_step<L>& step = plan_.steps[s];
    if (step.c >= 0 || step.renames || end_of_sum(s) != s) return false;
    for (const int v : {step.a, step.b}) {
      if (v >= 0 && is_mapped(before_conversion(v))) return false;
    }
    return !is_foreign(n_ + s);
  }

  /// Whether its operands are of the type in which it is computed.
  constexpr bool are_own(const plan_step<L>& step) const {
    for (const int v : {step.a, step.b}) {
      if (v >= 0 && is_foreign(before_conversion(v))) return false;
    }
    return true;
  }

  constexpr bool may_be_reduced(int s) const {
    const plan_step<L>& step = plan_.steps[s];
    const double terms = points_(step.contracted);
    if (step.contracted == 0 || is_blocked(s) || !is_alone(s) || !is_known(step.contracted))
      return false;
    // What waits in memory for it, or it leaves there, is known and stays in cache.
    for (const int v : {step.a, step.b, is_final(s) ? -1 : n_ + s}) {
      if (v < 0 || before_conversion(v) < n_) continue;
      const double bytes = points_(labels_of(v)) * static_cast<double>(bytes_of(problem_.type));
      if (!is_known(labels_of(v)) || bytes > static_cast<double>(caps_.l2_bytes)) return false;
    }
    const reduced_operands x = reduced_operands_of(step);
    const label_set kept = step.labels & ~step.contracted;
    if (x.b >= 0 && (labels_of(x.b) & kept & ~labels_of(x.a)) != 0) return false;
    step_loop loops[L.labels + 1] = {};
    const int count = contracted_loops(step, x, loops), run = run_of(loops, count, x.b >= 0);
    if (run < 0) return false;
    const int width = caps_.lanes(problem_.type);
    const double points = points_(step.labels);
    if (plan_.step_count == 1 && count == 1 && are_own(step) &&
        select::are_short_sums(loops[run].extent, points, problem_.type, width, caps_.compiled))
      return true;
    return select::is_reduced(terms, points, width) &&
           loops[run].extent >= select::least_run(width);
  }

  // --- copies and products entry by entry ------------------------------------------------------

  constexpr bool is_pointwise(int s) const {
    const plan_step<L>& step = plan_.steps[s];
    const double entries = points_(step.labels);
    if (step.contracted != 0 || entries <= select::unrolled_flops || !is_alone(s)) return false;
    double read = 0;
    index tile = 0;
    const int n = unit_label(n_ + s);
    index row = n < 0 ? 0 : nominal(problem_.extent[n]);
    for (const int operand : {step.a, step.b}) {
      if (operand < 0) continue;
      const int v = before_conversion(operand);
      if (v >= n_) return false;
      read += points_(labels_of(v));
      const int m = unit_label(v);
      if (m >= 0 && n >= 0 && m != n && contains(labels_of(v), n))
        tile = nominal(problem_.extent[m]) * nominal(problem_.extent[n]);
      if (n >= 0 && contains(labels_of(v), n) && m != n) row = 0;
    }
    return select::is_pointwise((entries + read) * static_cast<double>(bytes_of(problem_.type)),
                                problem_.type, tile, row, caps_);
  }

  // --- which products are in blocks -----------------------------------------------------------

  constexpr bool is_scattered(int s) const {
    const product_groups<L.labels> groups = groups_of(s);
    return groups.batch.extent() == 1 && groups.is_scattered();
  }

  /// The terms of a sum are so together.
  constexpr void find_blocked() {
    int products = 0;
    for (int s = 0; s < plan_.step_count; ++s) products += plan_.steps[s].b >= 0;
    for (int s = 0; s < plan_.step_count; ++s) {
      const plan_step<L>& step = plan_.steps[s];
      if (step.b < 0) continue;
      const label_set la = labels_of(step.a), lb = labels_of(step.b);
      const label_set kept = step.labels & ~step.contracted;
      const double m = points_(la & ~lb & kept), n = points_(lb & ~la & kept),
                   k = points_(step.contracted);
      const bool is_alone = products == 1 && is_known(step.labels);
      if (select::is_blocked(m, n, k, is_alone, problem_.type, caps_) ||
          (is_alone && select::is_blocked_in_cache(m, n, k) && is_scattered(s)))
        blocked_ |= bit(s);
    }
    if (blocked_ == 0) return;
    // All terms of a sum or none: those that are no products of tensors in memory are never.
    for (int s = 0; s < plan_.step_count; ++s) {
      label_set terms = 0;
      bool able = true;
      for (int t = 0; t < plan_.step_count; ++t) {
        if (end_of_sum(t) != end_of_sum(s)) continue;
        terms |= bit(t);
        able = able && plan_.steps[t].b >= 0 && !is_mapped(before_conversion(plan_.steps[t].a)) &&
               !is_mapped(before_conversion(plan_.steps[t].b));
      }
      if (is_final(end_of_sum(s))) able = able && problem_.output.type == problem_.type;
      if ((blocked_ & terms) != 0) blocked_ = able ? blocked_ | terms : blocked_ & ~terms;
    }
  }

  label_set blocked_ = 0, reduced_ = 0, pointwise_ = 0;  ///< steps

 protected:
  const capabilities& caps_;
};

}  // namespace tenfold
