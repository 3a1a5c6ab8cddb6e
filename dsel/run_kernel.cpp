#include <memory>
#include <tenfold/backend/launch.hpp>
#include <tenfold/contraction/bind_kernel.hpp>
#include <tenfold/contraction/lower.hpp>
#include <tenfold/contraction/make_plan.hpp>
#include <tenfold/dsel/run_kernel.hpp>
#include <tenfold/dsel/with_scalar.hpp>

namespace tenfold {

namespace {

/// Room for every kernel that the library unrolls.
constexpr limits kernel_limits{unrolled_size::most, kernel::max_labels, kernel_access::max_rank,
                               unrolled_size::most, unrolled_size::most};

diagnostic overlap_of(const kernel& k, const run_time_operand* operands) {
  const run_time_operand& y = operands[k.output()];
  for (int o = 0; o < k.operand_count; ++o) {
    if (k.operands[o].role != operand_role::input) continue;
    if (!are_disjoint(operands[o], y.shape, y.data)) {
      return kernel_checks::at_operand(k, diagnosis::kernel_overlap, o);
    }
  }
  return {};
}

}  // namespace

void admit_kernel(const kernel& k, std::string_view text, const run_time_operand* operands,
                  index* extents) {
  operand_shape<max_rank> shapes[kernel::max_operands];
  for (int o = 0; o < k.operand_count; ++o) shapes[o] = operands[o].shape;
  const kernel_extents found = extents_of(k, shapes);
  if (found.error) throw_diagnostic(found.error, text);
  if (const diagnostic wrong = overlap_of(k, operands)) throw_diagnostic(wrong, text);
  for (int l = 0; l < k.label_count; ++l) extents[l] = found.of[l];
}

void run_kernel(const kernel& k, std::string_view text, const run_time_operand* operands,
                const index* extents) {
  const unrolled_size size = size_of_unrolled(k, extents);
  if (size.error) throw_diagnostic(size.error, text);
  if (size.is_open) throw_diagnostic({diagnosis::unknown_extent}, text);
  operand_shape<max_rank> shapes[kernel::max_operands];
  for (int o = 0; o < k.operand_count; ++o) shapes[o] = operands[o].shape;
  const auto unrolled = std::make_unique<unrolled_kernel<kernel_limits>>();
  unroll(k, extents, size.inputs, *unrolled);
  const auto bound = std::make_unique<bind_result<kernel_limits>>(
      bind_kernel<kernel_limits, max_rank>(k, *unrolled, shapes));
  if (bound->error) throw_diagnostic(bound->error, text);
  const problem<kernel_limits>& p = bound->value;
  const run_time_operand& out = operands[k.output()];
  void* const y = const_cast<void*>(out.data);
  const bool updates = k.adds_to_output();
  if (is_empty(p)) return scale(out.shape, y, {updates ? 1.0 : 0.0});
  const auto plan = std::make_unique<contraction_plan<kernel_limits>>(make_plan<kernel_limits>(p));
  const instruction_set isa = best_instruction_set();
  using program_type = program<6, 256, 512>;
  const auto runnable =
      std::make_unique<program_type>(lower<program_type>(p, *plan, capabilities_of(isa), !updates));
  if (!plan->found || !runnable->feasible) throw_diagnostic({diagnosis::too_long_program}, text);
  const void* inputs[kernel_limits.operands] = {};
  for (int o = 0; o < p.input_count; ++o) inputs[o] = operands[unrolled->inputs[o].operand].data;
  with_scalar(p.type, [&](auto one) {
    using T = decltype(one);
    launch(*runnable, program_arguments<T>{inputs, y, p.extent, T(1), updates ? T(1) : T(0)}, isa);
  });
}

}  // namespace tenfold
