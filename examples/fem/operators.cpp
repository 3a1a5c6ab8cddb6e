// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

#include "operators.hpp"

namespace fem {

void change_nodes(const tensor<double, dyn, dyn>& T, any_blocks x, any_blocks y) {
  einsum<"ai,bj,gk,Ecijkw->Ecabgw">(into(y), T, T, T, x);
}

}  // namespace fem
