#pragma once

#include <complex>
#include <string>
#include <tenfold/backend/interface/gemm.hpp>
#include <tenfold/tensor/dynamic_tensor.hpp>

/// Batches in any layout into batches in any other, and into row-major entries and back, for what
/// reads and writes by strides.
namespace tenfold {

/// A batch in any layout, its type gone.
struct any_batch {
  operand_shape<max_rank> shape;  ///< the first axis is the batch
  batch_place place;
};

/// Whether a batch has entries, but its address, its map, or the address of a problem is null.
bool lacks_memory(const any_batch& x);
/// Throws shape_error: what of `subject`, for which that is so, is null.
[[noreturn]] void throw_lacks_memory(const std::string& subject, const any_batch& x);

/// y(b, i...) := x(b, i...) for batches of one scalar; gathered entries of y are added to. Throws
/// shape_error, which begins with `name`, if extents differ, if an address of entries or a map is
/// null, and unless the axes behind the batch are contiguous in both, or two; overlap_error as
/// check_copy.
void copy_entries(const char* name, const any_batch& x, const any_batch& y);

/// to[b][i...] := conj?(x(b, i...)). Throws as copy_entries.
void to_row_major(void* to, const any_batch& x);

/// y(b, i...) := from[b][i...], for y that is not gathered. Throws as copy_entries.
void from_row_major(const any_batch& y, const void* from);

/// y := beta y for each entry that the map of y names, then y(b, i...) += from[b][i...]. Throws
/// shape_error if the address of entries is null.
void add_row_major(const any_batch& y, const void* from, std::complex<double> beta);

}  // namespace tenfold
