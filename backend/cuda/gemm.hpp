#pragma once

#include <complex>
#include <span>
#include <tenfold/backend/cuda/device_machine.hpp>
#include <tenfold/backend/interface/gemm.hpp>

namespace tenfold::cuda {

/// C(b) := alpha A(b) B(b) + beta C(b) on a device, for float, double and std::complex of them.
///
/// All addresses of `g`, those in lists of pointers too, are the machine's. A, B and C may lie in
/// any layout. beta == 0: C is not read. alpha == 0 or k == 0: A and B are not read. It is started
/// on `stream` and not waited for; once the text of its shape is loaded a call allocates nothing on
/// the device and waits for nothing. Neither the size of the batch nor a problem's place in it
/// changes a bit of a C that is not gathered.
///
/// Large matrices are multiplied by the machine's library where it is there and takes them so as
/// they lie (select::library_product_of); the first such call on a stream takes memory. Another
/// size of the batch may change the last bits of these.
///
/// An entry that the map of a gathered C names is scaled by beta once, then gets all products that
/// come to it, in any order: its last bits may differ from run to run. For a beta other than 0 and
/// 1 such a call takes memory for as many entries as the map has and waits until the device is
/// done.
///
/// Throws backend_error for what the device cannot do, before anything is started.
template <class T>
void gemm(device_machine& machine, const gemm_shape& s, const gemm_arguments<T>& g,
          void* stream = nullptr);

/// A product as gemm takes it.
template <class T>
struct gemm_call {
  gemm_shape shape;
  gemm_arguments<T> arguments;
};

/// One product after the other, as by gemm above; no C meets a matrix of another one. Neighbours
/// that the machine's library takes it may compute together (select::library_joins).
template <class T>
void gemm(device_machine& machine, std::span<const gemm_call<T>> calls, void* stream = nullptr);

/// The same product of `count` problems on its way to our device kernel: its cut, and its text
/// loaded; where its matrices lie otherwise than is said here, a call will have another one. Throws
/// as gemm.
ready_gemm prepare(device_machine& machine, const gemm_shape& s, index count,
                   const wide_maps& wide = {}, const gemm_alignment& alignment = {});

/// Starts a product that is ready, for a batch that lies as it was made for; nothing is empty, and
/// what a gathered C names was scaled before.
template <class T>
void launch(device_machine& machine, const ready_gemm& product, const gemm_arguments<T>& g,
            void* stream = nullptr);

}  // namespace tenfold::cuda
