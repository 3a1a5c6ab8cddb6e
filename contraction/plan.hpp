#pragma once

#include <tenfold/contraction/problem.hpp>

/// In what order an expression is computed: pairwise steps, target-neutral.
namespace tenfold {

/// result := c + sign * sum over `contracted` of a * b.   b < 0: only a;  c < 0: nothing is added.
/// Values are numbered: the inputs first, then the result of each step. c is the result of an
/// earlier step with the same labels that nothing else reads: its memory becomes that of the
/// result.
///
/// An input whose entries are not of the compute type, or are conjugated, is read by steps with one
/// operand only: they convert it.
template <limits L>
struct plan_step {
  int a = -1, b = -1, c = -1;
  int sign = 1;
  bool renames = false;      ///< the result is a, whose labels are in turn called those of `order`
  label_set labels = 0;      ///< of a and b together
  label_set contracted = 0;  ///< those the result lacks
  label_list<L.labels> order{};  ///< of the result, whose rank may exceed that of every operand
  double flops = 0;              ///< as in contraction_plan

  friend constexpr bool operator==(const plan_step&, const plan_step&) = default;
};

template <limits L>
struct contraction_plan {
  int input_count = 0;
  int step_count = 0;
  plan_step<L> steps[L.most_steps()] = {};
  bool found = true;  ///< false: no path was found, see contraction_path
  /// Work of all steps and of the single loop nest over all labels; extents that are not known
  /// while planning count as 1, so a plan with a run-time batch tells the work per batch entry.
  double flops = 0, naive_flops = 0;

  friend constexpr bool operator==(const contraction_plan&, const contraction_plan&) = default;
};

}  // namespace tenfold
