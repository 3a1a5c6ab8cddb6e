#pragma once

#include <tenfold/contraction/path.hpp>
#include <tenfold/contraction/plan.hpp>

/// problem -> plan.
namespace tenfold {

/// Plans a problem: sums the labels that one operand alone carries (each such sum shrinks the
/// operand before it multiplies anything), then multiplies in the order of find_path.
/// Throws nothing; complexity 3^n for n <= 10 operands, n^3 beyond.
template <limits L>
constexpr contraction_plan<L> make_plan(const problem<L>& p) {
  contraction_plan<L> plan;
  plan.input_count = p.input_count;
  const int n = p.input_count;
  const index_space<L> each(p, 1), points(p, nominal_extent);

  label_set all = 0;
  for (int o = 0; o < n; ++o) all |= p.inputs[o].labels;
  const bool sums = (all & ~p.output.labels) != 0;
  plan.naive_flops = each(all) * ((n > 1 ? n - 1 : 0) + (sums ? 1 : 0));

  const auto append = [&](int a, int b, label_set labels, const label_list<L.labels>& order) {
    plan_step<L>& step = plan.steps[plan.step_count++];
    step.a = a;
    step.b = b;
    step.labels = labels;
    step.contracted = labels & ~order.set();
    step.order = order;
    // A sum alone adds; a product multiplies, and adds when it sums.
    step.flops = b >= 0                 ? pair_flops(each(labels), step.contracted != 0)
                 : step.contracted != 0 ? each(labels)
                                        : 0;
    plan.flops += step.flops;
    return n + plan.step_count - 1;
  };

  if (n == 1) {
    append(0, -1, p.inputs[0].labels, p.output.order);
    return plan;
  }

  path_value<L> leaves[L.operands] = {};
  int number[L.operands + L.operands] = {};  // path value -> plan value
  for (int o = 0; o < n; ++o) {
    label_set needed = p.output.labels;
    for (int other = 0; other < n; ++other) {
      if (other != o) needed |= p.inputs[other].labels;
    }
    leaves[o] = {p.inputs[o].labels & needed, {}};
    for (int i = 0; i < p.inputs[o].order.count; ++i) {
      if (contains(needed, p.inputs[o].order[i])) leaves[o].order.push(p.inputs[o].order[i]);
    }
    number[o] = o;
    if (leaves[o].labels != p.inputs[o].labels) {
      number[o] = append(o, -1, p.inputs[o].labels, leaves[o].order);
    }
  }

  const contraction_path<L> path = find_path<L>(leaves, n, p.output.labels, points);
  path_value<L> values[2 * L.operands] = {};
  for (int o = 0; o < n; ++o) values[o] = leaves[o];
  for (int s = 0; s < path.count; ++s) {
    const path_value<L>& x = values[path.a[s]];
    const path_value<L>& y = values[path.b[s]];
    label_set needed = p.output.labels;
    for (int rest = s; rest < path.count; ++rest) {
      for (const int v : {path.a[rest], path.b[rest]}) {
        if (v < n + s && v != path.a[s] && v != path.b[s]) needed |= values[v].labels;
      }
    }
    const label_set labels = x.labels | y.labels;
    const bool last = s + 1 == path.count;
    const auto order = last ? p.output.order : product_order<L>(x.order, y.order, labels & needed);
    number[n + s] = append(number[path.a[s]], number[path.b[s]], labels, order);
    values[n + s] = {labels & needed, order};
  }
  return plan;
}

}  // namespace tenfold
