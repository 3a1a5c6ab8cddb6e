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

std::size_t argument_bytes(const device_phase& phase) {
  return phase.places.size() * sizeof(device_base) + sizeof(behind_places<std::complex<double>>);
}

/// The launches of one run.
template <class T>
struct launches_of_run {
  device_machine& machine;
  const device_program& program;
  const program_arguments<T>& arguments;
  void* workspace;
  void* stream;
  device_function halve_function;
  index first_element = 0, elements = 0;  ///< of the slab whose turn it is

  device_base base_of(const phase_place& p) const {
    entry_map map;
    index offset = p.offset;
    if (p.where != device_buffer::workspace) offset += first_element * p.steps[0];
    const void* data = workspace;
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
  }
  /// Where place number `at` of a phase begins, which is not mapped.
  const void* data_of(const device_phase& phase, int at) const {
    return base_of(phase.places[static_cast<std::size_t>(at)]).data;
  }

  void product(const device_phase& phase) const {
    const phase_product& x = *phase.product;
    gemm(machine, x.shape,
         gemm_arguments<T>{{data_of(phase, x.a), x.problem_a},
                           {data_of(phase, x.b), x.problem_b},
                           {data_of(phase, x.c), x.problem_c},
                           phase.in_slabs ? x.count / program.slab_elements * elements : x.count,
                           x.finishes ? arguments.alpha : T(1),
                           x.finishes ? arguments.beta : T(0)},
         stream);
  }

  void transposition(const device_phase& phase, device_function f) const {
    const phase_transpose& x = *phase.transpose;
    device_transpose_arguments<T> a;
    a.x = data_of(phase, x.x);
    a.y = const_cast<void*>(data_of(phase, x.y));
    a.rows = x.rows;
    a.columns = x.columns;
    a.x_row = x.x_row;
    a.y_row = x.y_row;
    a.loops = x.loops;
    std::copy_n(x.extents, x.loops, a.extents);
    std::copy_n(x.x_steps, x.loops, a.x_steps);
    std::copy_n(x.y_steps, x.loops, a.y_steps);
    a.alpha = arguments.alpha;
    a.beta = arguments.beta;
    transpose(machine, f, x.how, x.parts(), a, stream);
  }

  void steps(const device_phase& phase, device_function f) const {
    std::unique_lock constants_lock(machine.constants_mutex, std::defer_lock);
    if (!phase.constants.empty()) constants_lock.lock();
    for (const phase_constant& c : phase.constants) bring(c, data_of(phase, c.place), f);
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
    const index blocks =
        select::device_blocks(phase, program.type, f.registers, machine.capabilities());
    const auto shared = static_cast<std::size_t>(select::device_phase_bytes(phase, program.type));
    machine.launch(f, {blocks, phase.threads, shared, stream}, list);
  }

  /// Copies a table, or its halves, to the constants of f.
  void bring(const phase_constant& c, const void* from, device_function f) const {
    T* const to = static_cast<T*>(f.constants) + c.to;
    if constexpr (!is_complex(scalar_of<T>)) {
      if (c.halves != reflection::none) {
        halve(machine, halve_function,
              device_halve_arguments<T>{static_cast<const T*>(from), to, c.rows, c.columns, c.row,
                                        c.column, c.halves},
              stream);
        return;
      }
    }
    machine.copy_within(to, from, static_cast<std::size_t>(c.entries) * sizeof(T), stream);
  }
};

}  // namespace

ready_program::ready_program(device_machine& machine, device_program program, void* stream)
    : machine_(machine), program_(std::move(program)) {
  for (device_phase& phase : program_.phases) {
    if (phase.product) {
      functions_.emplace_back();
      continue;
    }
    if (phase.transpose) {
      device_use use;
      use.shared_bytes = [&](int registers) {
        return select::device_transpose_shared(phase.transpose->how, type(), registers,
                                               machine_.capabilities());
      };
      functions_.push_back(
          machine_.load(transpose_text(type(), phase.transpose->how), transpose_entry, use));
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
    functions_.push_back(compile_without_spills(
        phase, [&] { return machine_.load(program_text(type(), phase), program_entry, use); }));
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
  launches_of_run<T> start{machine_, program_, arguments, workspace.data, stream, halve_};
  for (index slab = 0; slab < program_.slabs(); ++slab) {
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      const device_phase& phase = program_.phases[i];
      if (slab > 0 && !phase.in_slabs) continue;
      start.first_element = phase.in_slabs ? slab * program_.slab_elements : 0;
      start.elements = std::min(program_.slab_elements, program_.elements - start.first_element);
      if (phase.product)
        start.product(phase);
      else if (phase.transpose)
        start.transposition(phase, functions_[i]);
      else
        start.steps(phase, functions_[i]);
    }
  }
}

template void ready_program::run(const program_arguments<float>&, void*) const;
template void ready_program::run(const program_arguments<double>&, void*) const;
template void ready_program::run(const program_arguments<std::complex<float>>&, void*) const;
template void ready_program::run(const program_arguments<std::complex<double>>&, void*) const;

}  // namespace tenfold::cuda
