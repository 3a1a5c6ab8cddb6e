#include <algorithm>
#include <complex>
#include <cstring>
#include <iterator>
#include <mutex>
#include <tenfold/backend/cuda/gemm.hpp>
#include <tenfold/backend/cuda/halve.hpp>
#include <tenfold/backend/cuda/program.hpp>
#include <tenfold/backend/cuda/program_text.hpp>
#include <tenfold/backend/interface/select/device_programs.hpp>
#include <tenfold/tensor/error.hpp>

namespace tenfold::cuda {
namespace {

/// Bytes of the argument of a device kernel.
constexpr std::size_t most_argument_bytes = 4096;

/// device_phase_arguments of a number of places that is known when the program runs: places, and
/// behind them what is in every call.
template <class T>
struct behind_places {
  long long count;
  T alpha, beta;
};
template <class T>
constexpr bool lies_so = sizeof(device_phase_arguments<T, 2>) ==
                         2 * sizeof(device_base) + sizeof(behind_places<T>);
static_assert(lies_so<float> && lies_so<double> && lies_so<std::complex<float>> &&
              lies_so<std::complex<double>>);

std::size_t argument_bytes(const device_phase& phase) {
  return phase.places.size() * sizeof(device_base) + sizeof(behind_places<std::complex<double>>);
}

}  // namespace

ready_program::ready_program(device_machine& machine, device_program program, void* stream)
    : machine_(machine),
      program_(std::move(program)),
      workspace_(machine, program_.workspace_entries * static_cast<index>(bytes_of(type()))) {
  for (device_phase& phase : program_.phases) {
    if (phase.product) {
      functions_.emplace_back();
      continue;
    }
    for (const phase_constant& c : phase.constants)
      if (c.halves != reflection::none && halve_.handle == nullptr)
        halve_ = machine_.load(halve_text(program_.type), halve_entry);
    if (argument_bytes(phase) > most_argument_bytes)
      throw backend_error("tenfold: an expression with " + std::to_string(phase.places.size()) +
                          " operands in one launch cannot run on this device: its arguments take " +
                          "more than " + std::to_string(most_argument_bytes) + " bytes");
    functions_.push_back(compile_without_spills(phase, [&] {
      return machine_.load(
          program_text(program_.type, phase), program_entry,
          {phase.constants.empty() ? nullptr : program_constants, stream,
           phase.shares ? select::device_phase_shared(phase, program_.type, machine_.capabilities())
                        : 0});
    }));
  }
}

explained_device ready_program::explain() const {
  const device_capabilities& d = machine_.capabilities();
  explained_device told{d, {}, program_.workspace_entries * static_cast<index>(bytes_of(type()))};
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    const device_phase& phase = program_.phases[i];
    const bool by_library = suits_library(phase) && machine_.has_library();
    const explained_launch launch = explain_launch(phase, type(), d, machine_.tunings, by_library);
    if (by_library) {
      told.launches.push_back(launch);
      continue;
    }
    const device_function f =
        phase.product ? prepare(machine_, phase.product->shape, phase.product->count).function
                      : functions_[i];
    told.launches.push_back(with_registers(launch, f.registers, f.spilled_bytes, d));
  }
  return told;
}

template <class T>
void ready_program::run(const program_arguments<T>& arguments, void* stream) const {
  const auto base_of = [&](const phase_place& p) {
    entry_map map;
    const void* data = workspace_.data();
    if (p.where == device_buffer::input) {
      data = arguments.inputs[p.slot];
      if (p.mapped) map = arguments.maps[p.slot];
    } else if (p.where == device_buffer::output) {
      data = arguments.output;
      map = arguments.output_map;
    }
    device_base base;
    base.data = data;
    if (p.mapped)
      base.map = static_cast<const char*>(map.numbers) +
                 p.offset * static_cast<index>(map.wide ? sizeof(long long) : sizeof(int));
    else
      base.data = static_cast<const char*>(data) + p.offset * static_cast<index>(bytes_of(p.type));
    std::copy(std::begin(p.steps), std::end(p.steps), base.steps);
    return base;
  };
  std::unique_lock run_lock(run_mutex_, std::defer_lock);
  if (workspace_.bytes() > 0) run_lock.lock();
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    const device_phase& phase = program_.phases[i];
    if (phase.product) {
      const phase_product& x = *phase.product;
      const auto place = [&](int at, index problem) {
        const void* const data = base_of(phase.places[static_cast<std::size_t>(at)]).data;
        return batch_place{data, problem};
      };
      gemm(machine_, x.shape,
           gemm_arguments<T>{place(x.a, x.problem_a), place(x.b, x.problem_b),
                             place(x.c, x.problem_c), x.count, x.finishes ? arguments.alpha : T(1),
                             x.finishes ? arguments.beta : T(0)},
           stream);
      continue;
    }
    std::unique_lock constants_lock(machine_.constants_mutex, std::defer_lock);
    if (!phase.constants.empty()) constants_lock.lock();
    for (const phase_constant& c : phase.constants) {
      const void* const from = base_of(phase.places[static_cast<std::size_t>(c.place)]).data;
      T* const to = static_cast<T*>(functions_[i].constants) + c.to;
      if constexpr (!is_complex(scalar_of<T>)) {
        if (c.halves != reflection::none) {
          halve(machine_, halve_,
                device_halve_arguments<T>{static_cast<const T*>(from), to, c.rows, c.columns, c.row,
                                          c.column, c.halves},
                stream);
          continue;
        }
      }
      machine_.copy_within(to, from, static_cast<std::size_t>(c.entries) * sizeof(T), stream);
    }
    alignas(16) unsigned char bytes[most_argument_bytes];
    auto* at = bytes;
    for (const phase_place& place : phase.places) {
      const device_base base = base_of(place);
      std::memcpy(at, &base, sizeof base);
      at += sizeof base;
    }
    const behind_places<T> rest{phase.count(), arguments.alpha, arguments.beta};
    std::memcpy(at, &rest, sizeof rest);
    void* list[] = {bytes};
    machine_.launch(
        functions_[i],
        {select::device_blocks(phase, type(), functions_[i].registers, machine_.capabilities()),
         phase.threads,
         static_cast<std::size_t>(device_shared_bytes(phase.block_entries, phase.element_entries,
                                                      phase.elements, static_cast<int>(sizeof(T)))),
         stream},
        list);
  }
}

template void ready_program::run(const program_arguments<float>&, void*) const;
template void ready_program::run(const program_arguments<double>&, void*) const;
template void ready_program::run(const program_arguments<std::complex<float>>&, void*) const;
template void ready_program::run(const program_arguments<std::complex<double>>&, void*) const;

}  // namespace tenfold::cuda
