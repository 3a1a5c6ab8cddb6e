#pragma once

#include <complex>
#include <tenfold/backend/cuda/device_machine.hpp>
#include <tenfold/backend/interface/arguments.hpp>
#include <tenfold/backend/interface/device_program.hpp>
#include <tenfold/backend/interface/explained_launch.hpp>

namespace tenfold::cuda {

/// A program whose device kernels are loaded. May be run again and again on one stream, from any
/// thread. It owns no memory of the device: when it runs, it takes the workspace of the stream.
class ready_program {
 public:
  /// Loads the texts of all phases, to be run on this stream. Throws backend_error for what the
  /// machine cannot do.
  ready_program(device_machine& machine, device_program program, void* stream);

  scalar type() const { return program_.type; }  ///< in which everything is computed

  /// Its launches, those of products too, and what the machine says of their device kernels.
  explained_device explain() const;

  /// Starts all phases on the stream, where they have a workspace none of another run between them.
  /// The addresses of `arguments` are the device's; extents and order of scattering are not asked
  /// for. Throws backend_error, with nothing started, if there is no room for the workspace.
  template <class T>
  void run(const program_arguments<T>& arguments, void* stream) const;

 private:
  index workspace_bytes() const {
    return program_.workspace_entries * static_cast<index>(bytes_of(type()));
  }

  device_machine& machine_;
  device_program program_;
  std::vector<device_function> functions_;  ///< by phase
  device_function halve_;                   ///< where a phase has tables in halves
};

extern template void ready_program::run(const program_arguments<float>&, void*) const;
extern template void ready_program::run(const program_arguments<double>&, void*) const;
extern template void ready_program::run(const program_arguments<std::complex<float>>&, void*) const;
extern template void ready_program::run(const program_arguments<std::complex<double>>&,
                                        void*) const;

}  // namespace tenfold::cuda
