#pragma once

#include <tenfold/contraction/path.hpp>
#include <tenfold/contraction/plan.hpp>

/// problem -> plan.
namespace tenfold {

/// Plans statement after statement; see make_plan.
template <limits L>
class planning {
 public:
  constexpr planning(const problem<L>& p, const path_options& options)
      : problem_(p),
        options_(options),
        each_(p, 1),
        points_(p, nominal_extent),
        n_(p.input_count) {}

  constexpr contraction_plan<L> run() {
    plan_.input_count = n_;
    for (int s = 0; s < L.statements && s < problem_.statement_count && plan_.found; ++s) {
      const bound_statement<L>& said = problem_.list[s];
      const bool last = s + 1 == problem_.statement_count;
      switch (said.kind) {
        case statement_kind::sum:
          sum(s);
          break;
        case statement_kind::slice:
          slice(s);
          break;
        // Labels are names: an intermediate has no order until one is chosen for it.
        case statement_kind::permute:
          result_[s] = value_of(said.factors[0].source);
          break;
        default:
          if (last || !feeds_sum(s)) result_[s] = product(said, order_of_result(s), -1, 1);
      }
    }
    // The last step is the one that leaves the result.
    const int value = result_[problem_.statement_count - 1];
    if (plan_.found && (value < n_ + plan_.step_count - 1 || shared_[value - n_])) {
      copy(value, problem_.output.order);
    }
    return plan_;
  }

 private:
  /// Whether statement s is a product and a term of a sum alone: then it is computed in the place
  /// of the sum.
  constexpr bool feeds_sum(int s) const {
    const statement_kind kind = problem_.list[s].kind;
    if (kind != statement_kind::contract && kind != statement_kind::pointwise) return false;
    int uses = 0;
    bool sums = false;
    for (int t = s + 1; t < L.statements && t < problem_.statement_count; ++t) {
      for (int f = 0; f < problem_.list[t].factor_count; ++f) {
        if (problem_.list[t].factors[f].source != n_ + s) continue;
        ++uses;
        sums = sums || problem_.list[t].kind == statement_kind::sum;
      }
    }
    return sums && uses == 1;
  }

  constexpr const label_list<L.labels>& order_of_result(int s) const {
    return s + 1 == problem_.statement_count ? problem_.output.order : problem_.list[s].order;
  }

  /// The value that an earlier statement or an input is; twins are read as the first of them.
  constexpr int value_of(int source) const {
    return source < n_ ? problem_.twin[source] : result_[source - n_];
  }
  constexpr label_set labels_of(int value) const {
    return value < n_ ? problem_.inputs[value].labels : plan_.steps[value - n_].order.set();
  }
  constexpr const label_list<L.labels>& order_of(int value) const {
    return value < n_ ? problem_.inputs[value].order : plan_.steps[value - n_].order;
  }

  constexpr int copy(int value, const label_list<L.labels>& order) {
    plan_step<L>& step = plan_.steps[plan_.step_count++];
    step.a = value;
    step.labels = order.set();
    step.order = order;
    return n_ + plan_.step_count - 1;
  }

  /// The step that has left sign * sum of a * b with these labels, or -1. From now on it is shared.
  constexpr int find(int a, int b, int sign, label_set contracted, label_set kept) {
    for (int s = 0; s < plan_.step_count; ++s) {
      const plan_step<L>& known = plan_.steps[s];
      const bool same = (known.a == a && known.b == b) || (known.a == b && known.b == a);
      if (same && known.c < 0 && known.fixed_label < 0 && known.sign == sign &&
          known.contracted == contracted && known.order.set() == kept && !continued_[s]) {
        shared_[s] = true;
        return s;
      }
    }
    return -1;
  }

  /// Adds result := c + sign * sum of a * b; what an earlier step has left is not computed again.
  constexpr int append(int a, int b, int c, int sign, label_set labels,
                       const label_list<L.labels>& order) {
    const label_set contracted = labels & ~order.set();
    if (c < 0 || b >= 0) {
      const int known = find(a, b, c < 0 ? sign : 1, contracted, order.set());
      if (known >= 0 && c < 0) return n_ + known;
      if (known >= 0) return append(n_ + known, -1, c, sign, order.set(), order);
    }
    if (c >= 0 && shared_[c - n_]) c = copy(c, order);
    plan_step<L>& step = plan_.steps[plan_.step_count++];
    step.a = a;
    step.b = b;
    step.c = c;
    step.sign = sign;
    step.labels = labels;
    step.contracted = contracted;
    step.order = order;
    // A sum alone adds; a product multiplies, and adds when it sums.
    step.flops = b >= 0            ? pair_flops(each_(labels), contracted != 0)
                 : contracted != 0 ? each_(labels)
                                   : 0;
    if (c >= 0) {
      continued_[c - n_] = true;
      if (contracted == 0) step.flops += each_(labels);
    }
    plan_.flops += step.flops;
    return n_ + plan_.step_count - 1;
  }

