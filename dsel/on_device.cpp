#include <algorithm>
#include <memory>
#include <tenfold/backend/cuda/program.hpp>
#include <tenfold/backend/with_scalar.hpp>
#include <tenfold/dsel/lower_on_device.hpp>
#include <tenfold/dsel/on_device.hpp>
#include <tenfold/dsel/recent_calls.hpp>
#include <tenfold/dsel/run_kernel.hpp>

namespace tenfold {

using cuda::device_machine, cuda::ready_program;

namespace {

/// Calls with equal keys run the same program; on another stream with constants of its own.
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
  const void* data[large_limits.operands];
  call_key key(text, count, settings);
  const int held = std::min(count, large_limits.operands);  // more are refused where they are read
  for (int o = 0; o < held; ++o) {
    key.add(operands[static_cast<std::size_t>(o)].shape);
    data[o] = inputs[o].data;
  }
  key.add_twins(data, held);
  key.add(out.shape);
  key.add(is_zero(settings.alpha));
  if (!is_complex(y_shape.type) && (settings.alpha.im != 0 || settings.beta.im != 0))
    throw_diagnostic({diagnosis::complex_factor}, text);
  const auto admit = [&] { check_addresses(text, operands.data(), count, &out.shape, y); };

  device_machine& machine = *where.machine;
  auto words = words_of(key, where);
  auto program = machine.programs.find(words);
  if (program) {
    admit();
  } else {
    with_lowered(
        text, operands, &out.shape, settings, machine.capabilities(), admit, [&](auto& call) {
          program =
              std::make_shared<const ready_program>(machine, std::move(call.program), where.stream);
        });
    machine.programs.keep(std::move(words), program);
  }
  run(*program, where, data, nullptr, out, settings);
}

void run_kernel_on(const device_queue& where, const kernel& k, std::string_view text,
                   const run_time_operand* given) {
  const auto operands = seen_from_host(given, k.operand_count);
  index extents[kernel::max_labels];
  admit_kernel(k, text, operands.data(), extents);
  const run_time_operand& out = operands[static_cast<std::size_t>(k.output())];

  call_key key(text, k.operand_count, {});
  key.add(static_cast<std::uint64_t>(k.batch));
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
  auto program = machine.programs.find(words);
  if (!program) {
    const auto made = plan_kernel_on(k, text, operands, extents);
    program = std::make_shared<const ready_program>(
        machine, lower_kernel(k, *made, operands, machine.capabilities()), where.stream);
    machine.programs.keep(std::move(words), program);
  }
  run(*program, where, data, maps, out, {{1}, {k.adds_to_output() ? 1.0 : 0.0}});
}

}  // namespace tenfold
