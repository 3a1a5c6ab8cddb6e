#include <algorithm>
#include <complex>
#include <cstring>
#include <iterator>
#include <mutex>
#include <tenfold/backend/cuda/gemm.hpp>
#include <tenfold/backend/cuda/halve.hpp>
#include <tenfold/backend/cuda/program.hpp>
#include <tenfold/backend/cuda/program_text.hpp>
#include <tenfold/backend/cuda/transpose.hpp>
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

template <class T>
device_transpose_arguments<T> arguments_of(const phase_transpose& x, const void* from, void* to,
                                           T alpha, T beta) {
  device_transpose_arguments<T> a{from,    to,      x.rows,  x.columns, x.x_row, x.y_row,
                                  x.loops, false, {}, {}, {}, alpha, beta};
  std::copy_n(x.extents, x.loops, a.extents);
  std::copy_n(x.x_steps, x.loops, a.x_steps);
  std::copy_n(x.y_steps, x.loops, a.y_steps);
  return a;
}

std::size_t argument_bytes(const device_phase& phase) {
  return phase.places.size() * sizeof(device_base) + sizeof(behind_places<std::complex<double>>);
}

}  // namespace

ready_program::ready_program(device_machine& machine, device_program program, void* stream)
    : machine_(machine), program_(std::move(program)) {
  for (device_phase& phase : program_.phases) {
    if (phase.product) {
      functions_.emplace_back();
      continue;
    }
    if (phase.transpose) {
      functions_.push_back(
          machine_.load(transpose_text(program_.type, phase.transpose->how), transpose_entry));
      continue;
    }
    for (const phase_constant& c : phase.constants)
      if (c.halves != reflection::none && halve_.handle == nullptr)
        halve_ = machine_.load(halve_text(program_.type), halve_entry);
    if (argument_bytes(phase) > most_argument_bytes)
      throw backend_error("tenfold: an expression with " + std::to_string(phase.places.size()) +
                          " operands in one launch cannot run on this device: its arguments take " +
                          "more than " + std::to_string(most_argument_bytes) + " bytes");
    device_use use{phase.constants.empty() ? nullptr : program_constants, stream, {}};
    if (phase.shares)
      use.shared_bytes = [&](int registers) {
        return select::device_phase_shared(phase, type(), registers, machine_.capabilities());
      };
    functions_.push_back(compile_without_spills(phase, [&] {
      return machine_.load(program_text(type(), phase), program_entry, use);
    }));
  }
}

explained_device ready_program::explain() const {
  const device_capabilities& d = machine_.capabilities();
  explained_device told{d, {}, workspace_bytes()};
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    const device_phase& phase = program_.phases[i];
    const bool by_library = suits_library(phase) && machine_.has_library();
    explained_launch launch = explain_launch(phase, type(), d, machine_.tunings, by_library);
    if (phase.in_slabs) launch.times = program_.slabs();
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
  const held_workspace workspace =
      machine_.workspaces.hold(machine_, stream, static_cast<std::size_t>(workspace_bytes()));
  // Of the slab whose turn it is, in a phase that is in slabs.
  index first_element = 0, elements = 0;
  const auto base_of = [&](const phase_place& p) {
    entry_map map;
    index offset = p.offset;
    if (p.where != device_buffer::workspace) offset += first_element * p.steps[0];
    const void* data = workspace.data;
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
                 offset * static_cast<index>(map.wide ? sizeof(long long) : sizeof(int));
    else
      base.data = static_cast<const char*>(data) + offset * static_cast<index>(bytes_of(p.type));
    std::copy(std::begin(p.steps), std::end(p.steps), base.steps);
    return base;
  };
  const auto start = [&](std::size_t i) {
    const device_phase& phase = program_.phases[i];
    if (phase.product) {
      const phase_product& x = *phase.product;
      const index count = phase.in_slabs ? x.count / program_.slab_elements * elements : x.count;
      const auto place = [&](int at, index problem) {
        const void* const data = base_of(phase.places[static_cast<std::size_t>(at)]).data;
        return batch_place{data, problem};
      };
      gemm(machine_, x.shape,
           gemm_arguments<T>{place(x.a, x.problem_a), place(x.b, x.problem_b),
                             place(x.c, x.problem_c), count, x.finishes ? arguments.alpha : T(1),
                             x.finishes ? arguments.beta : T(0)},
           stream);
      return;
    }
    if (phase.transpose) {
      const phase_transpose& x = *phase.transpose;
      const device_base from = base_of(phase.places[static_cast<std::size_t>(x.x)]),
                        to = base_of(phase.places[static_cast<std::size_t>(x.y)]);
      transpose(machine_, functions_[i], x.how, x.parts(),
                arguments_of(x, from.data, const_cast<void*>(to.data), arguments.alpha,
                             arguments.beta),
                stream);
      return;
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
    const behind_places<T> rest{phase.in_slabs ? elements : phase.count(), arguments.alpha,
                                arguments.beta};
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
  };
  for (index slab = 0; slab < program_.slabs(); ++slab) {
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      const bool in_slabs = program_.phases[i].in_slabs;
      if (slab > 0 && !in_slabs) continue;
      first_element = in_slabs ? slab * program_.slab_elements : 0;
      elements = std::min(program_.slab_elements, program_.elements - first_element);
      start(i);
    }
  }
}

template void ready_program::run(const program_arguments<float>&, void*) const;
template void ready_program::run(const program_arguments<double>&, void*) const;
template void ready_program::run(const program_arguments<std::complex<float>>&, void*) const;
template void ready_program::run(const program_arguments<std::complex<double>>&, void*) const;

}  // namespace tenfold::cuda
