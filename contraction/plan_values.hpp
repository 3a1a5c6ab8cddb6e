#pragma once

#include <tenfold/contraction/cost.hpp>
#include <tenfold/contraction/plan.hpp>

/// What lowering asks of the values of a plan: the inputs, and behind them the results of the
/// steps.
namespace tenfold {

template <limits L>
class plan_values {
 public:
  constexpr plan_values(const problem<L>& p, const contraction_plan<L>& plan)
      : problem_(p), plan_(plan), points_(p, nominal_extent), n_(p.input_count) {}

 protected:
  constexpr label_set labels_of(int value) const {
    return value < n_ ? problem_.inputs[value].labels : plan_.steps[value - n_].order.set();
  }
  constexpr const label_list<L.labels>& order_of(int value) const {
    return value < n_ ? problem_.inputs[value].order : plan_.steps[value - n_].order;
  }
  constexpr bool is_final(int step) const { return step + 1 == plan_.step_count; }

  /// The step that adds the last term to what step s began, or s.
  constexpr int end_of_sum(int s) const {
    for (int t = s + 1; t < plan_.step_count; ++t) {
      if (plan_.steps[t].c == n_ + s) return end_of_sum(t);
    }
    return s;
  }

  /// What lies in memory is not what is computed with.
  constexpr bool is_foreign(int value) const {
    if (value < n_) return tenfold::is_foreign(problem_, problem_.inputs[value]);
    return is_final(value - n_) && problem_.output.type != problem_.type;
  }

  /// Stride of a value outside scratch, or `dyn`. An intermediate that crosses phases is dense in
  /// its order.
  constexpr index external_stride(int value, int label) const {
    if (value < n_) return problem_.inputs[value].stride[label];
    if (is_final(value - n_)) return problem_.output.stride[label];
    const auto& order = order_of(value);
    index stride = 1;
    for (int i = order.count - 1; order[i] != label; --i) {
      if (problem_.extent[order[i]] == dyn) return dyn;
      stride *= problem_.extent[order[i]];
    }
    return stride;
  }

  /// Entries lie where a map says.
  constexpr bool is_mapped(int value) const {
    const bool is_result = value >= n_ && is_final(value - n_);
    if (value >= n_ && !is_result) return false;
    const auto& x = is_result ? problem_.output : problem_.inputs[value];
    return x.layout == batch_layout::gathered;
  }
  constexpr bool scatters(int root) const { return is_final(root) && is_mapped(n_ + root); }

  /// What lies in memory where a value is only its conversion.
  constexpr int before_conversion(int value) const {
    if (value < n_) return value;
    const plan_step<L>& step = plan_.steps[value - n_];
    const bool converts = step.b < 0 && step.c < 0 && step.contracted == 0 && step.sign == 1 &&
                          !step.renames && step.a < n_ && step.order.set() == labels_of(step.a) &&
                          end_of_sum(value - n_) == value - n_;
    return converts ? step.a : value;
  }

  const problem<L>& problem_;
  const contraction_plan<L>& plan_;
  index_space<L> points_;
  int n_;  ///< inputs
};

}  // namespace tenfold
