#pragma once

#include <complex>
#include <tenfold/backend/cuda/device_machine.hpp>
#include <tenfold/backend/interface/gemm.hpp>

namespace tenfold::cuda {

/// C(b) := alpha A(b) B(b) + beta C(b) on a device, for float, double and std::complex of them.
///
/// All addresses of `g`, those in lists of pointers too, are the machine's. A and B may lie in any
/// layout, C in any but gathered. beta == 0: C is not read. alpha == 0 or k == 0: A and B are not
/// read. It is started on `stream` and not waited for; once the text of its shape is loaded a call
/// allocates nothing on the device and waits for nothing. Neither the size of the batch nor a
/// problem's place in it changes a bit. Throws backend_error for what the device cannot do.
template <class T>
void gemm(device_machine& machine, const gemm_shape& s, const gemm_arguments<T>& g,
          void* stream = nullptr);

/// The same product of `count` problems on its way: its cut, and its text loaded. Throws as gemm.
ready_gemm prepare(device_machine& machine, const gemm_shape& s, index count,
                   bool wide_map_a = false, bool wide_map_b = false);

}  // namespace tenfold::cuda
