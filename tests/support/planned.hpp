#pragma once

#include <expected.hpp>
#include <memory>
#include <string_view>
#include <tenfold/backend/launch.hpp>
#include <tenfold/contraction/bind.hpp>
#include <tenfold/contraction/lower.hpp>
#include <tenfold/contraction/make_plan.hpp>
#include <tenfold/dsel/parse.hpp>
#include <tenfold/dsel/run_time.hpp>
#include <tenfold/tensor/error.hpp>
#include <vector>

/// What the tests of the front end ask of the planner.
namespace tenfold::testing {

/// The run-time way of an expression, step by step, so that a test can stand between two of them.
/// Expects subscripts and operands without errors.
template <limits L, class T>
problem<L> problem_of(std::string_view text, const std::vector<seen_operand<T>>& operands,
                      const operand_shape<max_rank>* y = nullptr) {
  std::vector<operand_shape<max_rank>> shapes;
  for (const auto& o : operands) shapes.push_back(o.shape);
  const parse_result<L> parsed = parse<L>(text);
  const bind_result<L> bound = bind<L, max_rank>(parsed.value, parsed.names, shapes.data(),
                                                 static_cast<int>(shapes.size()), y);
  if (parsed.error || bound.error) throw error("the limits of the test do not hold the subscripts");
  return bound.value;
}

/// Sum over the steps of the plan of (k + 2), k the number of entries that the step sums into one:
/// the factor of the tolerance. It takes the plan as it is; a plan that sums more than needed is
/// caught by the tests of flops.
template <limits L>
double work_of(const problem<L>& p, const contraction_plan<L>& plan) {
  const index_space<L> points(p, 1);
  double work = 0;
  for (int s = 0; s < plan.step_count; ++s) work += points(plan.steps[s].contracted) + 2;
  return work;
}
template <class T>
double work_of(std::string_view text, const std::vector<seen_operand<T>>& operands) {
  const auto p = std::make_unique<problem<large_limits>>(
      problem_of<large_limits>(text, operands));
  const auto plan = std::make_unique<contraction_plan<large_limits>>(make_plan<large_limits>(*p));
  return work_of<large_limits>(*p, *plan);
}

/// y := alpha * expression + beta * y on the micro-kernels of one instruction set.
template <limits L, class T>
void evaluate_on(instruction_set isa, std::string_view text,
                 const std::vector<seen_operand<T>>& operands,
                 const operand_shape<max_rank>& y_shape, T* y, double alpha = 1, double beta = 0) {
  const auto p = std::make_unique<problem<L>>(problem_of<L>(text, operands, &y_shape));
  if (some_extent_is(*p, 0)) return scale(y_shape, y, {beta});
  const auto plan = std::make_unique<contraction_plan<L>>(make_plan<L>(*p));
  const auto runnable = std::make_unique<dynamic_program<L>>(
      lower<dynamic_program<L>>(*p, *plan, capabilities_of(isa), static_cast<T>(beta) == T(0)));
  if (!runnable->feasible) throw error("a program whose sizes are all known is not feasible");
  std::vector<const void*> data;
  for (const auto& o : operands) data.push_back(o.data);
  launch(*runnable,
         program_arguments<T>{data.data(), y, p->extent, static_cast<T>(alpha),
                              static_cast<T>(beta)},
         isa);
}

/// The instruction sets that this CPU can run.
inline std::vector<instruction_set> instruction_sets() {
  std::vector<instruction_set> all;
  for (const auto isa : {instruction_set::baseline, instruction_set::avx2, instruction_set::avx512}) {
    if (isa <= best_instruction_set()) all.push_back(isa);
  }
  return all;
}

}  // namespace tenfold::testing