  /// result := the factor at one value of a label.
  constexpr void slice(int s) {
    const bound_statement<L>& said = problem_.list[s];
    const int value = copy(value_of(said.factors[0].source), order_of_result(s));
    plan_.steps[value - n_].fixed_label = said.fixed_label;
    plan_.steps[value - n_].fixed_value = said.fixed_value;
    result_[s] = value;
  }

  /// result := sum of sign * term, term by term in one place.
  constexpr void sum(int s) {
    const bound_statement<L>& said = problem_.list[s];
    const auto order = order_of_result(s);
    int value = -1;
    for (int t = 0; t < said.factor_count && plan_.found; ++t) {
      const auto [source, sign] = said.factors[t];
      if (is_empty(problem_, source) && !is_empty(problem_)) continue;
      if (source >= n_ && feeds_sum(source - n_)) {
        value = product(problem_.list[source - n_], order, value, sign);
      } else {
        value = append(value_of(source), -1, value, sign, labels_of(value_of(source)), order);
      }
    }
    result_[s] = value;
  }

  /// Plans one product: sums the labels that one factor alone carries (each such sum shrinks the
  /// factor before it multiplies anything), then multiplies in the order of find_path. The last
  /// step adds to `c`.
  constexpr int product(const bound_statement<L>& said, const label_list<L.labels>& order, int c,
                        int sign) {
    const int n = said.factor_count;
    const label_set kept = order.set();
    label_set all = 0;
    for (int f = 0; f < n; ++f) all |= labels_of(value_of(said.factors[f].source));
    plan_.naive_flops += each_(all) * ((n > 1 ? n - 1 : 0) + ((all & ~kept) != 0 ? 1 : 0));
    if (c >= 0) plan_.naive_flops += each_(kept);

    if (n == 1) return append(value_of(said.factors[0].source), -1, c, sign, all, order);

    path_value<L> values[2 * L.operands] = {};
    int number[2 * L.operands] = {};  // path value -> plan value
    for (int f = 0; f < n; ++f) {
      const int v = value_of(said.factors[f].source);
      label_set needed = kept;
      for (int other = 0; other < n; ++other) {
        if (other != f) needed |= labels_of(value_of(said.factors[other].source));
      }
      values[f] = {labels_of(v) & needed, {}};
      for (int i = 0; i < order_of(v).count; ++i) {
        if (contains(needed, order_of(v)[i])) values[f].order.push(order_of(v)[i]);
      }
      number[f] = v;
      const bool converts = v < n_ && is_foreign(problem_, problem_.inputs[v]);
      if (converts || values[f].labels != labels_of(v)) {
        number[f] = append(v, -1, -1, 1, labels_of(v), values[f].order);
      }
    }

    const contraction_path<L> path = find_path<L>(values, n, kept, points_, options_);
    plan_.found = plan_.found && path.found;
    for (int s = 0; s < path.count; ++s) {
      const path_value<L>& x = values[path.a[s]];
      const path_value<L>& y = values[path.b[s]];
      label_set needed = kept;
      for (int rest = s; rest < path.count; ++rest) {
        for (const int v : {path.a[rest], path.b[rest]}) {
          if (v < n + s && v != path.a[s] && v != path.b[s]) needed |= values[v].labels;
        }
      }
      const label_set labels = x.labels | y.labels;
      const bool last = s + 1 == path.count;
      const auto result = last ? order : product_order<L>(x.order, y.order, labels & needed);
      number[n + s] = append(number[path.a[s]], number[path.b[s]], last ? c : -1, last ? sign : 1,
                             labels, result);
      values[n + s] = {labels & needed, result};
    }
    return number[n + path.count - 1];
  }

  const problem<L>& problem_;
  const path_options& options_;
  index_space<L> each_, points_;
  int n_;
  contraction_plan<L> plan_{};
  int result_[L.statements] = {};        ///< the value of each statement
  bool continued_[2 * L.operands] = {};  ///< a later step adds to this one's result
  bool shared_[2 * L.operands] = {};     ///< more than one step reads it
};

/// Plans a problem: every statement in turn. Equal sub-contractions (the same operands and labels)
/// are computed once. Throws nothing; complexity by default 3^n for a product of n factors, n <= 9
/// or 10 that are sparsely connected, and n^3 beyond.
/// Without a path (see path_options) the plan is not `found`.
template <limits L>
constexpr contraction_plan<L> make_plan(const problem<L>& p, const path_options& options = {}) {
  return planning<L>(p, options).run();
}

}  // namespace tenfold
