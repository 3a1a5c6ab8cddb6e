#pragma once

/// Batched BLAS: many small matrix products in one call, over views or over pointers with sizes;
/// and batches in any layout, which are operands of einsum, too.
#include <tenfold/backend/allocate.hpp>
#include <tenfold/backend/batched_blas.hpp>
#include <tenfold/backend/convert.hpp>
#include <tenfold/backend/tuning_in_use.hpp>
#include <tenfold/dsel/einsum.hpp>
#include <tenfold/tensor/conjugated.hpp>
#include <tenfold/tensor/gathered.hpp>
#include <tenfold/tensor/interleaved.hpp>
#include <tenfold/tensor/pointers.hpp>
#include <tenfold/tensor/tensor.hpp>
#include <tenfold/tensor/view.hpp>
