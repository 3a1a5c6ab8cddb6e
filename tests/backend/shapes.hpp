#pragma once

#include <tenfold/backend/interface/gemm.hpp>

/// Shapes of products, for the tests of what select says of them.
namespace tenfold::testing {

/// All three matrices row-major, one row behind another.
constexpr gemm_shape rows(scalar type, index m, index n, index k) {
  gemm_shape s{type, m, n, k, {}, {}, {}};
  s.a.row = k;
  s.b.row = s.c.row = n;
  s.a.column = s.b.column = s.c.column = 1;
  return s;
}

}  // namespace tenfold::testing
