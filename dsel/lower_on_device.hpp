#pragma once

#include <memory>
#include <string_view>
#include <tenfold/contraction/lower_device.hpp>
#include <tenfold/contraction/merge_labels.hpp>
#include <tenfold/dsel/at_run_time.hpp>
#include <tenfold/dsel/planned_kernel.hpp>
#include <tenfold/dsel/read_call.hpp>
#include <vector>

/// The stops of a call on a device before its texts are written, shared by what runs it and what
/// explains it.
namespace tenfold {

/// Operands as the front of the library sees them: it asks where they lie only to refuse them.
inline std::vector<run_time_operand> seen_from_host(const run_time_operand* inputs, int count) {
  std::vector<run_time_operand> seen(inputs, inputs + count);
  for (run_time_operand& x : seen) x.shape.space = device::cpu;
  return seen;
}

/// What a call becomes on its way to a device; who explains it asks for all of it.
template <limits L>
struct lowered_call {
  std::unique_ptr<call_as_read<L>> read;
  problem<L> merged;                          ///< what was planned: labels are merged
  std::unique_ptr<contraction_plan<L>> plan;  ///< empty if there is nothing to sum
  device_program program;
};

/// Calls f with a lowered call. `require_apart` is called when the operands are known to be right.
template <class Check, class F>
void with_lowered(std::string_view text, const std::vector<run_time_operand>& inputs,
                  const operand_shape<max_rank>* y, const call_settings& settings,
                  const device_capabilities& d, const Check& require_apart, F f) {
  const auto count = static_cast<int>(inputs.size());
  with_limits(text, {inputs.data(), count}, [&]<limits L>() {
    auto call = std::make_unique<lowered_call<L>>();
    call->read = read_call<L>(text, inputs.data(), count, y, settings.binding);
    require_apart();
    problem<L>& p = call->merged = call->read->bound;
    if (is_zero(settings.alpha) || is_empty(p)) {
      call->plan = std::make_unique<contraction_plan<L>>();
      call->program = lower_scaling(p, device_source{}, d);
      return f(*call);
    }
    mark_twins(p, [&](int o, int before) {
      return inputs[static_cast<std::size_t>(o)].data ==
             inputs[static_cast<std::size_t>(before)].data;
    });
    // Copies of one operand come to shared memory once; of its diagonals each is another operand.
    const auto is_whole = [&](int o) {
      return p.inputs[o].order.count == inputs[static_cast<std::size_t>(o)].shape.rank;
    };
    for (int o = 1; o < p.input_count; ++o) {
      const run_time_operand& x = inputs[static_cast<std::size_t>(o)];
      int first = is_whole(o) ? 0 : o;
      while (first < o) {
        const run_time_operand& before = inputs[static_cast<std::size_t>(first)];
        if (is_whole(first) && have_one_address(before, x) && before.shape == x.shape) break;
        ++first;
      }
      p.same[o] = static_cast<std::uint8_t>(first);
    }
    merge_labels(p);
    call->plan = at_run_time::make_plan<L>(p, settings.path, path_ties::neighbours);
    if (!call->plan->found) throw_diagnostic({diagnosis::no_path}, text);
    device_source sources[L.operands];
    for (int o = 0; o < p.input_count; ++o) sources[o].slot = o;
    call->program = at_run_time::lower_device<L>(p, *call->plan, sources, {}, d);
    f(*call);
  });
}

/// Plans a kernel for operands whose labels have these extents.
inline std::unique_ptr<planned_kernel> plan_kernel_on(const kernel& k, std::string_view text,
                                                      const std::vector<run_time_operand>& operands,
                                                      const index* extents) {
  std::vector<operand_shape<max_rank>> shapes;
  for (const run_time_operand& x : operands) shapes.push_back(x.shape);
  return plan_kernel(k, text, shapes.data(), extents, path_ties::neighbours);
}

/// A result that is written through a map is zero first, so that its entries can be added to.
inline device_program lower_kernel(const kernel& k, const planned_kernel& made,
                                   const std::vector<run_time_operand>& operands,
                                   const device_capabilities& d) {
  const problem<kernel_limits>& p = made.bound.value;
  const entry_map& map = operands[static_cast<std::size_t>(k.output())].map;
  const device_source to{k.output(), map.wide};
  device_program phases;
  phases.type = p.type;
  if (map.numbers != nullptr ? !k.adds_to_output() : is_empty(p)) phases = lower_scaling(p, to, d);
  if (is_empty(p)) return phases;
  device_source sources[kernel_limits.operands];
  for (int o = 0; o < p.input_count; ++o) {
    const int from = made.unrolled.inputs[o].operand;
    sources[o] = {from, operands[static_cast<std::size_t>(from)].map.wide};
  }
  device_program rest = at_run_time::lower_device<kernel_limits>(p, made.plan, sources, to, d);
  rest.phases.insert(rest.phases.begin(), phases.phases.begin(), phases.phases.end());
  return rest;
}

}  // namespace tenfold
