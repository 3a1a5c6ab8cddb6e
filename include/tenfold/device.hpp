#pragma once

/// Work on a GPU: tensors in its memory, and batched BLAS with them, `gemm(on(device::cuda), ...)`.
#include <tenfold/backend/cuda/device_tensor.hpp>
#include <tenfold/backend/device_batched_blas.hpp>
#include <tenfold/tensor/device_view.hpp>
#include <tenfold/tensor/interleaved.hpp>
#include <tenfold/tensor/pointers.hpp>
#include <tenfold/tensor/tensor.hpp>
