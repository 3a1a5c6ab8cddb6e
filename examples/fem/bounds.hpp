#pragma once

/// What the machine can do at best, measured now, with the threads of the caller's arena.

#include <tenfold/tensor/extents.hpp>

namespace fem {

/// Fused multiply-adds in registers, as fast as they go, in flops per second; one counts as two.
double fma_bound();

/// Reads the n numbers at `data`, again and again for a few hundredths of a second: the best rate
/// in bytes per second. Numbers that fit in a cache come from there, as they do for the solver.
double read_bound(const double* data, tenfold::index n);

/// STREAM's triad, a = b + s c, on vectors of 64 MB: the best rate in bytes per second, 24 bytes an
/// entry.
double triad_bound();

/// The size of the largest cache that the first processor has, as Linux tells it; 0: it does not.
double last_cache_bytes();

}  // namespace fem
