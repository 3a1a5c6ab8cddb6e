#pragma once

#include <tenfold/device.hpp>

#include "fem/problems.hpp"

namespace tenfold::bench {

/// v := A u for element vectors in the memory of a device, one after the other: u and v
/// [elements][P][P][P], d [elements][data_entries], B [Q][P] and H [Q][Q], the slopes, of
/// fem_tables. The extents are known when the program runs.
struct device_elements {
  operator_kind kind;
  int p;
  index elements;
  const double *u, *d, *B, *H;
  double* v;
};

/// As a fused kernel, put on the stream of `where`.
void apply(const device_queue& where, const device_elements&);

}  // namespace tenfold::bench
