#include <algorithm>
#include <memory>
#include <tenfold/backend/cuda/program.hpp>
#include <tenfold/contraction/lower_device.hpp>
#include <tenfold/contraction/make_plan.hpp>
#include <tenfold/contraction/merge_labels.hpp>
#include <tenfold/dsel/on_device.hpp>
#include <tenfold/dsel/planned_kernel.hpp>
#include <tenfold/dsel/read_call.hpp>
#include <tenfold/dsel/recent_calls.hpp>
#include <tenfold/dsel/run_kernel.hpp>
#include <tenfold/dsel/with_scalar.hpp>
#include <vector>

namespace tenfold {

using cuda::device_machine, cuda::ready_program;

namespace {

/// Operands as the front of the library sees them: it asks where they lie only to refuse them.
std::vector<run_time_operand> seen_from_host(const run_time_operand* inputs, int count) {
  std::vector<run_time_operand> seen(inputs, inputs + count);
  for (run_time_operand& x : seen) x.shape.space = device::cpu;
  return seen;
}

/// Calls with equal keys run the same program; on another stream with another workspace.
cuda::ready_programs::words words_of(const call_key& key, const device_queue& where) {
  cuda::ready_programs::words words(key.begin(), key.end());
  words.push_back(reinterpret_cast<std::uintptr_t>(where.stream));
  return words;
}

/// Runs a program with the numbers of a call.
void run(const ready_program& program, const device_queue& where, const void* const* inputs,
         const entry_map* maps, const run_time_operand& y, const call_settings& settings) {
  with_scalar(program.type(), [&](auto one) {
    using T = decltype(one);
    program_arguments<T> args{inputs, const_cast<void*>(y.data), nullptr,
                              evaluating::factor_as<T>(settings.alpha),
                              evaluating::factor_as<T>(settings.beta)};
    args.maps = maps;
    args.output_map = y.map;
    program.run(args, where.stream);
  });
}

}  // namespace

operand_shape<max_rank> result_shape_on_device(std::string_view text,
                                               const run_time_operand* inputs, int count,
                                               const bind_options& options) {
  const auto operands = seen_from_host(inputs, count);
  return result_shape(text, operands.data(), count, options);
}

void evaluate_on(const device_queue& where, std::string_view text, const run_time_operand* inputs,
                 int count, const operand_shape<max_rank>& y_shape, void* y,
                 const call_settings& settings) {
  const auto operands = seen_from_host(inputs, count);
  run_time_operand out{y_shape, y};
  out.shape.space = device::cpu;
  const bool scales = is_zero(settings.alpha);
  const void* data[large_limits.operands];
  call_key key(text, count, settings);
  const int held = std::min(count, large_limits.operands);  // more are refused where they are read
  for (int o = 0; o < held; ++o) {
    key.add(operands[static_cast<std::size_t>(o)].shape);
    data[o] = inputs[o].data;
  }
  key.add_twins(data, held);
  key.add(out.shape);
  key.add(scales);
  if (!is_complex(y_shape.type) && (settings.alpha.im != 0 || settings.beta.im != 0))
    throw_diagnostic({diagnosis::complex_factor}, text);
  const auto require_apart = [&] { require_disjoint(text, operands.data(), count, out.shape, y); };

  device_machine& machine = *where.machine;
  auto words = words_of(key, where);
  auto program = key.overflows() ? nullptr : machine.programs.find(words);
  if (program) {
    require_apart();
  } else {
    with_limits(text, {operands.data(), count}, [&]<limits L>() {
      const auto read = read_call<L>(text, operands.data(), count, &out.shape, settings.binding);
      require_apart();
      problem<L>& p = read->bound;
      if (scales || is_empty(p)) {
        program = std::make_shared<const ready_program>(
            machine, lower_scaling(p, device_source{}, machine.capabilities()));
        return;
      }
      mark_twins(p, [&](int o, int before) { return data[o] == data[before]; });
      merge_labels(p);
      const auto plan = std::make_unique<contraction_plan<L>>(make_plan<L>(p, settings.path));
      if (!plan->found) throw_diagnostic({diagnosis::no_path}, text);
      device_source sources[L.operands];
      for (int o = 0; o < p.input_count; ++o) sources[o].slot = o;
      program = std::make_shared<const ready_program>(
          machine, lower_device(p, *plan, sources, {}, machine.capabilities()));
    });
    if (!key.overflows()) machine.programs.keep(std::move(words), program);
  }
  run(*program, where, data, nullptr, out, settings);
}

void run_kernel_on(const device_queue& where, const kernel& k, std::string_view text,
                   const run_time_operand* given) {
  const auto operands = seen_from_host(given, k.operand_count);
  index extents[kernel::max_labels];
  admit_kernel(k, text, operands.data(), extents);
  const run_time_operand& out = operands[static_cast<std::size_t>(k.output())];
  const bool updates = k.adds_to_output(), scatters = out.map.numbers != nullptr;

  call_key key(text, k.operand_count, {});
  const void* data[kernel::max_operands];
  entry_map maps[kernel::max_operands];
  for (int o = 0; o < k.operand_count; ++o) {
    const run_time_operand& x = operands[static_cast<std::size_t>(o)];
    key.add(x.shape);
    key.add(x.map.wide);
    key.add(k.operands[o].is_identity);
    data[o] = x.data;
    maps[o] = x.map;
  }
  device_machine& machine = *where.machine;
  auto words = words_of(key, where);
  auto program = key.overflows() ? nullptr : machine.programs.find(words);
  if (!program) {
    std::vector<operand_shape<max_rank>> shapes;
    for (const run_time_operand& x : operands) shapes.push_back(x.shape);
    const auto made = plan_kernel(k, text, shapes.data(), extents);
    const problem<kernel_limits>& p = made->bound.value;
    const device_source to{k.output(), out.map.wide};
    device_program phases;
    phases.type = p.type;
    if (is_empty(p) || (scatters && !updates))
      phases = lower_scaling(p, to, machine.capabilities());
    if (!is_empty(p)) {
      device_source sources[kernel_limits.operands];
      for (int o = 0; o < p.input_count; ++o) {
        const int from = made->unrolled.inputs[o].operand;
        sources[o] = {from, maps[from].wide};
      }
      device_program rest = lower_device(p, made->plan, sources, to, machine.capabilities());
      phases.workspace_entries = rest.workspace_entries;
      for (device_phase& phase : rest.phases) phases.phases.push_back(std::move(phase));
    }
    program = std::make_shared<const ready_program>(machine, std::move(phases));
    if (!key.overflows()) machine.programs.keep(std::move(words), program);
  }
  run(*program, where, data, maps, out, {{1}, {updates ? 1.0 : 0.0}});
}

}  // namespace tenfold
