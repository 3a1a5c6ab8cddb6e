#pragma once

#include <cstddef>

/// What the module with deal.II inside shows to the bench. Kinds: 0 mass, 1 stiffness at p + 2
/// points of Gauss-Legendre, 2 stiffness at the nodes; the deformed cube of cube_mesh, n x n x n
/// elements of degree p.
struct dealii_module {
  const char* version;
  int lanes;  ///< elements that deal.II treats at once
  /// Null where there is no operator of this degree.
  void* (*make)(int kind, int p, int n);
  void (*destroy)(void*);
  /// u := values, by our numbers of the nodes.
  void (*set_source)(void*, const double* values);
  /// v := A u, both vectors of deal.II in its own numbering.
  void (*multiply)(void*);
  /// values := v, by our numbers; constrained entries are 0.
  void (*get_result)(void*, double* values);
};

extern "C" const dealii_module* open_dealii();
