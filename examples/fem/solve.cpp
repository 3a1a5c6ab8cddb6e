// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

#include "solve.hpp"

#include "problem_error.hpp"

namespace fem {

outcome solve(int p, const request& what) {
  switch (p) {
    case 1:
      return solve<1>(what);
    case 2:
      return solve<2>(what);
    case 3:
      return solve<3>(what);
    case 4:
      return solve<4>(what);
    case 5:
      return solve<5>(what);
    case 6:
      return solve<6>(what);
    case 7:
      return solve<7>(what);
    case 8:
      return solve<8>(what);
    case 9:
      return solve<9>(what);
    case 10:
      return solve<10>(what);
    default:
      throw problem_error("degrees are 1 to 10");
  }
}

}  // namespace fem
