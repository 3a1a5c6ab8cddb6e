#pragma once

#include <complex>
#include <tenfold/backend/interface/gemm.hpp>
#include <tenfold/tensor/dynamic_tensor.hpp>

/// Batches in any layout into row-major entries and back, for what reads and writes by strides.
namespace tenfold {

/// A batch in any layout, its type gone.
struct any_batch {
  operand_shape<max_rank> shape;  ///< the first axis is the batch
  batch_place place;
};

/// to[b][i...] := conj?(x(b, i...)). Throws backend_error unless the axes of x behind the batch are
/// contiguous, or two.
void to_row_major(void* to, const any_batch& x);

/// y(b, i...) := from[b][i...], for y that is not gathered. Throws as to_row_major.
void from_row_major(const any_batch& y, const void* from);

/// y := beta y for each entry that the map of y names, then y(b, i...) += from[b][i...].
void add_row_major(const any_batch& y, const void* from, std::complex<double> beta);

}  // namespace tenfold
