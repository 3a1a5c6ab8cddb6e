#pragma once

#include <string>
#include <tenfold/backend/cuda/device_machine.hpp>
#include <tenfold/backend/interface/device_scale_gathered.hpp>
#include <tenfold/backend/interface/gemm.hpp>
#include <tenfold/tensor/scalar.hpp>

namespace tenfold::cuda {

/// The name of the device kernel in the text of a scaling.
inline constexpr const char* scale_gathered_entry = "tenfold_scale_gathered";

/// The text of one step of scaling what a map names, of any extents: one device kernel, which takes
/// one device_scaling_arguments. All else is in scale_gathered.device.hpp.
std::string scale_gathered_text(scalar type, const device_scale_gathered& cut);

/// C := beta C, once for each entry that the map of the gathered C of `s` names, on `stream`; all
/// addresses are the machine's. beta == 0: C is not read. For a beta other than 0 and 1 it takes
/// memory for as many entries as the map has and waits until the device is done. Nothing is started
/// where a text cannot be loaded or memory is missing: then it throws backend_error.
template <class T>
void scale_gathered(device_machine& machine, const gemm_shape& s, const gemm_arguments<T>& g,
                    void* stream);

}  // namespace tenfold::cuda
