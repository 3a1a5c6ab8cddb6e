#include <planned.hpp>

#include <memory>
#include <tenfold/contraction/merge_labels.hpp>
#include <tenfold/dsel/at_run_time.hpp>
#include <tenfold/dsel/einsum.hpp>
#include <tenfold/dsel/read_call.hpp>

namespace tenfold::testing {
namespace {

/// Room for everything: tests can wait.
constexpr limits L = with_sums(large_limits);

struct planned_operands {
  std::unique_ptr<call_as_read<L>> read;
  std::unique_ptr<contraction_plan<L>> plan;

  planned_operands(std::string_view text, const operand_list& operands,
                   const operand_shape<max_rank>* y, const call_settings& settings)
      : read(read_call<L>(text, operands.data(), static_cast<int>(operands.size()), y,
                          settings.binding)) {
    merge_labels(read->bound);
    plan = at_run_time::make_plan<L>(read->bound, settings.path);
  }

  std::unique_ptr<dynamic_program<L>> program(instruction_set isa, bool overwrites,
                                              index l2_bytes = 0) const {
    capabilities machine = capabilities_of(isa);
    if (l2_bytes > 0) machine.l2_bytes = l2_bytes;
    auto lowered = at_run_time::lower<dynamic_program<L>>(read->bound, *plan, machine, overwrites);
    if (!lowered->feasible) throw error("a program whose sizes are all known is not feasible");
    return lowered;
  }
};

template <class T>
void launch_as(instruction_set isa, const dynamic_program<L>& program, const void* const* data,
               void* y, const index* extents, const call_settings& settings) {
  launch(program,
         program_arguments<T>{data, y, extents, evaluating::factor_as<T>(settings.alpha),
                              evaluating::factor_as<T>(settings.beta)},
         isa);
}

}  // namespace

double work_of(std::string_view text, const operand_list& operands, const call_settings& settings) {
  const planned_operands call(text, operands, nullptr, settings);
  const index_space<L> points(call.read->bound, 1);
  double work = 0;
  for (int s = 0; s < call.plan->step_count; ++s) {
    work += points(call.plan->steps[s].contracted) + 2;
  }
  return work;
}

void evaluate_on(instruction_set isa, std::string_view text, const operand_list& operands,
                 const operand_shape<max_rank>& y_shape, void* y, const call_settings& settings,
                 index l2_bytes) {
  const planned_operands call(text, operands, &y_shape, settings);
  const problem<L>& p = call.read->bound;
  if (is_empty(p)) return scale(y_shape, y, settings.beta);
  const auto program = call.program(isa, is_zero(settings.beta), l2_bytes);
  std::vector<const void*> data;
  for (const auto& o : operands) data.push_back(o.data);
  switch (p.type) {
    case scalar::f32:
      return launch_as<float>(isa, *program, data.data(), y, p.extent, settings);
    case scalar::f64:
      return launch_as<double>(isa, *program, data.data(), y, p.extent, settings);
    case scalar::c32:
      return launch_as<std::complex<float>>(isa, *program, data.data(), y, p.extent, settings);
    case scalar::c64:
      return launch_as<std::complex<double>>(isa, *program, data.data(), y, p.extent, settings);
  }
}

index workspace_on(instruction_set isa, std::string_view text, const operand_list& operands) {
  return planned_operands(text, operands, nullptr, {}).program(isa, true)->workspace_entries;
}

}  // namespace tenfold::testing
