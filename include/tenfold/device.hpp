#pragma once

/// Work on a GPU: tensors in its memory, and expressions and batched BLAS with them,
/// `einsum<"ij,jk->ik">(on(device::cuda), A, B)`, `gemm(on(device::cuda), ...)`. Fused kernels take
/// a place too; they are in fuse.hpp.
#include <tenfold/backend/cuda/device_map.hpp>
#include <tenfold/backend/cuda/device_tensor.hpp>
#include <tenfold/backend/device_batched_blas.hpp>
#include <tenfold/dsel/on_device.hpp>
#include <tenfold/tensor/conjugated.hpp>
#include <tenfold/tensor/device_view.hpp>
#include <tenfold/tensor/gathered.hpp>
#include <tenfold/tensor/interleaved.hpp>
#include <tenfold/tensor/pointers.hpp>
#include <tenfold/tensor/tensor.hpp>
