#pragma once

#include <cstddef>

/// A row-major tensor with one letter for each of its axes.
struct tblis_operand {
  void* data;
  const char* labels;
  const std::ptrdiff_t* extents;
  const std::ptrdiff_t* strides;
  unsigned rank;
};

/// What the module with TBLIS inside shows to the bench. Scalars are 'd' or 's'; one thread.
struct tblis_module {
  const char* version;
  /// C := A B.
  void (*multiply)(char scalar, const tblis_operand& a, const tblis_operand& b,
                   const tblis_operand& c);
  /// C := A, summed over labels that C has not.
  void (*assign)(char scalar, const tblis_operand& a, const tblis_operand& c);
};

extern "C" const tblis_module* open_tblis();
